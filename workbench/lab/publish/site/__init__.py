"""One page of HTML with all that is committed: figures, claims, statements, estimators, notebooks, proofs.

`facts` reads what there is, `records` says what a card shows, `links` who belongs to whom, `prose` and `tex`
turn texts into HTML, `pictures` packs the figures, `page` fills the templates.
"""
