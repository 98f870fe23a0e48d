"""What one can move."""
