"""Names that people give: of templates, composed policies and instances."""

from __future__ import annotations

import re
from typing import Final

from ..config.grammar import NAME

FORM: Final = "lower-case letters and digits, words joined by '-'"


def well_formed(name: str) -> bool:
    """Whether a name can be part of configuration keys and of environment variables as it is."""
    return NAME.fullmatch(name) is not None


def repaired(name: str) -> tuple[str, ...]:
    """The name with its words joined as they should be, if nothing but case and separators was wrong."""
    if not re.fullmatch(r"[A-Za-z0-9_. -]+", name):
        return ()
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    joined = re.sub(r"[_. -]+", "-", words).strip("-").lower()
    return (joined,) if well_formed(joined) else ()
