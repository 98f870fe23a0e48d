"""What every estimator keeps: charges, draws, sensitivities, hostile rows, errors; for those of others, too.

    pytest --pyargs workbench.contracts --entry module:object

runs them on an estimator from outside, named as an `Entry` or an `Addition`. A contract is a plain function
of an example that fails on a breach; `tests/contracts` runs them over the catalog, and mutants that each must
catch.
"""
