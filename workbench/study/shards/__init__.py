"""Parts of a run that other machines compute: which part is whose, and one store of all of them."""
