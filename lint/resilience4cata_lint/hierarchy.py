"""Classes of the project and their bases over all modules: resolution order, subclasses, and what cannot be known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import UNKNOWN, Ref
from resilience4cata.facts.familiar import HARMLESS_CLASS_DECORATORS, ORDINARY_METACLASSES

from .objects import Built, ClassObject, External, Object, Where
from .outside import helper_name, live_class, policy_name
from .symbols import FileFacts
from .terms import Call, Path, Subscript, Term

if TYPE_CHECKING:
    from .world import World

Node = ClassObject | str
"""A class in a resolution order: one of the project, or the full name of one outside; those that begin with "?" are not
known, and may have any base and any attribute."""

# Functions where they are used as bases, so that they have no resolution order of their own.
_FACTORIES: Final = {
    "typing.NamedTuple": ("typing.NamedTuple", "builtins.tuple", "builtins.object"),
    "typing.TypedDict": ("typing.TypedDict", "builtins.dict", "builtins.object"),
}

_TRANSFORMING: Final = frozenset({"enum.Enum", "typing.NamedTuple", "typing.TypedDict"})


# Longer chains of bases are not followed: Python's stack is finite.
_DEEPEST: Final = 80


class Hierarchy:
    """Answers about classes, each worked out once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._orders: dict[ClassObject, tuple[Node, ...]] = {}
        self._depth = 0
        self._outside: dict[str, tuple[str, ...]] = {}
        self._subclasses: dict[ClassObject, list[ClassObject]] | None = None

    def order(self, cls: ClassObject) -> tuple[Node, ...]:
        """The resolution order, itself first. Where Python would refuse the bases, all after itself is unknown."""
        known = self._orders.get(cls)
        if known is None:
            self._orders[cls] = (cls, "?circle")
            if self._depth > _DEEPEST:
                return self._orders[cls]
            self._depth += 1
            bases = list(self._bases(cls)) or ["builtins.object"]
            rest = _merge([*map(self._order_of, bases), bases])
            self._depth -= 1
            known = self._orders[cls] = (cls, "?order") if rest is None else (cls, *rest)
        return known

    def _order_of(self, node: Node) -> list[Node]:
        if isinstance(node, ClassObject):
            return list(self.order(node))
        return list(self._outside.get(node, (node,)))

    def _bases(self, cls: ClassObject) -> Iterator[Node]:
        where = Where(cls.file, cls.facts.scope)
        for term in cls.facts.bases:
            yield self._base(term, where)

    def _base(self, term: Term, where: Where) -> Node:
        if isinstance(term, Subscript):
            term = term.base
        found = self._generic(term) or self._world.values.evaluate(term, where)
        if isinstance(found, ClassObject):
            return found
        if not isinstance(found, External):
            return f"?{term.parts[-1] if isinstance(term, Path) else ''}"
        name = helper_name(found.name) if found.name.startswith("typing") else found.name
        if name in _FACTORIES:
            self._outside[name] = _FACTORIES[name]
            return name
        cls = live_class(found.name)
        if cls is None:
            return f"?{found.name}"
        order = class_names(cls)
        self._outside[order[0]] = order
        return order[0]

    def _generic(self, term: Term) -> External | None:
        # `class Box[T]` has a base that nobody wrote.
        return External("typing.Generic") if term == Path(("typing.Generic",)) else None

    def ancestors(self, cls: ClassObject) -> tuple[str, ...] | None:
        """Full names of the resolution order, or None if a base is not known."""
        names = tuple(node.id if isinstance(node, ClassObject) else node for node in self.order(cls))
        return None if any(name.startswith("?") for name in names) else names

    def ref(self, cls: ClassObject) -> Ref:
        """The class as a value."""
        return Ref(cls.id, True, self.ancestors(cls))

    def subclasses(self, cls: ClassObject) -> Sequence[ClassObject]:
        """Direct and indirect subclasses in the files at hand, in the order of files."""
        if self._subclasses is None:
            found: defaultdict[ClassObject, list[ClassObject]] = defaultdict(list)
            for other in self._world.classes():
                for node in self.order(other)[1:]:
                    if isinstance(node, ClassObject):
                        found[node].append(other)
            self._subclasses = dict(found)
        return self._subclasses.get(cls, ())

    def is_patched(self, cls: ClassObject, name: str | None) -> bool:
        """Whether an attribute of the class is set from outside its body; None asks for computed names."""
        return any(
            owner == cls.facts.name or self._named(owner, file) is cls for file, owner in self._world.patches(name)
        )

    def may_be_added(self, name: str) -> bool:
        """Whether something that may be any class, a parameter for example, has such an attribute set."""
        return any(self._named(owner, file) is UNKNOWN for file, owner in self._world.patches(name))

    def _named(self, owner: str, file: FileFacts) -> Object:
        known = owner in file.scopes[0].bindings
        return self._world.names.name(owner, Where(file, 0), None) if known else UNKNOWN

    def may_have_more(self, cls: ClassObject) -> bool:
        """Whether something may add attributes to the class that its body does not show."""
        if cls.file.scopes[cls.facts.body].open or self.is_patched(cls, None):
            return True
        where = Where(cls.file, cls.facts.scope)
        if any(self._unknown_metaclass(name, term, where) for name, term in cls.facts.keywords):
            return True
        return self.may_be_replaced(cls)

    def may_be_replaced(self, cls: ClassObject) -> bool:
        """Whether a decorator may have put something else in the place of the class."""
        where = Where(cls.file, cls.facts.scope)
        return not all(self._is_harmless(decorator, where) for decorator in cls.facts.decorators)

    def _unknown_metaclass(self, keyword: str | None, term: Term, where: Where) -> bool:
        if keyword is None:
            return True
        if keyword != "metaclass":
            return False
        found = self._world.values.evaluate(term, where)
        return not (isinstance(found, External) and found.name in ORDINARY_METACLASSES)

    def _is_harmless(self, decorator: Term, where: Where) -> bool:
        found = self._world.values.evaluate(decorator, where)
        if isinstance(found, Built):
            return True
        called = self._world.values.evaluate(decorator.function, where) if isinstance(decorator, Call) else found
        if isinstance(called, Built):
            return True
        if not isinstance(called, External):
            return False
        return policy_name(called.name) is not None or helper_name(called.name) in HARMLESS_CLASS_DECORATORS

    def transforms_values(self, cls: ClassObject) -> bool:
        """Whether an attribute of the class may be something else than what its body assigns (members of an Enum)."""
        ancestors = self.ancestors(cls)
        if ancestors is None:
            return True
        return bool(_TRANSFORMING & set(ancestors)) or any(
            isinstance(node, ClassObject) and self.may_have_more(node) for node in self.order(cls)
        )


def class_names(cls: type) -> tuple[str, ...]:
    """The full names of a live class's resolution order."""
    return tuple(f"{c.__module__}.{c.__qualname__}" for c in cls.__mro__)


def _merge(sequences: list[list[Node]]) -> list[Node] | None:
    """C3: the order that keeps all the given orders, or None if there is none."""
    result: list[Node] = []
    pending = [list(sequence) for sequence in sequences if sequence]
    while pending:
        head = next((s[0] for s in pending if not any(s[0] in other[1:] for other in pending)), None)
        if head is None:
            return None
        result.append(head)
        pending = [rest for s in pending if (rest := s[1:] if s[0] == head else s)]
    return result
