"""Records behave as the standard dataclasses do, in all that the project uses of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from resilience4cata.records import dataclass, field, making, replace, sealed


def classes(maker: Any) -> SimpleNamespace:
    """The same classes, made by one of the two."""

    @maker.dataclass(frozen=True, slots=True, order=True)
    class Place:
        source: str
        line: int = 0
        note: str = maker.field(default="", compare=False, repr=False)

        LAST: ClassVar[int] = 9

        @property
        def next_line(self) -> int:
            return self.line + 1

    @maker.dataclass(frozen=True, slots=True)
    class Region(Place):
        end: int = 0

    @maker.dataclass(slots=True)
    class Collected:
        names: list[str] = maker.field(default_factory=list)
        seen: set[str] = maker.field(default_factory=set, init=False)
        count: int = maker.field(default=3, init=False)

    @maker.dataclass(frozen=True, slots=True, eq=False)
    class Unique:
        name: str

    @maker.dataclass(frozen=True)
    class Open:
        name: str

    @maker.dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @maker.dataclass(slots=True)
    class Node:
        inner: Any = None

        def __repr__(self) -> str:
            return "a node"

    @maker.dataclass(slots=True)
    class Knot:
        inner: Any = None

    made = (Place, Region, Collected, Unique, Open, Empty, Node, Knot)
    return SimpleNamespace(**{each.__name__: each for each in made})


OURS, THEIRS = classes(making), classes(dataclasses)


def outcome(of: Any, made: SimpleNamespace) -> object:
    """What a function of the classes gives, or how it fails."""
    try:
        return of(made)
    except (TypeError, AttributeError) as error:
        return type(error)


SAME = {
    "positional": lambda c: c.Place("a", 2).line,
    "named": lambda c: c.Place(line=2, source="a").source,
    "default": lambda c: c.Place("a").line,
    "constant of the class": lambda c: (c.Place.LAST, c.Place("a").LAST),
    "property": lambda c: c.Place("a", 4).next_line,
    "repr leaves out": lambda c: repr(c.Place("a", 2, "n")).rpartition(".")[2],
    "repr of none": lambda c: repr(c.Empty()).rpartition(".")[2],
    "own repr": lambda c: repr(c.Node()),
    "equal": lambda c: c.Place("a", 2) == c.Place("a", 2),
    "equal but for what is not compared": lambda c: c.Place("a", 2, "x") == c.Place("a", 2, "y"),
    "not equal": lambda c: c.Place("a", 2) == c.Place("a", 3),
    "of another class": lambda c: c.Place("a", 2) == c.Region("a", 2),
    "something else": lambda c: c.Place("a", 2) == ("a", 2, ""),
    "none to compare": lambda c: c.Empty() == c.Empty(),
    "same hash": lambda c: len({c.Place("a", 2, "x"), c.Place("a", 2, "y"), c.Place("a", 3)}),
    "hash of a mutable one": lambda c: hash(c.Collected()),
    "compared by identity": lambda c: (c.Unique("a") == c.Unique("a"), len({c.Unique("a"), c.Unique("a")})),
    "sorted": lambda c: [place.line for place in sorted([c.Place("b", 1), c.Place("a", 3), c.Place("a", 2)])],
    "less": lambda c: (c.Place("a") < c.Place("b"), c.Place("a") <= c.Place("a")),
    "greater": lambda c: (c.Place("a") > c.Place("b"), c.Place("a") >= c.Place("a")),
    "order of another class": lambda c: c.Place("a") < c.Region("b"),
    "no order": lambda c: c.Open("a") < c.Open("b"),
    "inherited field": lambda c: c.Region("a", 2, "n", 5).end,
    "inherited order of fields": lambda c: c.Region.__match_args__,
    "fields that are not given": lambda c: c.Collected.__match_args__,
    "own list": lambda c: c.Collected().names is c.Collected().names,
    "given list": lambda c: c.Collected(["a"]).names,
    "not for init": lambda c: (c.Collected().seen, c.Collected().count),
    "refused by init": lambda c: c.Collected(seen={"a"}),
    "too few": lambda c: c.Place(),
    "too many": lambda c: c.Place("a", 1, "n", 2),
    "unknown": lambda c: c.Place("a", lime=1),
    "slots": lambda c: hasattr(c.Place("a"), "__dict__"),
    "slots of a subclass": lambda c: (c.Region.__slots__, hasattr(c.Region("a"), "__dict__")),
    "no slots": lambda c: vars(c.Open("a")),
    "names": lambda c: (c.Place.__name__, c.Place.__module__),
    "pickled by copy": lambda c: copy.copy(c.Place("a", 2)) == c.Place("a", 2),
    "deep copy": lambda c: copy.deepcopy(c.Collected(["a"])).names,
}


@pytest.mark.parametrize("of", SAME.values(), ids=SAME)
def test_as_standard(of: Any) -> None:
    assert outcome(of, OURS) == outcome(of, THEIRS)


@pytest.mark.parametrize("change", [{"line": 7}, {"source": "b", "note": "x"}, {}, {"lime": 1}], ids=str)
def test_replace_as_standard(change: dict[str, Any]) -> None:
    ours, theirs = OURS.Place("a", 2, "n"), THEIRS.Place("a", 2, "n")

    def shown(maker: Any, place: Any) -> object:
        try:
            changed = maker.replace(place, **change)
        except TypeError:
            return TypeError
        return changed.source, changed.line, changed.note

    assert shown(making, ours) == shown(dataclasses, theirs)


def test_replace_keeps_what_init_does_not_take() -> None:
    """What `__init__` does not take is made anew, as the standard `replace` does."""
    collected = OURS.Collected(["a"])
    collected.seen.add("a")
    assert (["b"], set()) == ((changed := making.replace(collected, names=["b"])).names, changed.seen)


def test_a_record_in_itself_is_shown() -> None:
    knot = OURS.Knot()
    knot.inner = knot
    assert repr(knot).endswith(".Knot(inner=...)")


def test_fields_in_order() -> None:
    assert ["source", "line", "note", "end"] == [each.name for each in making.fields(OURS.Region)]
    assert ["source", "line", "note", "end"] == [each.name for each in making.fields(OURS.Region("a"))]


@dataclass(frozen=True, slots=True)
class Kept:
    """At the top of a module, so that it can be pickled."""

    name: str
    parts: tuple[Any, ...] = ()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    kept = Kept("a", (Kept("b"),))
    assert kept == pickle.loads(pickle.dumps(kept, protocol))


@sealed
@dataclass(frozen=True, slots=True, order=True)
class Held:
    """What a user may hold."""

    name: str
    parts: tuple[Any, ...] = field(default=(), compare=False)
    marks: list[str] = field(default_factory=list)


@sealed
@dataclass(frozen=True, slots=True)
class HeldMore(Held):
    more: int = 0


class TestSealed:
    @pytest.mark.parametrize("held", [Held("a", (1,), ["m"]), HeldMore("a", (1,), ["m"], 2)], ids=repr)
    def test_nobody_writes(self, held: Held) -> None:
        with pytest.raises(AttributeError, match=r"^cannot assign to field 'name'$"):
            held.name = "b"  # type: ignore[misc]
        with pytest.raises(AttributeError, match=r"^cannot assign to field 'other'$"):
            held.other = "b"  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match=r"^cannot delete field 'name'$"):
            del held.name
        assert "a" == held.name

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle(self, protocol: int) -> None:
        held = HeldMore("a", (Held("b"),), ["m"], 2)
        again = pickle.loads(pickle.dumps(held, protocol))
        assert (held, held.parts) == (again, again.parts)

    def test_copies(self) -> None:
        held = HeldMore("a", (Held("b"),), ["m"], 2)
        assert held == copy.copy(held) == copy.deepcopy(held) == replace(held)
        assert held.marks is copy.copy(held).marks
        assert held.marks is not copy.deepcopy(held).marks
        assert HeldMore("c", (), ["m"], 2) == replace(held, name="c")

    def test_values(self) -> None:
        assert (Held("a"), 1, True) == (Held("a", (1,)), len({Held("a", marks=[]).name}), Held("a") < Held("b"))
        assert "HeldMore(name='a', parts=(), marks=[], more=0)" == repr(HeldMore("a"))


def test_init_is_compiled_with_the_first_object() -> None:
    """A class that nobody makes objects of costs nothing; each class of a family has its own."""
    made = classes(making)
    made.Region("a", 1, "n", 2)
    assert "late_init" == made.Place.__init__.__name__
    assert "__init__" == made.Region.__init__.__name__
    assert 3 == made.Place("a", 3).line


def test_threads_that_make_first_objects_at_once() -> None:
    """One has found the `__init__` that compiles, and another has replaced it meanwhile."""
    made = classes(making)
    late = made.Region.__init__
    place = made.Region("shop.py", 1, end=2)
    same = object.__new__(made.Region)
    late(same, "shop.py", 1, end=2)
    assert place == same


def test_the_linter_does_without_the_standard_module() -> None:
    """Neither `dataclasses` nor what it imports is loaded on the way to a finding."""
    program = (
        "import sys, resilience4cata.rules, resilience4cata_lint.engine, resilience4cata_lint.extract\n"
        "resilience4cata.rules.all_rules()\n"
        "print('dataclasses' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "False\n" == result.stdout
