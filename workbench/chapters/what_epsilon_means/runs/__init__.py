"""What is run, and what theory predicts."""
