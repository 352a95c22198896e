"""The linter of resilience4cata: the command `r4c`."""
