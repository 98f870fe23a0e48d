"""How wide the rows are: private scales, critical values, and intervals made of them."""
