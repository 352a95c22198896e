"""Running calls by settings that were checked, and going on with others while calls run."""

from __future__ import annotations

from .checking import Checked, Recipe
from .decorated import Counting, Decorated
from .parts import Parts
from .running import Running

__all__ = ["Checked", "Counting", "Decorated", "Parts", "Recipe", "Running"]
