"""The claims of the chapter."""

from workbench.chapters.what_epsilon_means.claims import attacks, currencies, every_mean, leaks

CLAIMS = (*attacks.CLAIMS, *currencies.CLAIMS, *leaks.CLAIMS, *every_mean.CLAIMS)
