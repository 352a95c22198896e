"""The mypy plugin of resilience4cata: `plugins = ["resilience4cata_mypy"]` in mypy's configuration."""

# mypy's compiled modules import each other in circles; entered here, the circle closes.
import mypy.types  # noqa: F401  isort: skip

from .plugin import plugin

# The daemon compares this between runs to learn that it must start afresh; `cache` changes it, and says when.
__version__ = "1"

__all__ = ["plugin"]
