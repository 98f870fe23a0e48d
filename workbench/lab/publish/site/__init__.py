"""One page of HTML with all that is committed: figures, claims, statements, estimators, notebooks, proofs.

`facts` reads what there is, and `records` says what a card shows: `cards` of figures and claims, `library` of
statements and estimators, `chapters` of notebooks, `documents` of proofs. `prose` and `tex` turn texts into
HTML, `dots` and `growing` draw sample sizes, `pictures` packs the figures, `page` fills the templates.
"""
