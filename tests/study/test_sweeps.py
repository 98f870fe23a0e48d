"""Sweeps: the same numbers whoever computes them, one schema, what is lent or noted, a figure's runs."""

import hashlib
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

from workbench.errors import ArgumentError
from workbench.study import profiles, sweeps
from workbench.study.grids import Role, Sweep, grid, point_id, stream, table
from workbench.study.run import Run, TooMuchWorkError
from workbench.study.sweeps import (
    CellError,
    Resources,
    columns,
    compute,
    forget,
    lending,
    noting,
    resources,
    run,
    task,
)

SEED = 20240
COUNTS = {"quick": 2, "full": 5}
CALLS = []


def measure(*, trials, data, noise, **point):
    """Matrix sums whose last bits depend on the number of BLAS threads; abstains when the noise is large."""
    CALLS.append(point)
    x = data.standard_normal((trials, point["n"], 60))
    error = np.array([np.linalg.eigvalsh(rows.T @ rows)[-1] for rows in x])
    draw = noise.standard_normal(trials)
    return {"error": np.where(draw > 1, np.inf, error), "draw": draw, "abstained": draw > 1}


def sweep(points=None, block=measure, name="demo"):
    points = grid(n=[300, 400], mode=["proved", "practical"]) if points is None else points
    return Sweep(name, points, block, trials=6, blocks=COUNTS)


@pytest.fixture(autouse=True)
def _clean():
    forget()
    CALLS.clear()
    yield
    forget()


def digest(frame):
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


# --- the same numbers, whoever computes them ------------------------------------------------------


@pytest.mark.daily
def test_the_table_is_bit_identical_for_any_number_of_workers():
    found = []
    for options in ({}, {"jobs": 2}, {"jobs": 3}):
        forget()
        found.append(digest(run(sweep(), "full", seed=SEED, **options)))
    assert len(set(found)) == 1


def test_numbers_depend_on_the_content_of_a_point_and_on_no_order():
    whole = run(sweep(), "full", seed=SEED)
    cells = [compute(task(sweep(), *address, SEED)) for address in sweep().addresses("full")]
    shuffled = [cells[i] for i in np.random.default_rng(0).permutation(len(cells))]
    assert digest(table("demo", sweep().points, 6, shuffled)) == digest(whole)
    quick = run(sweep(), "quick", seed=SEED)
    pd.testing.assert_frame_equal(whole[whole["block"] < 2].reset_index(drop=True), quick, check_exact=True)
    forget()
    alone = run(sweep(points=[{"mode": "practical", "n": 400}]), "quick", seed=SEED)
    same = quick[(quick["n"] == 400) & (quick["mode"] == "practical")].reset_index(drop=True)
    pd.testing.assert_frame_equal(same[alone.columns], alone, check_exact=True)


def test_seed_and_name_change_every_number():
    base = run(sweep(), "quick", seed=SEED)["draw"]
    for other in (run(sweep(), "quick", seed=SEED + 1), run(sweep(name="other"), "quick", seed=SEED)):
        assert not set(base) & set(other["draw"])
    assert base.is_unique  # points, blocks and trials differ, too


def first(*address):
    return tuple(stream(*address).integers(2**63, size=2))


def test_streams_are_pinned_and_every_part_of_their_address_counts():
    axes = ((0, 1, 2**70), (Role.DATA, Role.NOISE), ("a", "b"), (0, 1, 2**32 - 1), (0, 1))
    addresses = list(itertools.product(*axes))
    assert len({first(*address) for address in addresses}) == len(addresses)
    # the numbers behind every committed figure: a change here is a change of all of them
    assert [role.value for role in Role] == list(range(len(Role)))
    pinned = first(7, Role.DATA, "pinned", point_id({"n": 100, "mode": "proved"}), 3)
    assert pinned == (1689782247900495947, 8174044525002068671)
    for seed, point, block in [(-1, 0, 0), (0, -1, 0), (0, 2**32, 0), (0, 0, 2**32), (0, 0, 0.5)]:
        with pytest.raises(ArgumentError):
            stream(seed, Role.DATA, "a", point, block)


def test_point_id_depends_on_the_values_and_not_on_their_spelling():
    base = point_id({"n": 100, "epsilon": 0.5, "mode": "proved"})
    assert base == point_id({"mode": "proved", "epsilon": np.float64(0.5), "n": 100.0})
    others = [{"n": value} for value in (101, 100.5, -100, "100", float("inf"), "inf", "Infinity", 1e300)]
    others += [{"epsilon": 0.25}, {"mode": "practical"}, {"d": 3}]
    ids = {point_id({"n": 100, "epsilon": 0.5, "mode": "proved"} | other) for other in others}
    assert len(ids | {base}) == 1 + len(others)


def threads(*, trials, data, noise, **point):
    return {"threads": np.full(trials, max(pool["num_threads"] for pool in threadpool_info()))}


def test_a_cell_uses_one_thread():
    frame = run(sweep(block=threads), "quick", seed=SEED)
    assert set(frame["threads"]) == {1}
    assert not frame["abstained"].any()  # a block without the flag never abstains


# --- the schema -----------------------------------------------------------------------------------


def test_the_schema():
    frame = run(sweep(), "full", seed=SEED)
    assert " ".join(frame.columns) == "sweep point block trial n mode error draw abstained"
    assert list(frame["n"].unique()) == [300, 400]
    assert not frame.duplicated(["point", "block", "trial"]).any()
    assert 0 < frame["abstained"].sum() < len(frame) == 4 * 5 * 6
    assert (np.isinf(frame["error"]) == frame["abstained"]).all()


def enough(*, trials, data, noise, n, epsilon=1.0):
    """Refuse too few rows, as plans do."""
    assert 100 / epsilon <= n < 1000, "too few, or too many to draw"
    return {"error": np.abs(data.standard_normal(trials))}


def test_columns_are_learnt_where_the_block_is_known_to_run():
    """Neither at a far point nor at the usual rows for a budget that takes more of them."""
    usual = sweep(points=grid(n=[100, 200]), block=enough)
    found = columns(usual.moved([{"n": 5000}, {"n": 9000}], epsilon=0.02), "quick", seed=SEED)
    assert list(found) == ["sweep", "point", "block", "trial", "n", "epsilon", "error", "abstained"]
    assert len(found) == 0
    assert list(columns(usual, "quick", seed=SEED)) == list(run(usual, "quick", seed=SEED))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (lambda trials: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda trials: {"error": np.zeros(trials - 1)}, "shape"),
        (lambda trials: {"error": np.full(trials, np.nan)}, "no nan"),
        (lambda trials: {"error": np.zeros(trials), "abstained": np.ones(trials) > 0}, "inf wherever the"),
        (lambda trials: {"n": np.zeros(trials)}, "no parameter"),
        (lambda trials: {"error": ["large"] * trials}, "numbers or booleans"),
        (lambda trials: {"error": np.full(trials, np.inf), "abstained": np.ones(trials)}, "of booleans"),
    ],
)
def test_a_failing_cell_names_the_sweep_and_the_point(block, message):
    with pytest.raises(CellError, match=rf"sweep 'demo', point {{'n': 300, .*block 0: .*{message}"):
        run(sweep(block=lambda *, trials, **_: block(trials)), "quick", seed=SEED)


def uneven(*, trials, data, noise, **point):
    return {"a" if point["n"] == 300 else "b": np.zeros(trials)}


def test_blocks_must_agree_on_their_columns():
    with pytest.raises(ArgumentError, match="as in the first block"):
        run(sweep(block=uneven), "quick", seed=SEED)


@pytest.mark.parametrize(
    "change",
    [
        {"points": []},
        {"points": [{"n": 1}, {"n": 1.0}]},
        {"points": [{"n": 1}, {"d": 1}]},
        {"points": [{"n": 1}, {"n": "one"}]},
        {"points": [{"n": float("nan")}]},
        {"points": [{"n": None}]},
        {"points": [{"block": 1}]},
        {"points": [{"abstained": 1}]},
        {"name": ""},
        {"trials": 0},
        {"blocks": {"quick": 0}},
        {"blocks": {"swift": 1}},
    ],
)
def test_a_sweep_outside_its_domain_is_refused(change):
    with pytest.raises(ArgumentError):
        Sweep(**{"name": "a", "points": grid(n=1), "block": measure, "trials": 1, "blocks": COUNTS} | change)


def test_points_are_what_the_block_takes_and_as_it_annotates_them():
    def types(n: int, share: float, free, *, trials, data, noise):
        kinds = [isinstance(n, int), isinstance(share, float), isinstance(free, float)]
        return {"right": np.full(trials, all(kinds))}

    axes = {"n": [1000.0, 20], "share": [1, 0.5], "free": 2.0}
    assert run(Sweep("annotated", grid(**axes), types, 1, {"quick": 1}), "quick", seed=SEED)["right"].all()
    for wrong in ({"share": 1}, {**axes, "d": 5}):
        with pytest.raises(ArgumentError, match="function of them"):
            Sweep("misspelt", grid(**wrong), types, trials=1, blocks={"quick": 1})
    points = grid(n=np.array([10, 20]), radius=np.inf)
    assert points == ({"n": 10, "radius": np.inf}, {"n": 20, "radius": np.inf})
    assert {type(point["n"]) for point in points} == {int}


# --- the memory, and what is lent -----------------------------------------------------------------


def test_run_computes_once_and_hands_out_copies(capsys, monkeypatch):
    once = run(sweep(), "quick", seed=SEED, progress=True)
    once["error"] = 0.0
    assert (run(sweep(), "quick", seed=SEED)["error"] > 0).all()
    assert len(CALLS) == 4 * 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "demo" in err
    assert list(run(sweep(points=grid(n=200)), "quick", seed=SEED)["n"].unique()) == [200]
    assert "threads" in run(sweep(block=threads), "quick", seed=SEED)  # another sweep of the same name
    monkeypatch.setattr(sweeps, "REMEMBERED", 2)
    for seed in range(4):
        run(sweep(points=grid(n=5)), "quick", seed=seed)
    assert [seed for _, _, seed, _ in sweeps._memory] == [2, 3]


def test_sweeps_use_what_is_lent_unless_told_otherwise(tmp_path):
    usual, lent, own = sweep(points=grid(n=[5, 7])), tmp_path / "lent.sqlite", tmp_path / "own.sqlite"
    plain = run(usual, "quick", seed=SEED)
    with lending(Resources(store=lent)):
        run(usual, "quick", seed=SEED, store=own)
        assert (own.exists(), lent.exists()) == (True, False)
        pd.testing.assert_frame_equal(plain, run(usual, "quick", seed=SEED), check_exact=True)
        assert lent.exists()
    assert resources() == Resources(store=None, jobs=1)
    for wrong in (0, 1.5, None):
        with pytest.raises(ArgumentError, match="jobs"):
            Resources(jobs=wrong)


def test_what_is_noted_is_not_computed():
    found = []
    with noting(found):
        assert len(run(sweep(), "full", seed=SEED)) == 0
    assert found == [4 * 5]
    assert len(CALLS) == 1  # which tells the columns


# --- a figure's runs: the usual sweeps, others with a limit on their work, none at all -------------


def drawn(n, *, trials, data, noise):
    return {"error": data.standard_normal((trials, n)).mean(axis=1)}


USUAL = Sweep("test-run", grid(n=(20_000, 40_000)), drawn, 40, {"quick": 2, "full": 3})


def test_the_usual_points_are_those_of_the_claims_and_those_in_common_have_the_same_numbers():
    usual = run(USUAL.under("quick"), "quick", seed=3)
    assert Run("quick", 3).table(USUAL).equals(usual)
    assert Run("quick", 3).table(USUAL.moved(USUAL.points)).equals(usual)
    moved = USUAL.moved(grid(n=(40_000, 30_000)))
    found = Run("quick", 3).table(moved)
    errors = [frame[frame["n"] == 40_000]["error"].to_numpy() for frame in (found, usual)]
    assert (errors[0] == errors[1]).all()
    assert moved.usual == moved.moved(grid(n=1)).usual == USUAL.points


@pytest.mark.parametrize(
    ("trials", "full", "quick", "wanted"),
    [
        (40, 3, 2, (40, 1)),
        (8, 100, 10, (8, 6)),
        (400, 20, 2, (200, 1)),
        (400, 80, 8, (400, 2)),
        (2, 9, 1, (2, 1)),
    ],
)
def test_quick_is_a_fortieth_of_full_and_fifty_trials_where_there_are_so_many(trials, full, quick, wanted):
    found = Sweep("test-run", grid(n=(2, 4)), drawn, trials, {"quick": quick, "full": full}).under("quick")
    assert (found.trials, found.blocks["quick"]) == wanted


def test_more_work_means_fewer_trials_and_far_more_is_refused():
    far = USUAL.moved(grid(n=(150_000, 150_001)))
    assert len(Run("quick", 3).table(USUAL.moved(grid(n=(60_000, 60_000 + 1))))) == 2 * 40
    assert len(Run("quick", 3).table(far)) == 2 * 2 * 19
    with lending(Resources(limit=1000)):
        assert len(Run("quick", 3).table(far)) == 2 * 40
    said = r"^work of test-run: 20.* times the usual, 2 allowed; `workbench reproduce --limit 2.` runs it$"
    with pytest.raises(TooMuchWorkError, match=said):
        Run("quick", 3).table(USUAL.moved(grid(n=(800_000, 800_001))))


def test_a_sketch_has_few_trials_and_predictions_alone_have_none():
    assert len(Run("quick", 3, most=2).table(USUAL)) == 2 * 2
    empty = Run("quick", 3, simulate=False).table(USUAL.moved(grid(n=(10**9, 10**9 + 1))), USUAL)
    assert len(empty) == 0
    assert {"n", "error"} <= set(empty)


# --- levels --------------------------------------------------------------------------------


def test_levels_add_up_to_the_overall_level_and_committed_claims_keep_it():
    assert math.fsum([profiles.claim_level()] * profiles.CLAIM_CHECKS) == pytest.approx(profiles.CLAIM_LEVEL)
    with pytest.raises(ArgumentError):
        profiles.claim_level(0)
    files = sorted((Path(__file__).parents[2] / "figures").glob("*/verdicts.json"))
    claims = [claim for path in files for claim in json.loads(path.read_text(encoding="utf-8"))["full"]]
    assert len(claims) >= 16
    assert 0 < math.fsum(claim["level"] for claim in claims) <= profiles.CLAIM_LEVEL
