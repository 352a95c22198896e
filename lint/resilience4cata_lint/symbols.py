"""What one file says by itself: its scopes, names, definitions, and the calls that may be policies of ours.

All records are plain data, made from one file without looking at any other, so that they can be cached under its hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from resilience4cata.facts import At, ParameterKind
from resilience4cata.records import dataclass, field

from .terms import Call, Position, Span, Term


@dataclass(frozen=True, slots=True)
class Imported:
    """A name bound by an import: to the module, or to `name` of it."""

    module: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Defined:
    """A name bound by `def` or `class`: an index into the file's functions or classes."""

    kind: Literal["function", "class"]
    index: int


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name bound to the value of an expression. `annotated` is True for `name: Type = value`."""

    value: Term
    annotated: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds a name; `to` is None where nobody knows to what (parameters, loops, `del`).

    `position` is where the binding has happened. `conditional` ones may not happen at all; `anytime` ones may happen
    before what stands above them (loops, `global` in functions); those `for_checkers` never happen at run time.
    """

    to: Imported | Defined | Assigned | None
    position: Position
    conditional: bool = False
    anytime: bool = False
    for_checkers: bool = False


@dataclass(frozen=True, slots=True)
class Star:
    """`from module import *`."""

    module: str
    position: Position


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """The names of one scope. `prefix` is what qualified names of its definitions begin with ("make.<locals>", "").

    `open` scopes may have names that cannot be seen (`exec`, `globals()[…] = `, `setattr` on the class). `declared` are
    names that one annotation says to hold what may be an object of a class of the project.
    """

    kind: Literal["module", "class", "function"]
    prefix: str
    parent: int | None
    bindings: Mapping[str, tuple[Binding, ...]]
    stars: tuple[Star, ...] = ()
    open: bool = False
    declared: Mapping[str, Term] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """A parameter as written; `annotation` is None if there is none."""

    name: str
    kind: ParameterKind
    required: bool
    annotation: Term | None = None


@dataclass(frozen=True, slots=True)
class CallFacts:
    """A call in a function's own body; the fields are those of `facts.Call`."""

    function: Term
    span: Span
    keywords: tuple[str, ...] = ()
    positional: int = 0
    open: bool = False
    given: tuple[str, ...] = ()
    loops: tuple[int, ...] = ()
    tries: tuple[int, ...] = ()
    awaited: bool = False
    returned: bool = False
    entered: bool = False
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class HandlerFacts:
    """An `except`; `types` is None for a bare one. `calls` are those in it that might raise something themselves."""

    types: tuple[Term, ...] | None
    effect: Literal["swallowed", "converted", "raised again", "unknown"]
    span: Span
    raised: Term | None = None
    calls: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class TryFacts:
    """A `try` with handlers; the fields are those of `facts.Try`."""

    handlers: tuple[HandlerFacts, ...]
    span: Span
    all_of_it: bool
    leaves: bool
    loops: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """What a function does. `made` are local names with the calls whose values they hold or whose contexts they are;
    `attributes` are those that it sets on the instance, with what it sets them to, `declared` those that it annotates.
    `handed_on` are names of nested functions and made objects that are used in another way than to call them."""

    calls: tuple[CallFacts, ...] = ()
    tries: tuple[TryFacts, ...] = ()
    loops: tuple[Span, ...] = ()
    returns_calls: bool = False
    consumed: tuple[str, ...] = ()
    made: tuple[tuple[str, Term], ...] = ()
    handed_on: tuple[str, ...] = ()
    attributes: tuple[tuple[str, Term], ...] = ()
    declared: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function. `scope` is the one that it stands in, `body` its own; a `stub` does nothing, and one that `delegates`
    asks something, such as `super()`, for an attribute of its own name. `unbound` tells for each decorator whether it
    uses `self` or `cls` where nothing is called so ("" for no)."""

    name: str
    qualified: str
    scope: int
    body: int
    name_span: Span
    position: Position
    decorators: tuple[Term, ...]
    parameters: tuple[ParameterFacts, ...]
    result: Term | None
    is_async: bool
    yields: bool
    stub: bool
    delegates: bool
    conditional: bool
    does: BodyFacts = BodyFacts()
    unbound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class. `scope` is the one that it stands in, `body` its own. `keywords` are those after the bases."""

    name: str
    qualified: str
    scope: int
    body: int
    name_span: Span
    position: Position
    decorators: tuple[Term, ...]
    bases: tuple[Term, ...]
    keywords: tuple[tuple[str | None, Term], ...]
    conditional: bool


@dataclass(frozen=True, slots=True)
class Site:
    """A call that may be a policy of ours, or hold one; `variable` is the qualified name that its value is bound to.

    `discarded` tells that it is a statement by itself.
    """

    call: Call
    scope: int
    variable: str | None = None
    discarded: bool = False


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything about one file. Scope 0 is the module.

    `patched` are attributes of classes that are set from outside ("Client", "find"), with None for names that are
    computed. `exports` are the names of the module that may lead to the library. `bounds_sockets` tells that it sets
    how long new sockets wait.
    """

    path: str
    module: str
    is_package: bool
    scopes: tuple[ScopeFacts, ...]
    functions: tuple[FunctionFacts, ...]
    classes: tuple[ClassFacts, ...]
    sites: tuple[Site, ...]
    patched: frozenset[tuple[str, str | None]] = frozenset()
    public: tuple[str, ...] | None = None
    exports: tuple[str, ...] = field(default=())
    bounds_sockets: bool = False

    def at(self, span: Span) -> At:
        """A place in this file."""
        return At(self.path, *span)

    def variable_at(self, span: Span) -> str | None:
        """The qualified name that the value of the call at `span` is bound to."""
        return next((site.variable for site in self.sites if site.call.span == span), None)

    def full_name(self, qualified: str) -> str:
        """The full dotted name of what is called `qualified` in this file."""
        return ".".join(filter(None, (self.module, qualified)))

    def scope_id(self, scope: int) -> str:
        """The full name of a class, a module, or the function whose locals a scope holds."""
        return self.full_name(self.scopes[scope].prefix.removesuffix(".<locals>"))
