"""The filter of `mean/robust`, which looks at one row at a time."""
