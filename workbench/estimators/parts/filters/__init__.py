"""LKKO21's private filters: scores, thresholds, noisy moments, and the passes that use them."""
