"""How the n of every statement grows, searched."""
