"""The contracts that every entry keeps, each a function that fails on a breach (mutants call them too)."""

import accounting
import accuracy
import behaviour
import gaps
import lone_row

CONTRACTS = (
    *accounting.CONTRACTS,
    gaps.gap_is_the_sensitivity,
    *lone_row.CONTRACTS,
    *behaviour.CONTRACTS,
    *accuracy.CONTRACTS,
)
