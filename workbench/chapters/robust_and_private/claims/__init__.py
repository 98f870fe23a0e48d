"""What is claimed, and the checks that decide it."""
