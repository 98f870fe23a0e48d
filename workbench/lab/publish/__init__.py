"""A notebook as a document: what must hold of a committed one, its slides; and a page with all of them."""
