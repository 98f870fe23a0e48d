"""The claims of the chapter, in the order of its notebook."""

from workbench.chapters.what_epsilon_means import attacks, every_mean, last_bits, line_up, losses, members

CLAIMS = (
    *attacks.CLAIMS,
    *losses.CLAIMS,
    *line_up.CLAIMS,
    *last_bits.CLAIMS,
    *members.CLAIMS,
    *every_mean.CLAIMS,
)
