"""`python -m resilience4cata_lint` is `r4c`, of the Python that is named."""

from .cli import command

command()
