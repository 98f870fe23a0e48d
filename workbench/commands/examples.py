"""The command lines that the help of every command ends with."""

EXAMPLES = {
    "list": ("workbench list mean", "workbench list univariate/two-step-mean"),
    "sources": ("workbench sources L17", "workbench sources L17/Thm2.5"),
    "estimate": (
        "workbench estimate heights.csv --column height --key univariate/two-step-mean \\",
        "    --set radius=1000 --set sigma=9 --epsilon 0.5",
        "workbench list univariate/two-step-mean    (what --set may name, and its defaults)",
    ),
    "plan": (
        "workbench plan mean --alpha 0.1 --set radius=100 --set sigma=1    (the rows that it needs)",
        "workbench plan univariate/unbounded-mean --alpha 0.1 --n 2000 --set sigma=1    (its ε)",
    ),
    "audit": (
        "workbench audit univariate/median",
        "workbench audit --mutants univariate/median",
        "workbench audit --function mine:noisy_mean --pairs mine:PAIRS --epsilon 1",
    ),
    "bench": ("workbench bench univariate/median --n 20000",),
    "reproduce": (
        "workbench reproduce 02_one_mean",
        "workbench reproduce one_mean -p epsilon=0.3 -p n=500",
        "workbench reproduce one_mean --grid epsilon=0.1,0.5,2 --grid n=500,2000",
    ),
    "verdicts": ("workbench verdicts --status REFUTED", "workbench verdicts one-mean/private-for-free"),
    "check": ("workbench check --fix",),
    "deep": ("workbench deep 07_robust_and_private --jobs 2",),
    "films": ("workbench films 03_many_dimensions",),
    "slides": ("workbench slides 02_one_mean",),
    "notebook": (
        "workbench notebook 02_one_mean --student",
        "workbench notebook 02_one_mean --teacher --out ~/monday",
    ),
    "site": ("workbench site", "workbench site ~/workbench.html"),
    "lab": ("workbench lab --no-browser",),
}
FIRST = EXAMPLES["plan"][0].partition("  ")[0]


def epilog(*lines: str) -> str:
    """Return examples as the end of a help."""
    return "\n  ".join(("examples:", *lines))
