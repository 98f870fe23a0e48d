"""The claims of the chapter."""

from workbench.chapters.what_epsilon_means.claims import attacks, every_mean, leaks

CLAIMS = (*attacks.CLAIMS, *leaks.CLAIMS, *every_mean.CLAIMS)
