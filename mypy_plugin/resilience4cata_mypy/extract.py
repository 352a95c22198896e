"""mypy's nodes and types -> facts: policies as they were written, and the definitions that carry them.

Nothing is judged here. What mypy does not know for certain becomes UNKNOWN or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mypy.nodes import (
    ARG_NAMED,
    ARG_POS,
    ARG_STAR,
    ARG_STAR2,
    AssignmentExpr,
    CallExpr,
    ClassDef,
    Context,
    Decorator,
    Expression,
    FuncDef,
    MemberExpr,
    NameExpr,
    RefExpr,
    TypeInfo,
    Var,
)
from mypy.types import CallableType, Instance, ProperType, get_proper_type

from resilience4cata.facts import (
    UNKNOWN,
    Applied,
    At,
    Composed,
    Declaration,
    Definition,
    Foreign,
    Items,
    NotAPolicy,
    Ref,
    Signature,
    Slot,
    Unknown,
    Value,
)
from resilience4cata.facts import Decorator as DecoratorFact
from resilience4cata.schema import POLICIES

from . import internals, values
from .carried import COMPOSED, POLICY_CLASSES, policy_of, without_facts
from .consumption import takes_streams
from .expressions import Expressions
from .hidden import is_field, is_rebound_name
from .index import FileIndex
from .intervals import kept_length
from .naming import KEEP_SIGNATURE, foreign_name, is_abstract, kind_of, names_policy_class, policy_class
from .signatures import is_awaitable, returned_future, signature_of
from .walk import span


class Reader:
    """Reads one file. `classes` collects the classes that were referred to, for questions about types."""

    def __init__(self, checker: internals.Checker, index: FileIndex) -> None:
        self.checker = checker
        self.index = index
        self.classes: values.Classes = {}
        self._expressions = Expressions(index.assigned, self._kept_length, self._is_rebound, self.classes)
        self._being_read: set[str] = set()
        # One policy for each variable, however often it is applied: rules tell where a value is from by what holds it.
        self._held: dict[str, Declaration | Composed | None] = {}

    def depend_on(self, info: TypeInfo, names: Iterable[str] = ()) -> None:
        """What is read here depends on a class and these names in it, although the code itself may not name them."""
        internals.depend_on(self.checker, info, names)

    # ------------------------------------------------------------ places

    def at(self, node: Context) -> At:
        """The place of a node; columns still as mypy's parser counts, `report` makes characters of them."""
        line, column, end_line, end_column = span(node)
        return At(self.index.path, line, column + 1, end_line, end_column + 1)

    def name_at(self, node: FuncDef | ClassDef) -> At:
        """The place of the name in a definition's first line."""
        keyword = "class " if isinstance(node, ClassDef) else "async def " if node.is_coroutine else "def "
        if isinstance(node, FuncDef) and node.is_async_generator:
            keyword = "async def "
        column = node.column + 1 + len(keyword)
        return At(self.index.path, node.line, column, node.line, column + len(node.name))

    def _kept_length(self, variable: Var) -> Value:
        return kept_length(variable, self.checker)

    def _is_rebound(self, name: RefExpr) -> bool:
        return is_rebound_name(name, self.index, self.checker)

    def _read(self, argument: Expression) -> values.Written:
        typ = internals.type_of(self.checker, argument)
        if isinstance(argument, MemberExpr) and isinstance(typ, Instance) and typ.last_known_value is not None:
            owner = internals.type_of(self.checker, argument.expr)
            typ = None if isinstance(owner, Instance) and is_field(owner.type, argument.name) else typ
        return self._expressions.read(argument, typ)

    def value(self, argument: Expression) -> Value:
        """The one value of an argument, UNKNOWN if it may have others."""
        written = self._read(argument)
        return written.values[0] if len(written.values) == 1 and written.certain else UNKNOWN

    # ------------------------------------------------------------ policies

    def made(self, call: CallExpr) -> Declaration | Composed | None:
        """The policy that a call makes, None if it makes none."""
        cls = self._class_of(call.callee)
        if cls is None:
            return None
        return self.composed(call) if cls == COMPOSED else self.declaration(POLICY_CLASSES[cls], call)

    def declaration(self, policy: str, call: CallExpr) -> Declaration:
        """A policy as written in place: `retry(max_attempts=3)`."""
        slots: dict[str, Slot] = {}
        closed = True
        positional: list[Expression] = []
        for argument, kind, name in zip(call.args, call.arg_kinds, call.arg_names, strict=True):
            if kind in {ARG_STAR, ARG_STAR2}:
                closed = False
            elif kind is ARG_NAMED and name is not None:
                self._add(slots, name, argument)
            elif kind is ARG_POS:
                positional.append(argument)
        if policy == "order":
            slots |= self._layers(positional, closed=closed)
        else:
            for name, argument in zip(POLICIES[policy].positional, positional, strict=False):
                self._add(slots, name, argument)
        return Declaration(policy, slots, self.at(call), closed)

    def _add(self, slots: dict[str, Slot], name: str, argument: Expression) -> None:
        if values.is_unset(argument):
            return
        written = self._read(argument)
        if written.values:
            slots[name] = Slot(written.values, self.at(argument), written.certain)

    def _layers(self, layers: Sequence[Expression], *, closed: bool) -> dict[str, Slot]:
        if not layers:
            return {}
        single = tuple(map(self.value, layers))
        first, last = self.at(layers[0]), self.at(layers[-1])
        at = At(first.source, first.line, first.column, last.end_line, last.end_column)
        return {"layers": Slot((Items(single, closed=closed),), at)}

    def composed(self, call: CallExpr) -> Composed:
        """A composed policy as written in place: `resilience_policy("external-call", …)`."""
        closed = True
        name: Slot | None = None
        members: list[Declaration | Composed | NotAPolicy | Unknown] = []
        for argument, kind, keyword in zip(call.args, call.arg_kinds, call.arg_names, strict=True):
            if kind in {ARG_STAR, ARG_STAR2}:
                closed = False
            elif name is None and (kind is ARG_POS or keyword == "name"):
                written = self._read(argument)
                name = Slot(written.values or (UNKNOWN,), self.at(argument), written.certain)
            elif kind is ARG_POS:
                members.append(self.policy(argument) or UNKNOWN)
        unknown = Slot((UNKNOWN,), self.at(call))
        return Composed(name or unknown, tuple(members), self.at(call), self.index.variable_of(call), closed)

    def _class_of(self, callee: Expression) -> str | None:
        """The class of ours that an expression names, also one that `R, T = retry, timeout` gives a name to."""
        cls = policy_class(callee)
        if cls is None and names_policy_class(callee) and isinstance(callee, RefExpr) and callee.node is not None:
            value = self.index.assigned(callee.node.fullname)
            return policy_class(value) if value is not None else None
        return cls

    def policy(self, expression: Expression) -> Declaration | Composed | None:
        """The policy that an expression is; None if it is none of ours or something that may be any of them."""
        if isinstance(expression, AssignmentExpr):
            return self.policy(expression.value)
        if isinstance(expression, CallExpr):
            made = self.made(expression)
            if made is not None:
                return made
        if isinstance(expression, RefExpr):
            return self._referred(expression)
        # Anything else may give another value each time: a condition, a function of the user's.
        typ = internals.type_of(self.checker, expression)
        return policy_of(without_facts(typ)) if typ is not None else None

    def _referred(self, expression: RefExpr) -> Declaration | Composed | None:
        """The policy that a name stands for: read where it is written if that is in this file, else from its type."""
        if isinstance(expression.node, Var):
            variable = expression.node.fullname
            call = self.index.value_of(variable)
            if variable in self._held:
                return self._held[variable]
            if call is not None and variable not in self._being_read:
                self._being_read.add(variable)
                try:
                    self._held[variable] = self.made(call)
                finally:
                    self._being_read.discard(variable)
                return self._held[variable]
        typ = internals.type_of(self.checker, expression)
        if typ is None and isinstance(expression.node, Var) and expression.node.type is not None:
            typ = get_proper_type(expression.node.type)
        if self._may_have_changed(expression):
            typ = None if typ is None else without_facts(typ)
        return policy_of(typ)

    def _may_have_changed(self, expression: RefExpr) -> bool:
        """Whether a name that this file imports is also bound to something else here."""
        if not isinstance(expression, NameExpr):
            return False
        return self.index.is_rebound(f"{self.index.module}.{expression.name}")

    # ------------------------------------------------------------ decorators

    def decorators(self, expressions: Sequence[Expression]) -> tuple[DecoratorFact, ...]:
        """A list of decorators, outermost first."""
        return tuple(self._decorator(expression) for expression in expressions)

    def _decorator(self, expression: Expression) -> DecoratorFact:
        policy = self.policy(expression)
        if policy is not None:
            is_made_here = isinstance(expression, CallExpr) and policy.at.line
            return Applied(policy, policy.at if is_made_here else self.at(expression))
        called = expression.callee if isinstance(expression, CallExpr) else None
        inner = self.policy(called) if called is not None else None
        if isinstance(inner, Composed):
            return Applied(inner, self.at(expression), called_again=True)
        cls = self._class_of(expression)
        if cls is not None and cls in POLICY_CLASSES:
            at = self.at(expression)
            return Applied(Declaration(POLICY_CLASSES[cls], {}, at, called=False), at)
        return Foreign(foreign_name(called if called is not None else expression), self.at(expression))

    # ------------------------------------------------------------ definitions

    def function(
        self, node: FuncDef, wrapper: Decorator | None, owner: TypeInfo | None, *, as_target: bool = True
    ) -> Definition:
        """A function or method of this file, seen on the class `owner` (its own one, or one below it).

        `as_target` is False for one that is looked at because of its own policies.
        """
        decorators = self.decorators(wrapper.original_decorators) if wrapper is not None else ()
        # Only few policies are compared with what they stand on, and signatures are the dearest part of all this.
        compared = as_target or any(_is_compared(d.policy) for d in decorators if isinstance(d, Applied))
        compared = compared or takes_streams(node)
        # What stands further out than its policies does not change what they see of it.
        start = 0 if as_target else _innermost(decorators)
        below = decorators[start:] if start is not None else None
        inner = wrapper.original_decorators[start:] if wrapper is not None and start else None
        name = self.index.name_of(node)
        return Definition(
            name,
            node.name,
            name.rpartition(".")[0].removesuffix(".<locals>"),
            kind_of(node),
            self.name_at(node),
            self.signature(node, wrapper, below, owner, inner=inner) if compared and below is not None else None,
            self.is_async(node, wrapper, below, inner=inner) if below is not None else None,
            node.is_generator or node.is_async_generator,
            is_abstract(node),
            decorators,
            future=self.future(node, decorators),
            coroutine=node.is_coroutine,
            of_protocol=bool(node.info) and node.info.is_protocol,
        )

    def future(self, node: FuncDef, decorators: Sequence[DecoratorFact]) -> Ref | None:
        """The class of the future that a plain `def` is annotated to return, where nothing foreign changes that."""
        if node.is_coroutine or not all(_keeps_signature(d) for d in decorators):
            return None
        return returned_future(internals.declared_type(self.checker, node))

    def signature(
        self,
        node: FuncDef,
        wrapper: Decorator | None,
        decorators: Sequence[DecoratorFact] | None,
        owner: TypeInfo | None,
        *,
        implements_overloads: bool = False,
        inner: Sequence[Expression] | None = None,
    ) -> Signature | None:
        """How a definition is called; `decorators` is None where they are not known, so that only the result counts.

        `inner` are the expressions of these decorators if there are more further out, which are not to count. mypy
        marks the implementation of overloads like one of them; who knows better `implements_overloads`.
        """
        is_overload = node.is_overload or (wrapper is not None and wrapper.is_overload)
        if is_overload and not implements_overloads:
            return None
        plain = decorators is not None and all(_keeps_signature(d) for d in decorators)
        if wrapper is None or plain:
            typ, own = internals.declared_type(self.checker, node), node
        else:
            typ, own = internals.decorated_type(self.checker, wrapper, inner), None
            if not _is_precise(typ):
                return None
        if owner is not None and node.info:
            typ = internals.bound_to(owner, node, internals.seen_from(owner, node.info, typ))
        awaited = bool(is_awaitable(typ)) and not node.is_async_generator
        return signature_of(typ, self.classes, own, as_written=owner is (node.info or None), awaited=awaited)

    def is_async(
        self,
        node: FuncDef,
        wrapper: Decorator | None,
        decorators: Sequence[DecoratorFact] | None,
        *,
        inner: Sequence[Expression] | None = None,
    ) -> bool | None:
        """Whether calling a definition gives something to await; an async generator counts, as its `def` is async."""
        plain = decorators is not None and all(_keeps_signature(d) for d in decorators)
        if wrapper is not None and not plain and not node.is_property:
            return is_awaitable(internals.decorated_type(self.checker, wrapper, inner))
        if node.is_coroutine or node.is_async_generator:
            return True
        # A plain def that promises nothing is called as an ordinary function, whatever it returns.
        return bool(is_awaitable(internals.declared_type(self.checker, node)))


def _is_compared(policy: Declaration | Composed | NotAPolicy | Unknown) -> bool:
    """Whether what a policy says is compared with the function's signature: fallbacks and classifiers."""
    if isinstance(policy, Composed):
        return any(map(_is_compared, policy.members))
    return isinstance(policy, Declaration) and (policy.policy == "fallback" or "classifier" in policy.slots)


def _keeps_signature(decorator: DecoratorFact) -> bool:
    return isinstance(decorator, Applied) or decorator.name in KEEP_SIGNATURE


def _innermost(decorators: Sequence[DecoratorFact]) -> int | None:
    """Where the decorators below the policies begin; None if others between policies change what each of them sees."""
    places = [index for index, decorator in enumerate(decorators) if isinstance(decorator, Applied)]
    if not places:
        return 0
    between = decorators[places[0] : places[-1]]
    return places[-1] + 1 if all(map(_keeps_signature, between)) else None


def _is_precise(typ: ProperType) -> bool:
    return isinstance(typ, CallableType) and not typ.is_generic() and not typ.is_type_obj()
