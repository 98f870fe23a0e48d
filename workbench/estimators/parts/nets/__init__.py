"""Public nets in few dimensions, and what is chosen from them."""
