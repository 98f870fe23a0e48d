"""Everything that the notebook `01_what_epsilon_means` shows, in its order: a file a topic."""

from workbench.chapters.what_epsilon_means.attacks import (
    attacker,
    float_noise,
    floats,
    grid_noise,
    suspect,
    suspects,
)
from workbench.chapters.what_epsilon_means.densities import (
    composition,
    noisy_count,
    people,
    posterior,
    two_coins,
    two_outputs,
)
from workbench.chapters.what_epsilon_means.members import tracing
from workbench.study.audit import last_bit

CLAIMS = (
    "what-epsilon-means/attackers-stay-below",
    "what-epsilon-means/losses-become-normal",
    "what-epsilon-means/mutants-are-found",
    "what-epsilon-means/floats-leak",
    "what-epsilon-means/members-are-traced",
    "what-epsilon-means/privacy-hides-members",
    "what-epsilon-means/every-mean-hides-members",
)
