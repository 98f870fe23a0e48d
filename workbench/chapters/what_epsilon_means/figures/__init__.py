"""The pictures, and what can be moved in them."""
