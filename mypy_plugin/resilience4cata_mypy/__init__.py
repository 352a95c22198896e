"""The mypy plugin of resilience4cata: `plugins = ["resilience4cata_mypy"]` in mypy's configuration."""

# mypy's compiled modules import each other in circles; entered here, the circle closes.
import mypy.types  # noqa: F401  isort: skip

from resilience4cata.identity import own_version

from .cache import FOLDERS
from .plugin import plugin

# mypy stores this with its cache, which holds our messages too: other rules make it stale. The daemon compares it
# between runs to learn that it must start afresh; `cache` changes it for that, and says when.
__version__ = own_version(FOLDERS)

__all__ = ["plugin"]
