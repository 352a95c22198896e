"""What an expression is worth: literals, constants of other modules, durations, policies."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from resilience4cata.facts import UNKNOWN, Interval, Items, Value
from resilience4cata.schema import Unset

from .objects import Builder, Built, ClassObject, External, FunctionObject, Known, Object, Running, Where, one_of, same
from .outside import find, interval_of, is_composer, policy_name, value_of
from .terms import Attribute, Call, Choice, Constant, Display, Named, Negative, Path, Starred, Sum, Term

if TYPE_CHECKING:
    from .world import World

_TIMEDELTA: Final = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")

BUILDER_METHODS: Final = frozenset(
    [
        "clock",
        "config",
        "copy",
        "defaults",
        "executor",
        "handler_factory",
        "instance",
        "listen",
        "listener",
        "locked",
        "only",
        "profiles",
        "random",
        "scan",
        "scheduler",
        "source",
        "strict",
    ]
)
"""Methods of the builder that return it."""


# Terms within terms, through names that stand for others; more than that nobody writes, and Python's stack is finite.
_DEEPEST: Final = 100

# Members of a display, those of displays in it included: names could make them grow without end.
_MOST_MEMBERS: Final = 1000


class Values:
    """Evaluates terms."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._depth = 0
        self._calls: dict[tuple[int, int], Object] = {}

    def evaluate(self, term: Term, where: Where) -> Object:
        """What a term is; UNKNOWN if that cannot be told."""
        if self._depth > _DEEPEST:
            return UNKNOWN
        self._depth += 1
        try:
            return self._evaluated(term, where)
        finally:
            self._depth -= 1

    def _evaluated(self, term: Term, where: Where) -> Object:
        match term:
            case Path():
                return self._world.names.path(term, where)
            case Attribute():
                return self._attribute(term, where)
            case Call():
                # Each call of a chain asks for all that is left of it, more than once.
                key = (id(term), where.scope)
                if key not in self._calls:
                    self._calls[key] = self._call(term, where)
                return self._calls[key]
            case Constant():
                return Known((term.value,))
            case Choice():
                return self._choice(term, where)
            case Named():
                return self.evaluate(term.value, where)
            case Display():
                return Known((self._items(term, where),))
            case Sum():
                return self._sum(term, where)
            case Negative():
                return Known(tuple(_negated(value) for value in self.of(term.value, where)))
            case _:
                return UNKNOWN

    def of(self, term: Term, where: Where) -> tuple[Value | Unset, ...]:
        """The values that a term may have; never empty."""
        return self.as_values(self.evaluate(term, where))

    def as_values(self, found: Object) -> tuple[Value | Unset, ...]:
        """An object as values of an attribute."""
        match found:
            case Known():
                return found.values
            case ClassObject():
                hierarchy = self._world.hierarchy
                return (UNKNOWN if hierarchy.may_be_replaced(found) else hierarchy.ref(found),)
            case FunctionObject():
                return (self._world.definitions.ref(found),)
            case External():
                return (value_of(found.name),)
            case _:
                return (UNKNOWN,)

    def one(self, term: Term, where: Where) -> Value:
        """The only value of a term, or UNKNOWN."""
        values = self.of(term, where)
        value = values[0] if len(values) == 1 else UNKNOWN
        return UNKNOWN if isinstance(value, Unset) else value

    def _choice(self, term: Choice, where: Where) -> Object:
        first, second = self.evaluate(term.first, where), self.evaluate(term.second, where)
        if same(first, second):
            return first
        return one_of((*self.as_values(first), *self.as_values(second)))

    def _items(self, term: Display, where: Where) -> Items:
        items: list[Value] = []
        closed = True
        for item in term.items:
            if not isinstance(item, Starred):
                items.append(self.one(item, where))
                continue
            inner = self.one(item.value, where)
            if isinstance(inner, Items) and inner.kind != "set":
                items.extend(inner.items)
                closed = closed and inner.closed
            else:
                closed = False
        return _display(tuple(items), term.kind, closed)

    def _sum(self, term: Sum, where: Where) -> Object:
        """`BASE + (KeyError,)`: one tuple after the other."""
        left = self.one(term.left, where)
        right = self.one(term.right, where) if isinstance(left, Items) and left.kind == "tuple" else UNKNOWN
        if not isinstance(left, Items) or not isinstance(right, Items) or right.kind != "tuple":
            return UNKNOWN
        return Known((_display((*left.items, *right.items), "tuple", left.closed and right.closed),))

    def _attribute(self, term: Attribute, where: Where) -> Object:
        base = self.evaluate(term.base, where)
        return self._world.names.attribute(base, term.name)

    def _call(self, term: Call, where: Where) -> Object:
        if self.is_builder(term, where):
            return Builder()
        if self._is_built(term, where):
            return Running()
        function = self.evaluate(term.function, where)
        if not isinstance(function, External):
            return UNKNOWN
        policy = policy_name(function.name)
        if policy is not None:
            return Built(self._world.declarations.declaration(policy, term, where))
        if is_composer(function.name):
            return Built(self._world.declarations.composed(term, where))
        if find(function.name) is timedelta:
            interval = self._interval(term, where)
            return UNKNOWN if interval is None else Known((interval,))
        if find(function.name) is float:
            return self._number(term, where)
        return UNKNOWN

    def _number(self, term: Call, where: Where) -> Object:
        """What `float("nan")` and the like give, for which there is no literal."""
        value = self.one(term.arguments[0].value, where) if len(term.arguments) == 1 else UNKNOWN
        try:
            return Known((float(value),)) if isinstance(value, str) else UNKNOWN
        except ValueError:
            return UNKNOWN

    def is_builder(self, term: Call, where: Where) -> bool:
        """Whether a call returns a builder of `Resilience`: the first of a chain, or one that hands it on."""
        function = term.function
        if isinstance(function, Path):
            if function.parts[-1] in BUILDER_METHODS and len(function.parts) > 1:
                owner = Path(function.parts[:-1], function.span)
                return isinstance(self.evaluate(owner, where), Builder)
            found = self.evaluate(function, where) if function.parts[-1] == "builder" else None
            return isinstance(found, External) and _is_of_resilience(found.name, "builder")
        if isinstance(function, Attribute) and function.name in BUILDER_METHODS:
            return isinstance(self.evaluate(function.base, where), Builder)
        return False

    def _is_built(self, term: Call, where: Where) -> bool:
        """Whether a call returns a `Resilience`."""
        function = term.function
        if isinstance(function, Attribute):
            return function.name == "build" and isinstance(self.evaluate(function.base, where), Builder)
        if not isinstance(function, Path) or function.parts[-1] not in {"build", "disabled"}:
            return False
        if function.parts[-1] == "build":
            return isinstance(self.evaluate(Path(function.parts[:-1], function.span), where), Builder)
        found = self.evaluate(function, where)
        return isinstance(found, External) and _is_of_resilience(found.name, "disabled")

    def _interval(self, term: Call, where: Where) -> Interval | None:
        given: dict[str, int | float] = {}
        for index, argument in enumerate(term.arguments):
            value = self.one(argument.value, where)
            positional = _TIMEDELTA[index] if index < len(_TIMEDELTA) and not argument.keyword else None
            name = argument.keyword or positional
            if argument.stars or name not in _TIMEDELTA or name in given or not isinstance(value, int | float):
                return None
            given[name] = value
        try:
            return interval_of(timedelta(**given))
        except (OverflowError, ValueError):
            return None


def _is_of_resilience(name: str, method: str) -> bool:
    return name.startswith("resilience4cata.") and name.endswith(f".Resilience.{method}")


def _display(items: tuple[Value, ...], kind: Literal["tuple", "list", "set"], closed: bool) -> Items:
    if sum(map(_weight, items)) > _MOST_MEMBERS:
        return Items((), kind, closed=False)
    return Items(items, kind, closed)


def _weight(value: Value) -> int:
    return 1 + sum(map(_weight, value.items)) if isinstance(value, Items) else 1


def _negated(value: Value | Unset) -> Value:
    if isinstance(value, Interval):
        return Interval(-value.nanoseconds)
    if isinstance(value, bool | Unset) or not isinstance(value, int | float):
        return UNKNOWN
    return -value
