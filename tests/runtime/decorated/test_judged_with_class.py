"""What stands on a class, or on a contract, is judged with the first call of a method that it reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from resilience4cata import DefinitionError

from ..live import Application
from .late import told
from .running import running

LATE = """
    import abc
    from typing import Protocol
    from resilience4cata import *

    @timeout("soon")
    class Client:
        def find(self): return "found"
        @retry()
        def tried(self): return "found"
        @unguarded
        def free(self): return "free"
        @retry()
        def _private(self): return "private"

    class Below(Client):
        def more(self): return "more"

    class Contract(abc.ABC):
        @abc.abstractmethod
        @timeout("soon")
        def find(self): ...

    class Implementing(Contract):
        def find(self): return "found"

    class Base:
        @timeout("soon")
        def find(self): return "found"

    class Taking(Base):
        @inherit_policies
        def find(self): return "taken"

    class Losing(Base):
        def find(self): return "lost"

    class Shape(Protocol):
        @timeout("soon")
        def find(self) -> str: ...

    class Shaped(Shape):
        def find(self): return "found"

    @fallback(method="nothing")
    class Falling:
        def find(self): return "found"

    def make():
        @timeout("soon")
        class Local:
            def find(self): return "found"
        return Local()
"""
REFUSED: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda m: m.Client().find, "R4C-DU-001", '@timeout("soon") on late.Client'),
    (lambda m: m.Client().tried, "R4C-DU-001", '@timeout("soon") on late.Client'),
    (lambda m: m.Below().more, "R4C-DU-001", '@timeout("soon") on late.Client'),
    (lambda m: m.Below().find, "R4C-DU-001", '@timeout("soon") on late.Client'),
    (lambda m: m.Implementing().find, "R4C-DU-001", '@timeout("soon") on late.Contract.find'),
    (lambda m: m.Taking().find, "R4C-DU-001", '@timeout("soon") on late.Base.find'),
    (lambda m: m.Shaped().find, "R4C-DU-001", '@timeout("soon") on late.Shape.find'),
    (lambda m: m.Falling().find, "R4C-FB-002", '@fallback(method="nothing") on late.Falling'),
    (lambda m: m.make().find, "R4C-DU-001", '@timeout("soon") on late.make.<locals>.Local'),
]
SUSPICIOUS = """
    from resilience4cata import *

    @retry(max_attempts=4, max_duration="3s")
    @timeout("2s")
    class Client:
        def find(self): return "found"
        def other(self): return "other"

    class Below(Client):
        def more(self): return "more"
"""


@pytest.mark.parametrize(("given", "code", "subject"), REFUSED)
def test_errors(app: Application, given: Any, code: str, subject: str) -> None:
    """They were told as a classifier that cannot be made, or by what failed for them."""
    with running("late"):
        call = given(app.load("late", LATE))
        for _ in range(2):
            with pytest.raises(DefinitionError) as caught:
                call()
            assert [(code, subject)] == [(d.code, d.subject) for d in caught.value.diagnostics]


def test_what_is_not_reached_runs(app: Application) -> None:
    with running("late"):
        late = app.load("late", LATE)
        client = late.Client()
        assert ("free", "private", "lost") == (client.free(), client._private(), late.Losing().find())


def test_says_what_the_check_says(app: Application) -> None:
    with running("late") as resilience:
        late = app.load("late", LATE)
        with pytest.raises(DefinitionError) as called:
            late.Client().find()
        with pytest.raises(DefinitionError) as checked:
            resilience.check()
        assert set(called.value.diagnostics) < set(checked.value.diagnostics)


def test_warnings(app: Application) -> None:
    """One for the class, as the check says it, not one for each method."""
    with running("late") as resilience:
        late = app.load("late", SUSPICIOUS)
        with told() as given:
            assert ("found", "other", "more") == (late.Client().find(), late.Client().other(), late.Below().more())
        assert ['late.py:4:10: warning: [R4C-TB-002] @timeout("2s") on late.Client:'] == given
        known = resilience.diagnostics
        with told() as again:
            resilience.check()
        assert [] == again
        assert known == resilience.diagnostics


@pytest.mark.parametrize(
    "below", ["abc.abstractmethod", "typing.final", "unguarded", "inherit_policies", "staticmethod", "classmethod"]
)
@pytest.mark.parametrize("late", [True, False])
def test_generator_under_what_keeps_it(app: Application, below: str, late: bool) -> None:
    """Decorators that give back what they stand on do not make another function of a generator."""
    text = f"""
        import abc, typing
        from resilience4cata import *

        class Client(abc.ABC):
            @{below}
            @retry()
            def items(*_): yield 1

        class Below(Client):
            if {below.endswith("abstractmethod")}:
                def items(self): yield 2
    """
    if late:
        with running("late"), pytest.raises(DefinitionError) as caught:
            app.load("late", text).Below().items()
        assert ["R4C-LOC-003"] == [d.code for d in caught.value.diagnostics]
    else:
        app.load("late", text)
        assert "R4C-LOC-003" in [d.code for d in app.diagnostics("late")]
