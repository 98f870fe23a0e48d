"""Attacks on the privacy of a mechanism, and what they prove."""
