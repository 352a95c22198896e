"""Policies that were applied to what is neither a function nor a class."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..facts import Astray
from ..policies.applying import Nothing
from ..policies.recorded import Recorded, function_of, is_a
from ..rules.words import show
from .policies import PolicyFacts
from .values import value_of


def astray(recorded: Recorded, chosen: Callable[[str], bool], policies: PolicyFacts) -> Iterator[Astray]:
    """Each such policy of the chosen modules. What is called, or belongs to a class, may well be guarded there."""
    for application in recorded.all():
        anchor = application.anchor()
        if anchor is None or not chosen(application.module) or is_a(anchor, type) or function_of(anchor) is not None:
            continue
        applied = policies.applied(application)
        if applied is not None:
            yield Astray(applied, "" if _may_be_guarded(anchor) else _shown(anchor))


def _may_be_guarded(target: object) -> bool:
    return callable(target) or hasattr(type(target), "__get__")


def _shown(target: object) -> str:
    known = value_of(None if is_a(target, Nothing) else target)
    is_plain = known is None or isinstance(known, str | int | float)
    return show(known) if is_plain else f"an object of {type(target).__qualname__}"
