"""Annotations: the type as a person would write it, the classes it names, and a shape to compare."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

from resilience4cata.facts import Ref, TypeFact
from resilience4cata.records import dataclass

from .objects import ClassObject, External, Object, Where
from .outside import class_ref, live_class, typing_name
from .syntax import ELLIPSIS
from .terms import Constant, Display, Either, Negative, Path, Subscript, Term, children

if TYPE_CHECKING:
    from .world import World

_UNIONS: Final = frozenset({"typing.Union", "typing.Optional"})

# What says something else of a type than which class it is.
_AROUND: Final = frozenset({"typing.Annotated", "typing.ClassVar", "typing.Final", "dataclasses.InitVar"})

_AWAITABLES: Final = frozenset(
    {"typing.Awaitable", "typing.Coroutine", "collections.abc.Awaitable", "collections.abc.Coroutine"}
)

_FUTURES: Final = frozenset(
    {"asyncio.Task", "asyncio.Future", "asyncio.tasks.Task", "asyncio.futures.Future", "concurrent.futures.Future"}
)

# Old names of built-in generics.
_BUILTIN_ALIASES: Final = frozenset({"List", "Dict", "Set", "FrozenSet", "Tuple", "Type"})


@dataclass(frozen=True, slots=True)
class Shape:
    """A type as far as the linter can compare it: the full name of its class, or the members of a union."""

    name: str = ""
    arguments: tuple[Shape | None, ...] = ()
    members: tuple[Shape | None, ...] = ()


class Annotations:
    """Makes facts of annotations."""

    def __init__(self, world: World) -> None:
        self._world = world

    def fact(self, term: Term | None, where: Where) -> TypeFact | None:
        """The type that an annotation names; None if there is none, or it is more than a type."""
        if term is None:
            return None
        absent = self._absent(term, where)
        term = self._bare(term, where)
        text = self._text(term, where)
        if text is None:
            return None
        return TypeFact(text, self._shape(term, where), self._classes(term, where), absent)

    def cls(self, term: Term, where: Where) -> ClassObject | None:
        """The class of the project that an annotation says an object to be of, if it is there at all: `C`, `C | None`,
        `Annotated[C, …]`, `Final[C]`. A protocol says nothing of the class."""
        while isinstance(term, Subscript) and term.items and self._full_name(term.base, where) in _AROUND:
            term = term.items[0]
        members = [m for m in self._members(term, where) or [term] if not (isinstance(m, Constant) and m.value is None)]
        if len(members) != 1:
            return None
        if members[0] is not term:
            return self.cls(members[0], where)
        found = self._resolved(term.base if isinstance(term, Subscript) else term, where)
        return found if isinstance(found, ClassObject) and not self._world.is_protocol(found) else None

    def _absent(self, term: Term, where: Where) -> str:
        """The first name that exists for type checkers alone, in the order in which names are looked up."""
        if isinstance(term, Path):
            return term.parts[0] if self._world.names.is_for_checkers(term.parts[0], where) else ""
        return next((name for child in children(term) if (name := self._absent(child, where))), "")

    def awaited(self, term: Term | None, where: Where) -> tuple[Term | None, bool | None]:
        """The T of `Awaitable[T]` and True; otherwise the annotation itself and False, or None for futures."""
        if term is None:
            return None, False
        name = self._full_name(term.base if isinstance(term, Subscript) else term, where)
        if name in _AWAITABLES:
            return (term.items[-1] if isinstance(term, Subscript) and term.items else None), True
        return term, None if name in _FUTURES else False

    def _full_name(self, term: Term, where: Where) -> str | None:
        found = self._resolved(term, where)
        return typing_name(found.name) if isinstance(found, External) else None

    def _resolved(self, term: Term, where: Where) -> Object | None:
        return self._world.values.evaluate(term, where) if isinstance(term, Path) and term.parts != ELLIPSIS else None

    def _bare(self, term: Term, where: Where) -> Term:
        while isinstance(term, Subscript) and term.items and self._full_name(term.base, where) == "typing.Annotated":
            term = term.items[0]
        return term

    def _members(self, term: Term, where: Where) -> list[Term] | None:
        """The members of a union, flattened; None for anything else."""
        if isinstance(term, Either):
            parts = [term.left, term.right]
        elif isinstance(term, Subscript) and (name := self._full_name(term.base, where)) in _UNIONS:
            parts = [*term.items, Constant(None)] if name == "typing.Optional" else list(term.items)
        else:
            return None
        return [inner for part in parts for inner in (self._members(part, where) or [self._bare(part, where)])]

    def _text(self, term: Term, where: Where) -> str | None:
        members = self._members(term, where)
        if members is not None:
            return self._joined(members, where, " | ")
        match term:
            case Constant():
                return repr(term.value)
            case Negative():
                return None
            case Path():
                return self._name(term, where)
            case Subscript():
                base, inside = self._text(term.base, where), self._joined(term.items, where, ", ")
                return None if base is None or inside is None else f"{base}[{inside}]"
            case Display(kind="list"):
                inside = self._joined(term.items, where, ", ")
                return None if inside is None else f"[{inside}]"
            case Display(kind="tuple", items=()):
                return "()"
            case _:
                return None

    def _joined(self, terms: list[Term] | tuple[Term, ...], where: Where, separator: str) -> str | None:
        texts = [self._text(self._bare(term, where), where) for term in terms]
        known = [text for text in texts if text is not None]
        return separator.join(known) if len(known) == len(texts) else None

    def _name(self, term: Path, where: Where) -> str:
        found = self._resolved(term, where)
        if isinstance(found, ClassObject):
            return found.facts.name
        last = term.parts[-1]
        if isinstance(found, External):
            name = found.name.rpartition(".")[2]
            last = name.lower() if found.name.startswith("typing.") and name in _BUILTIN_ALIASES else name
        return last

    def _classes(self, term: Term, where: Where) -> tuple[Ref, ...] | None:
        refs = [self._class(member, where) for member in self._members(term, where) or [term]]
        known = [ref for ref in refs if ref is not None]
        return tuple(known) if len(known) == len(refs) else None

    def _class(self, term: Term, where: Where) -> Ref | None:
        if isinstance(term, Constant) and term.value is None:
            return class_ref(type(None))
        found = self._resolved(term.base if isinstance(term, Subscript) else term, where)
        if isinstance(found, ClassObject):
            values: tuple[object, ...] = self._world.values.as_values(found)
        elif isinstance(found, External):
            cls = live_class(found.name)
            if cls is None or (cls.__module__ == "typing" and not issubclass(cls, IO)):
                return None
            values = (class_ref(cls),)
        else:
            return None
        return values[0] if isinstance(values[0], Ref) else None

    def _shape(self, term: Term, where: Where) -> Shape | None:
        members = self._members(term, where)
        if members is not None:
            return Shape(members=tuple(self._shape(member, where) for member in members))
        arguments: tuple[Shape | None, ...] = ()
        if isinstance(term, Subscript):
            arguments = tuple(self._shape(self._bare(item, where), where) for item in term.items)
            term = term.base
        if isinstance(term, Path) and term.parts == ELLIPSIS:
            return Shape("...")
        if isinstance(term, Constant):
            return Shape("builtins.NoneType") if term.value is None else None
        ref = self._class(term, where)
        return None if ref is None else Shape(ref.name, arguments)
