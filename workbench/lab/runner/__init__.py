"""Notebooks run headlessly: processes, stores, caches, figures and verdicts compared."""
