"""What every estimator keeps: charges, draws, sensitivities, hostile rows, errors; for those of others, too.

    pytest --pyargs workbench.contracts --entry module:object

runs them on an estimator from outside, named as an `Entry` or an `Addition`. A contract is a plain function
of an example that fails on a breach; `tests/contracts` runs them over the catalog, and mutants that each must
catch. One that has nothing to try of an example, such as parts of a plan, says what it found nothing of.
"""

from workbench.contracts import accounting, accuracy, behaviour, disjoint, gaps, lone_row

OF_ESTIMATORS = (  # which do not look at the budget
    behaviour.public_numbers_are_pythons,
    behaviour.same_stream_gives_the_same_bits,
    behaviour.hostile_rows_are_ordinary_inputs,
    behaviour.an_unusable_row_is_absent,
    behaviour.names_of_columns_are_kept,
    behaviour.declared_symmetries_hold,
)
SPENDING = (  # what is tried with another option of the examples, too
    accounting.plan_composes_to_the_budget,
    accounting.draws_are_those_of_the_plan,
    accounting.draws_do_not_depend_on_the_rows,
)
CONTRACTS = (
    *SPENDING,
    accounting.plan_is_a_pure_function_of_public_numbers,
    accounting.work_is_bounded_at_a_large_budget,
    accounting.wrong_public_arguments_are_refused_before_any_draw,
    accounting.every_accepted_number_of_rows_is_answered,
    gaps.gap_is_the_sensitivity,
    lone_row.a_lone_row_shows_with_probability_at_most_delta,
    *OF_ESTIMATORS,
    accuracy.error_does_not_rise_with_n,
    accuracy.error_bound_is_exceeded_with_probability_at_most_beta,
    disjoint.a_row_moves_one_part,
    gaps.noise_meets_whole_numbers,
)

REFERENCE = (  # what an estimator without privacy keeps
    accounting.plan_is_a_pure_function_of_public_numbers,
    accounting.every_accepted_number_of_rows_is_answered,
    behaviour.hostile_rows_are_ordinary_inputs,
    behaviour.an_unusable_row_is_absent,
    behaviour.names_of_columns_are_kept,
    accuracy.error_does_not_rise_with_n,
)
