"""What is measured: sweeps, and the theory they are compared with."""
