"""A notebook as a document: what must hold of a committed one, and its slides."""
