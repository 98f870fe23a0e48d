"""What the notebooks run, claim, draw and let one move: a folder for each."""
