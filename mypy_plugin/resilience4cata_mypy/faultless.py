"""Knowing again what was already judged, so that what has no fault costs next to nothing the second time.

Most decorated functions look like many others: the same policies with the same values. What rules find in such a
function is decided by what is compared here, read straight from mypy's nodes without making facts of them. Where a
fallback is not plainly like its original, that holds only for rules that look at nothing but the policies. Whatever
depends on more (a classifier of the function's results, a value that only its type tells) has no fingerprint, and all
rules are always asked about it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple

from mypy.nodes import (
    ARG_OPT,
    ARG_POS,
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Decorator,
    Expression,
    FuncDef,
    NameExpr,
    RefExpr,
    StrExpr,
    TupleExpr,
    TypeInfo,
    Var,
)
from mypy.types import CallableType, Instance, get_proper_type

from resilience4cata.facts import Declaration

from .around import is_harmless
from .carried import parts_of, policy_name
from .consumption import takes_streams
from .expressions import LITERALS
from .extract import Reader
from .hidden import is_rebound_name
from .index import FileIndex
from .naming import policy_class
from .scopes import ClassScope


class Fingerprint(NamedTuple):
    """Equal for decorated functions in which the same rules find something.

    Unless it is `whole`, that holds only for rules that look at nothing but the policies.
    """

    seen: Hashable
    whole: bool


def content(declaration: Declaration) -> Hashable:
    """What a declaration says, without places. Types count too: True equals 1."""
    slots = declaration.slots.items()
    said = tuple((name, slot.certain, *((type(v), v) for v in slot.values)) for name, slot in slots)
    return declaration.policy, declaration.closed, declaration.called, said


def fingerprint(node: Decorator, reader: Reader) -> Fingerprint | None:
    """What a decorated function is known by; None if it cannot be known again."""
    if takes_streams(node.func):
        return None  # What the body does with them decides.
    whole = True
    decorators: list[Hashable] = []
    for expression in node.original_decorators:
        part = _decorator(expression, reader)
        if part is None:
            part = _fallback(expression, node.func, reader)
            whole = whole and part is not None and part.whole
        if part is None:
            return None
        decorators.append(part)
    return Fingerprint((_function(node.func), tuple(decorators)), whole)


def around_method(classes: Iterable[TypeInfo], method: Decorator, reader: Reader) -> Hashable | None:
    """What classes with policies are known by in what they do to a method; None if that cannot be known again.

    By what they say: in the daemon a class stays the same object when something else stands on it.
    """
    found = [tuple([_decorator(d, reader) for d in info.defn.decorators if not is_harmless(d)]) for info in classes]
    return None if any(None in said for said in found) else (method.name.startswith("_"), *found)


def _function(function: FuncDef) -> Hashable:
    special = function.name if function.name.startswith("__") else ""
    typ = function.type
    result = get_proper_type(typ.ret_type) if isinstance(typ, CallableType) else None
    return (
        special,
        bool(function.info),
        function.is_static,
        function.is_class,
        function.is_property,
        function.is_overload,
        function.is_coroutine,
        function.is_generator,
        function.is_async_generator,
        function.abstract_status,
        result.type.fullname if isinstance(result, Instance) else type(result),
    )


def _decorator(expression: Expression, reader: Reader) -> Hashable | None:
    if isinstance(expression, CallExpr):
        cls = policy_class(expression.callee)
        kinds = expression.arg_kinds
        if cls is None or policy_name(cls) in {None, "fallback"} or "classifier" in expression.arg_names:
            return None
        if ARG_STAR in kinds or ARG_STAR2 in kinds:
            return None
        arguments = [_literal(argument, reader) for argument in expression.args]
        return None if None in arguments else (cls, *arguments, *expression.arg_names)
    if not isinstance(expression, RefExpr) or not expression.fullname:
        return None
    variable = expression.node
    if not isinstance(variable, Var):
        return expression.fullname if policy_class(expression) is None else None
    typ = get_proper_type(variable.type)
    parts = parts_of(typ) if isinstance(typ, Instance) else ()
    if not _say_all(parts):
        return None
    index = reader.index
    changed = isinstance(expression, NameExpr) and index.is_rebound(f"{index.module}.{expression.name}")
    return None if changed else parts


@lru_cache(maxsize=1024)
def _say_all(parts: tuple[tuple[str, str], ...]) -> bool:
    """Whether what a policy carries decides what rules find where it is used."""
    return bool(parts) and not any("fallback" in text or "classifier" in text for part in parts for text in part)


def _fallback(expression: Expression, original: FuncDef, reader: Reader) -> Fingerprint | None:
    """`@fallback(method="name", …)`: whole if all names are of plain siblings that take and return the same, or of
    nothing at all."""
    if not isinstance(expression, CallExpr):
        return None
    cls = policy_class(expression.callee)
    if cls is None or policy_name(cls) != "fallback":
        return None
    whole = True
    parts: list[Hashable] = [cls]
    for argument, name, kind in zip(expression.args, expression.arg_names, expression.arg_kinds, strict=True):
        part = _targets(argument, original, reader) if name == "method" else None
        if part is None and not kind.is_star():
            part = _literal(argument, reader)
            # The type arguments of a handler, which may have no name, are compared with the function's result.
            whole = whole and name not in {"method", "handler", None}
        if part is None:
            return None
        parts.append((name, part))
    return Fingerprint(tuple(parts), whole)


def _targets(argument: Expression, original: FuncDef, reader: Reader) -> Hashable | None:
    if not original.info or "@" in original.info.fullname:
        return None  # A class in a function has its line in its name.
    names = argument.items if isinstance(argument, TupleExpr) else [argument]
    found = tuple([_target(name.value, original, reader) if isinstance(name, StrExpr) else None for name in names])
    return None if None in found else (isinstance(argument, TupleExpr), found)


def _target(name: str, original: FuncDef, reader: Reader) -> Hashable | None:
    if not any(name in base.names for base in original.info.mro):
        return name if ClassScope(original.info, reader).lookup(name) is None else None
    target = _sibling(name, original, reader.index)
    relation = _relation(original, target) if target is not None else None
    return None if target is None or relation is None else (_function(target), relation)


def _sibling(name: str, original: FuncDef, index: FileIndex) -> FuncDef | None:
    """An undecorated method of the same class that is defined once."""
    symbol = original.info.names.get(name)
    target = symbol.node if symbol is not None else None
    if not isinstance(target, FuncDef) or target is original or target.original_def is not None or target.is_mypy_only:
        return None
    return None if index.is_rebound(f"{original.info.fullname}.{name}") else target


def _relation(original: FuncDef, target: FuncDef) -> Hashable | None:
    """How a target's parameters differ from those of the original: not at all, or by an exception at the end."""
    ours, theirs = original.type, target.type
    if not isinstance(ours, CallableType) or not isinstance(theirs, CallableType) or ours.variables or theirs.variables:
        return None
    count = len(ours.arg_types)
    same = ours.ret_type == theirs.ret_type and ours.arg_types == theirs.arg_types[:count]
    if not same or original.arg_names != target.arg_names[:count]:
        return None
    extra = theirs.arg_types[count:]
    if not extra and original.arg_kinds == target.arg_kinds:
        return "same"
    # Whether there are defaults is no matter, but stars and keywords are.
    if not all(kind is ARG_POS or kind is ARG_OPT for kind in original.arg_kinds + target.arg_kinds):
        return None
    if not extra:
        return "same"
    error = get_proper_type(extra[0])
    if len(extra) > 1 or target.arg_names[-1] in original.arg_names or not isinstance(error, Instance):
        return None
    cls = _class(error.type)
    return None if cls is None else (cls, target.arg_kinds[-1] is ARG_POS)


def _literal(argument: Expression, reader: Reader) -> Hashable | None:
    """A value that the node alone decides, with its kind; None for any other."""
    if isinstance(argument, LITERALS):
        return type(argument), argument.value
    if isinstance(argument, TupleExpr):
        items = tuple([_literal(item, reader) for item in argument.items])
        return None if None in items else items
    if not isinstance(argument, RefExpr):
        return None
    node = argument.node
    if isinstance(node, TypeInfo):
        return None if is_rebound_name(argument, reader.index, reader.checker) else _class(node)
    # Outside classes `info` is a stand-in that is falsy and has no attributes.
    is_member = isinstance(node, Var) and node.info and node.info.is_enum
    is_constant = is_member or argument.fullname in {"builtins.True", "builtins.False"}
    return (NameExpr, argument.fullname) if is_constant else None


def _class(info: TypeInfo) -> Hashable | None:
    """A class with all its bases, which another run of the daemon may find changed."""
    return None if info.fallback_to_any else tuple([base.fullname for base in info.mro])
