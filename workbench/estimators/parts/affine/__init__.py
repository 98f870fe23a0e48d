"""The lift: rows (1, x), whose matrix quantile holds a location and a scatter; its design and its release."""
