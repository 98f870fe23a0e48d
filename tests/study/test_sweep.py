import hashlib

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

from workbench.errors import ArgumentError
from workbench.study import sweeps
from workbench.study.grids import Sweep, grid, table
from workbench.study.sweeps import CellError, columns, compute, forget, run, task

SEED = 20240
COUNTS = {"quick": 2, "full": 5}
CALLS = []


def measure(*, trials, data, noise, **point):
    """Matrix sums whose last bits depend on the number of BLAS threads; abstains when the noise is large."""
    CALLS.append(point)
    x = data.standard_normal((trials, point["n"], 60))
    error = np.array([np.linalg.eigvalsh(rows.T @ rows)[-1] for rows in x])
    draw = noise.standard_normal(trials)
    abstained = draw > 1
    return {"error": np.where(abstained, np.inf, error), "draw": draw, "abstained": abstained}


def sweep(points=None, block=measure, name="demo"):
    points = grid(n=[300, 400], mode=["proved", "practical"]) if points is None else points
    return Sweep(name, points, block, trials=6, blocks=COUNTS)


@pytest.fixture(autouse=True)
def _clean():
    forget()
    CALLS.clear()


def digest(frame):
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


def fresh(*args, **kwargs):
    forget()
    return run(*args, **kwargs)


# --- the same numbers, whoever computes them ------------------------------------------------------


@pytest.mark.daily
def test_the_table_is_bit_identical_for_any_number_of_workers():
    serial = fresh(sweep(), "full", seed=SEED)
    alone = fresh(sweep(), "full", seed=SEED, backend="loky")
    both = fresh(sweep(), "full", seed=SEED, jobs=2)
    assert digest(serial) == digest(alone) == digest(both)
    pd.testing.assert_frame_equal(serial, both, check_exact=True)


def test_the_table_does_not_depend_on_the_order_of_the_cells():
    cells = [compute(task(sweep(), *address, SEED)) for address in sweep().addresses("full")]
    shuffled = [cells[i] for i in np.random.default_rng(0).permutation(len(cells))]
    assert digest(table("demo", sweep().points, 6, shuffled)) == digest(run(sweep(), "full", seed=SEED))


def test_a_block_has_the_same_numbers_whatever_other_points_exist():
    whole = run(sweep(), "quick", seed=SEED)
    alone = fresh(sweep(points=[{"mode": "practical", "n": 400}]), "quick", seed=SEED)
    same = whole[(whole["n"] == 400) & (whole["mode"] == "practical")].reset_index(drop=True)
    pd.testing.assert_frame_equal(same[alone.columns], alone, check_exact=True)


def test_seed_and_name_change_every_number():
    base = run(sweep(), "quick", seed=SEED)["draw"]
    for other in (run(sweep(), "quick", seed=SEED + 1), run(sweep(name="other"), "quick", seed=SEED)):
        assert not set(base) & set(other["draw"])
    assert base.is_unique  # points, blocks and trials differ, too


def test_quick_is_the_beginning_of_full():
    full = run(sweep(), "full", seed=SEED)
    quick = run(sweep(), "quick", seed=SEED)
    pd.testing.assert_frame_equal(full[full["block"] < 2].reset_index(drop=True), quick, check_exact=True)


def threads(*, trials, data, noise, **point):
    return {"threads": np.full(trials, max(pool["num_threads"] for pool in threadpool_info()))}


@pytest.mark.turns(6)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_uses_one_thread(jobs):
    assert set(run(sweep(block=threads), "quick", seed=SEED, jobs=jobs)["threads"]) == {1}


# --- the schema -----------------------------------------------------------------------------------


def test_the_schema():
    frame = run(sweep(), "quick", seed=SEED)
    assert list(frame.columns) == [
        *("sweep", "point", "block", "trial", "n", "mode"),
        *("error", "draw", "abstained"),
    ]
    assert len(frame) == 4 * 2 * 6
    assert list(frame["n"].unique()) == [300, 400]
    assert not frame.duplicated(["point", "block", "trial"]).any()


def enough(*, trials, data, noise, n, epsilon=1.0):
    """Refuse too few rows, as plans do."""
    assert 100 / epsilon <= n < 1000, "too few, or too many to draw"
    return {"error": np.abs(data.standard_normal(trials))}


def test_columns_are_learnt_where_the_block_is_known_to_run():
    """Neither at a far point nor at the usual rows for a budget that takes more of them."""
    usual = sweep(points=grid(n=[100, 200]), block=enough)
    moved = usual.moved([{"n": 5000}, {"n": 9000}], epsilon=0.02)
    found = columns(moved, "quick", seed=SEED)
    assert list(found) == [*("sweep", "point", "block", "trial"), *("n", "epsilon"), *("error", "abstained")]
    assert len(found) == 0
    assert list(columns(usual, "quick", seed=SEED)) == list(run(usual, "quick", seed=SEED))


def test_an_abstention_is_a_row_with_infinite_error():
    frame = run(sweep(), "full", seed=SEED)
    assert 0 < frame["abstained"].sum() < len(frame) == 4 * 5 * 6
    assert (np.isinf(frame["error"]) == frame["abstained"]).all()


def test_a_block_without_the_flag_never_abstains():
    frame = run(sweep(block=threads), "quick", seed=SEED)
    assert frame["abstained"].dtype == bool
    assert not frame["abstained"].any()


def drifting(*, trials, data, noise, **point):
    return {"count": np.arange(trials) if data.random() < 0.5 else np.arange(trials) / 2}


def test_a_column_has_one_type_whatever_its_values():
    for blocks in ({"quick": 1}, {"quick": 20}):
        frame = run(Sweep("demo", grid(n=1), drifting, trials=4, blocks=blocks), "quick", seed=SEED)
        assert frame["count"].dtype == np.float64


def fails(*, trials, data, noise, **point):
    raise ZeroDivisionError("by zero")


def short(*, trials, data, noise, **point):
    return {"error": np.zeros(trials - 1)}


def undefined(*, trials, data, noise, **point):
    return {"error": np.full(trials, np.nan)}


def silent(*, trials, data, noise, **point):
    return {"error": np.zeros(trials), "abstained": np.ones(trials, dtype=bool)}


def clashing(*, trials, data, noise, **point):
    return {"n": np.zeros(trials)}


def words(*, trials, data, noise, **point):
    return {"error": ["large"] * trials}


def counted(*, trials, data, noise, **point):
    return {"error": np.full(trials, np.inf), "abstained": np.ones(trials)}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (fails, "ZeroDivisionError: by zero"),
        (short, "shape"),
        (undefined, "no nan"),
        (silent, "inf wherever the estimator abstained"),
        (clashing, "no parameter"),
        (words, "numbers or booleans"),
        (counted, "a column of booleans"),
    ],
)
def test_a_failing_cell_names_the_sweep_and_the_point(block, message):
    with pytest.raises(CellError, match=rf"sweep 'demo', point {{'n': 300, .*block 0: .*{message}"):
        run(sweep(block=block), "quick", seed=SEED)


def test_a_failing_cell_names_the_point_from_a_worker_too():
    with pytest.raises(CellError, match=r"sweep 'demo', point .*: ZeroDivisionError: by zero"):
        run(sweep(block=fails), "quick", seed=SEED, jobs=2)


def uneven(*, trials, data, noise, **point):
    return {"a" if point["n"] == 300 else "b": np.zeros(trials)}


def test_blocks_must_agree_on_their_columns():
    with pytest.raises(ArgumentError, match="as in the first block"):
        run(sweep(block=uneven), "quick", seed=SEED)


@pytest.mark.parametrize(
    "points",
    [
        [],
        [{"n": 1}, {"n": 1.0}],
        [{"n": 1}, {"d": 1}],
        [{"n": 1}, {"n": "one"}],
        [{"n": float("nan")}],
        [{"n": None}],
        [{"block": 1}],
        [{"abstained": 1}],
    ],
)
def test_a_grid_outside_the_schema_is_refused(points):
    with pytest.raises(ArgumentError):
        sweep(points=points)


@pytest.mark.parametrize(
    "change", [{"name": ""}, {"trials": 0}, {"blocks": {"quick": 0}}, {"blocks": {"swift": 1}}]
)
def test_a_sweep_outside_its_domain_is_refused(change):
    with pytest.raises(ArgumentError):
        Sweep(**{"name": "a", "points": grid(n=1), "block": measure, "trials": 1, "blocks": COUNTS} | change)


@pytest.mark.parametrize(
    "change", [{"profile": "deep"}, {"seed": -1}, {"seed": 0.5}, {"jobs": 0}, {"backend": "ray"}]
)
def test_a_run_outside_its_domain_is_refused(change):
    with pytest.raises(ArgumentError):
        run(**{"sweep": sweep(), "profile": "quick", "seed": SEED} | change)


def test_grid_takes_numpy_axes():
    points = grid(n=np.array([10, 20]), radius=np.inf)
    assert points == ({"n": 10, "radius": np.inf}, {"n": 20, "radius": np.inf})
    assert {type(point["n"]) for point in points} == {int}


# --- the memory -----------------------------------------------------------------------------------


def test_run_computes_once_and_hands_out_copies():
    once = run(sweep(), "quick", seed=SEED)
    count = len(CALLS)
    once["error"] = 0.0
    assert (run(sweep(), "quick", seed=SEED)["error"] > 0).all()
    assert len(CALLS) == count == 4 * 2
    forget()
    run(sweep(), "quick", seed=SEED)
    assert len(CALLS) == 2 * count


def test_another_sweep_of_the_same_name_is_computed():
    run(sweep(), "quick", seed=SEED)
    assert list(run(sweep(points=grid(n=200)), "quick", seed=SEED)["n"].unique()) == [200]
    assert "threads" in run(sweep(block=threads), "quick", seed=SEED)


def test_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(sweeps, "REMEMBERED", 2)
    for seed in range(4):
        run(sweep(points=grid(n=5)), "quick", seed=seed)
    assert [seed for _, _, seed, _ in sweeps._memory] == [2, 3]


def test_progress_goes_to_stderr(capsys):
    run(sweep(points=grid(n=5)), "quick", seed=SEED, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "demo" in err


def test_a_misspelt_axis_fails_before_anything_runs():
    def tails(scale: float, *, trials, data, noise):
        return {"error": np.full(trials, scale)}

    for axes in ({"scael": 1.0}, {"scale": 1.0, "n": 5}, {"n": 5}):
        with pytest.raises(ArgumentError, match="function of them"):
            Sweep("misspelt", grid(**axes), tails, trials=1, blocks={"quick": 1})


def test_numbers_become_what_the_block_annotates():
    def types(n: int, share: float, free, *, trials, data, noise):
        kinds = [isinstance(n, int), isinstance(share, float), isinstance(free, float)]
        return {"right": np.full(trials, all(kinds))}

    sweep = Sweep("annotated", grid(n=[1000.0, 20], share=[1, 0.5], free=2.0), types, 1, {"quick": 1})
    assert run(sweep, "quick", seed=SEED, backend="serial")["right"].all()
