"""Callbacks that a builder is given: what cannot be called as an ordinary function is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from resilience4cata import DefinitionError, Resilience, retry
from resilience4cata.events import Event


async def notify(event: Event) -> None: ...


@retry(max_attempts=2)
async def guarded(event: Event) -> None: ...


def plain(event: Event) -> None: ...


class Pager:
    async def ring(self, event: Event) -> None: ...

    async def __call__(self, event: Event) -> None: ...


@pytest.mark.parametrize(
    ("callback", "name"),
    [
        (notify, "notify"),
        (guarded, "guarded"),
        (Pager().ring, "ring"),
        (Pager(), "Pager"),
        (partial(partial(notify)), "notify"),
    ],
)
def test_async_listeners_are_refused(callback: Callable[[Any], object], name: str) -> None:
    """Whatever it is, it is named, and the place is where it was given."""
    builder = Resilience.builder().only("nothing").listener(print).listener(callback)
    with pytest.raises(DefinitionError) as caught:
        builder.build()
    (found,) = caught.value.diagnostics
    assert ("R4C-AS-003", f"listener({name})") == (found.code, found.subject)
    assert f"'{name}' is asynchronous, but it is called and never awaited" == found.message
    assert __file__.endswith(found.at.source)
    assert found.at.column == len("    builder = Resilience.builder().only('nothing').listener(print).listener(") + 1


@pytest.mark.parametrize("callback", [plain, print, [].append, partial(plain), lambda event: (notify(event),)])
def test_other_listeners_are_not(callback: Callable[[Any], object]) -> None:
    """Functions that answer at once, and such as nobody can look into."""
    assert () == Resilience.builder().only("nothing").listener(callback).build().diagnostics


def test_copies_of_a_builder_know_their_listeners() -> None:
    """A copy refuses what the original was given before, and nothing that it was given later."""
    builder = Resilience.builder().only("nothing")
    copy = builder.copy()
    builder.listener(notify)
    copy.build()
    with pytest.raises(DefinitionError):
        builder.copy().build()
