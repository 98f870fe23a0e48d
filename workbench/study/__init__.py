"""The engine: runs experiments and decides what they show. It knows no source and no notebook."""
