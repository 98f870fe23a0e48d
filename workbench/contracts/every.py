"""The contracts that every entry keeps, each a function that fails on a breach (mutants call them too)."""

from workbench.contracts import accounting, accuracy, behaviour, disjoint, gaps, lone_row, whole

CONTRACTS = (
    *accounting.CONTRACTS,
    gaps.gap_is_the_sensitivity,
    *lone_row.CONTRACTS,
    *behaviour.CONTRACTS,
    *accuracy.CONTRACTS,
    *disjoint.CONTRACTS,
    *whole.CONTRACTS,
)

SPENDING = (  # what is tried with another option of the examples, too
    accounting.plan_composes_to_the_budget,
    accounting.draws_are_those_of_the_plan,
    accounting.draws_do_not_depend_on_the_rows,
)

REFERENCE = (  # what an estimator without privacy keeps
    accounting.plan_is_a_pure_function_of_public_numbers,
    accounting.every_accepted_number_of_rows_is_answered,
    behaviour.hostile_rows_are_ordinary_inputs,
    behaviour.an_unusable_row_is_absent,
    behaviour.names_of_columns_are_kept,
    accuracy.error_does_not_rise_with_n,
)
