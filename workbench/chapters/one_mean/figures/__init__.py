"""What is drawn, and what one can move."""
