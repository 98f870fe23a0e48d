"""The public table that robust votes are planned with: how close groups stay when rows are attacked.

For groups of s rows in d dimensions, a share ξ of all rows under each of several attacks and shuffled, it
holds the distance within which most pairs stay, how much groups differ in that, and what an average errs by.
It is made by simulation from fixed seeds; nothing in it depends on data, and no privacy on it.

    python -m tests.estimators.robust_table        writes the table into the package
"""

import json
from importlib.resources import files

import numpy as np

from workbench.estimators.populous_robust import FAR, MIDDLE, TABLE, location_means, scatter_factors
from workbench.estimators.shared.rows import of_groups
from workbench.estimators.votes import Groups, Points
from workbench.linalg import norms
from workbench.populations.corruption import COVARIANCE_ATTACKS

GROUPS, PAIRS, SEED = 1200, 12_000, 47
CORRUPTIONS = (0.02, 0.05, 0.1)
SIZES = {1: (24, 32, 48, 64), 2: (32, 48, 64, 96), 3: (64, 96, 144), 4: (96, 144, 192)}
RADII = (0.0, 1.5, 2.0, 3.0, 1e3)
MEAN_D, MEAN_SIZES = (1, 2, 3, 4, 5, 8), (8, 16, 32)
NEVER = 1e12
LOW, HIGH = 0.5, 0.74  # the weights of a typical vote
NAMES = (
    "planted", "zeros", "far", "very-far", "plane", "top-to-zero", "small-to-quantile", "moment-far",
    "diagonal",
)  # fmt: skip


def scenario(d, size, corruption, name):
    """Return groups of standard rows under an attack, or clean ones for no name."""
    rng = np.random.default_rng((SEED, d, size, round(1000 * corruption), *map(ord, name)))
    rows = rng.standard_normal((GROUPS * size, d))
    attack = {adversary.name: adversary for adversary in COVARIANCE_ATTACKS}.get(name)
    rows = rows if attack is None else attack.corrupt(rows, corruption, rng=rng)
    blocks = rows[rng.permutation(len(rows))].reshape(GROUPS, size, d)
    return Groups.of(scatter_factors(blocks))


def distances(groups, rng):
    """Return 1 + dist of random pairs of groups, at most `NEVER`; that where one is not usable."""
    first, second = rng.integers(0, len(groups.factors), (2, PAIRS))
    second = np.where(first == second, (second + 1) % len(groups.factors), second)
    inverses = np.linalg.inv(groups.factors)
    values = np.linalg.svd(groups.factors[second] @ inverses[first], compute_uv=False) ** 2
    both = groups.usable[first] & groups.usable[second]
    return np.where(both, np.minimum(np.maximum(values[:, 0], 1 / values[:, -1]), NEVER), NEVER)


def average(groups, friends):
    """Return the weighted average of a typical vote."""
    weights = np.clip((friends / len(groups.factors) - LOW) / (HIGH - LOW), 0.0, 1.0) * groups.usable
    root = groups.average(weights)
    return np.asarray(root @ root.T)


def row(d, size, corruption):
    """Return one row of the table."""
    clean = scenario(d, size, corruption, "")
    found = {name: scenario(d, size, corruption, name) for name in NAMES}
    rng = np.random.default_rng((SEED, d, size))
    lengths = [distances(groups, rng) for groups in (clean, *found.values())]
    limits = [max(float(np.quantile(one, 1 - far)) for one in lengths) for far in FAR]
    friends = {name: groups.friends(limits[MIDDLE]) for name, groups in found.items()}
    scale = float(np.trace(average(clean, clean.friends(limits[MIDDLE]))) / d)
    errors = [average(groups, friends[name]) / scale - np.eye(d) for name, groups in found.items()]
    deviation = max(float(np.std(counts / GROUPS)) for counts in friends.values())
    return {
        "of": "covariance", "d": d, "size": size, "corruption": corruption,
        "limits": [round(limit, 4) for limit in limits], "deviation": round(deviation, 4),
        "scale": round(scale, 4), "error": round(max(float(np.linalg.norm(error)) for error in errors), 4),
    }  # fmt: skip


def lowered(x, bad, radius):
    """Return rows whose lowest along the first axis went to the other side of it."""
    y = x.copy()
    lowest = np.argsort(x[:, 0], kind="stable")[:bad]
    y[lowest, 0] = radius
    return y


def mean_scenario(d, size, corruption, radius):
    """Return the robust means of groups of standard rows, the lowest moved to a radius; 0: clean ones."""
    rng = np.random.default_rng((SEED, d, size, round(1000 * corruption), round(10 * radius)))
    rows = rng.standard_normal((GROUPS * size, d))
    rows = lowered(rows, int(corruption * len(rows)), radius) if radius else rows
    return of_groups(rows[rng.permutation(len(rows))], size, location_means)


def mean_row(d, size, corruption):
    """Return one row of the table for means; distances are Euclidean, in standard deviations."""
    found = [mean_scenario(d, size, corruption, radius) for radius in RADII]
    rng = np.random.default_rng((SEED, d, size))
    pairs = rng.integers(0, GROUPS, (2, PAIRS))
    lengths = [norms(points[pairs[0]] - points[pairs[1]])[pairs[0] != pairs[1]] for points in found]
    limits = [max(float(np.quantile(one, 1 - far)) for one in lengths) for far in FAR]
    shares = [Points(points, limits[MIDDLE]).friends(limits[MIDDLE]) / GROUPS for points in found]
    weights = [np.clip((share - LOW) / (HIGH - LOW), 0.0, 1.0) for share in shares]
    errors = [np.linalg.norm(w @ points / w.sum()) for w, points in zip(weights, found, strict=True)]
    return {
        "of": "mean", "d": d, "size": size, "corruption": corruption,
        "limits": [round(limit, 4) for limit in limits],
        "deviation": round(max(float(np.std(share)) for share in shares), 4),
        "scale": 1.0, "error": round(max(map(float, errors)), 4),
    }  # fmt: skip


def main():
    """Write the table."""
    with np.errstate(all="ignore"):
        rows = [row(d, size, share) for d, sizes in SIZES.items() for size in sizes for share in CORRUPTIONS]
    rows += [mean_row(d, size, share) for d in MEAN_D for size in MEAN_SIZES for share in CORRUPTIONS]
    path = files("workbench").joinpath("estimators", TABLE)
    with open(str(path), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n")


if __name__ == "__main__":
    main()
