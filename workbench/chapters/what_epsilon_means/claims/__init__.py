"""The claims of the chapter."""

from workbench.chapters.what_epsilon_means.claims import attacks, leaks

CLAIMS = (*attacks.CLAIMS, *leaks.CLAIMS)
