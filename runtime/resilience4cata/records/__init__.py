"""`dataclass`, `field`, `fields` and `replace` as the module `dataclasses` has them, for what is imported often.

A linter starts anew for each run, and the standard decorator compiles up to six methods for every class: that was
half the time of a run over one file. Here classes share their methods, and only `__init__` is compiled, when the first
object is made. Type checkers are shown the standard module, so they know parameters and fields, and see who writes to
what is frozen; at run time nothing stops that, but for the classes that are `sealed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .making import sealed

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
else:
    from .making import dataclass, field, fields, replace

__all__ = ["dataclass", "field", "fields", "replace", "sealed"]
