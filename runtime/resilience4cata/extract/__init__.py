"""Live objects -> facts: everything that was recorded so far, as the rules want to see it.

It knows how to see and judges nothing. It is used by `build()` only; importing it loads `inspect`.
"""

from __future__ import annotations

from .extraction import Extraction, extract, inside
from .oracle import LiveTypes
from .places import Places

__all__ = ["Extraction", "LiveTypes", "Places", "extract", "inside"]
