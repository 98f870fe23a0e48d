"""How n grows with every public number of a statement: a table a source, and the claims about it."""
