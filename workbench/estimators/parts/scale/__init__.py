"""How wide the rows are: private scales, pivots, and intervals made of them."""
