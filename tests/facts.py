"""What is known of rows in the tests of the planner: the facts that an estimator must be told."""

from workbench.study.planner import entries_of

FACTS = {"radius": 10.0, "sigma": 1.0, "upper": 10.0, "lower": 1.0, "corruption": 0.02}


def facts(subject):
    """Those that some estimator of an estimand, a key, or the whole catalog takes."""
    return {
        name: value
        for name, value in FACTS.items()
        if any(name in vars(entry.estimator) for entry in entries_of(subject))
    }


def told(subject):
    """The same as words of the command line."""
    return [word for name, value in facts(subject).items() for word in ("--set", f"{name}={value}")]
