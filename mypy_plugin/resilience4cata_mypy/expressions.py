"""What an expression is worth, read from mypy's nodes: literals, constants, classes under any name, durations.

A constant is what `Final` makes one, and what the file at hand binds in a single place, so that nothing else ever
stands under its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Final

from mypy.nodes import (
    AssignmentExpr,
    CallExpr,
    Decorator,
    Expression,
    FloatExpr,
    FuncDef,
    IntExpr,
    ListExpr,
    MemberExpr,
    NameExpr,
    OpExpr,
    OverloadedFuncDef,
    RefExpr,
    SetExpr,
    StarExpr,
    StrExpr,
    SymbolNode,
    TupleExpr,
    TypeAlias,
    TypeInfo,
    UnaryExpr,
    Var,
)
from mypy.types import Instance, ProperType, get_proper_type

from resilience4cata.facts import UNKNOWN, Interval, Items, Ref, Value

from .intervals import TIMEDELTA, interval, interval_of
from .values import Classes, Written, class_ref, from_type, has_unknown, of_final_type

_NAMED: Final[dict[str, Value]] = {
    "builtins.True": True,
    "builtins.False": False,
    "builtins.None": None,
    "math.inf": math.inf,
    "math.nan": math.nan,
    f"{TIMEDELTA}.max": interval_of(timedelta.max),
    f"{TIMEDELTA}.min": interval_of(timedelta.min),
    f"{TIMEDELTA}.resolution": interval_of(timedelta.resolution),
}

# A union would be made anew by each of very many questions.
LITERALS: Final = (StrExpr, IntExpr, FloatExpr)
"""Nodes that hold their value."""

# Names that stand for names; more than that nobody writes, and Python's stack is finite.
_LONGEST_CHAIN: Final = 40

# Members of a tuple, those of tuples in it included: names could make them grow without end.
_MOST_MEMBERS: Final = 1000

Assigned = Callable[[str], Expression | None]
"""Gives the expression that a variable of the file, called by its full name, is bound to for good."""

Rebound = Callable[[RefExpr], bool]
"""Tells whether a name of the file has, besides what mypy takes it for, another meaning in some branch."""

Elsewhere = Callable[[Var], Value]
"""Gives the value of a `Final` name of another module that its type does not tell."""


class Expressions:
    """Reads the expressions of one file. `classes` collects the classes that are referred to."""

    def __init__(self, assigned: Assigned, elsewhere: Elsewhere, rebound: Rebound, classes: Classes) -> None:
        self._assigned = assigned
        self._rebound = rebound
        self._elsewhere = elsewhere
        self._classes = classes
        self._known: dict[str, Value] = {}
        self._depth = 0

    def read(self, node: Expression, typ: ProperType | None) -> Written:
        """The values that an argument may have; `typ` is its inferred type, if it has one."""
        value = self.value(node)
        if value is not UNKNOWN or typ is None:
            return Written((value,))
        return from_type(typ)

    def value(self, node: Expression) -> Value:
        """The one value of an expression, as far as its nodes tell; UNKNOWN if they do not."""
        if isinstance(node, LITERALS):
            return node.value
        if isinstance(node, RefExpr):
            return self._named(node)
        if isinstance(node, TupleExpr | ListExpr | SetExpr):
            return self._display(node)
        if isinstance(node, UnaryExpr):
            return self._signed(node)
        if isinstance(node, CallExpr):
            return self._called(node)
        if isinstance(node, OpExpr):
            return self._sum(node)
        return self.value(node.value) if isinstance(node, AssignmentExpr) else UNKNOWN

    def _signed(self, node: UnaryExpr) -> Value:
        if node.op not in {"-", "+"}:
            return UNKNOWN
        value = self.value(node.expr)
        if isinstance(value, Interval):
            return Interval(-value.nanoseconds) if node.op == "-" else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return UNKNOWN
        return -value if node.op == "-" else value

    def _sum(self, node: OpExpr) -> Value:
        """`BASE + (KeyError,)`: one tuple after the other."""
        if node.op != "+":
            return UNKNOWN
        left = self.value(node.left)
        right = self.value(node.right) if isinstance(left, Items) and left.kind == "tuple" else UNKNOWN
        if not isinstance(left, Items) or not isinstance(right, Items) or right.kind != "tuple":
            return UNKNOWN
        return _items((*left.items, *right.items), "tuple", left.closed and right.closed)

    def _called(self, node: CallExpr) -> Value:
        callee = node.callee.node if isinstance(node.callee, RefExpr) else None
        cls = _aliased_class(callee) if isinstance(callee, TypeAlias) else callee
        name = cls.fullname if isinstance(cls, TypeInfo) else ""
        if name == TIMEDELTA:
            return interval(node, self.value)
        return self._special_number(node) if name == "builtins.float" else UNKNOWN

    def _special_number(self, node: CallExpr) -> Value:
        """`float("nan")` and `float("inf")`, which have no literal of their own."""
        text = self.value(node.args[0]) if len(node.args) == 1 else UNKNOWN
        try:
            return float(text) if isinstance(text, str) else UNKNOWN
        except ValueError:
            return UNKNOWN

    def _display(self, node: TupleExpr | ListExpr | SetExpr) -> Value:
        items: list[Value] = []
        closed = True
        for item in node.items:
            if not isinstance(item, StarExpr):
                items.append(self.value(item))
                continue
            inner = self.value(item.expr)
            if isinstance(inner, Items) and inner.kind != "set":
                items += inner.items
                closed = closed and inner.closed
            else:
                closed = False
        kind: Any = type(node).__name__.removesuffix("Expr").lower()
        return _items(items, kind, closed)

    def _named(self, node: RefExpr) -> Value:
        if node.fullname in _NAMED:
            return _NAMED[node.fullname]
        target = node.node or _member_of_class(node)
        if not isinstance(target, Var) and self._rebound(node):
            return UNKNOWN
        if isinstance(target, TypeInfo):
            return class_ref(target, self._classes)
        if isinstance(target, TypeAlias):
            cls = _aliased_class(target)
            return class_ref(cls, self._classes) if cls is not None else UNKNOWN
        if isinstance(target, FuncDef | Decorator | OverloadedFuncDef):
            return Ref(target.fullname, is_class=False)
        if not isinstance(target, Var):
            return UNKNOWN
        if target.is_final:
            return self._constant(target)
        if target.fullname in _NAMED:
            return _NAMED[target.fullname]
        # An attribute of a class may be made into something else (a field, a member), the name in its body is not.
        return self._written(target) if isinstance(node, NameExpr) or not target.info else UNKNOWN

    def _constant(self, variable: Var) -> Value:
        """The value of a `Final` name, as mypy keeps it (also for fractions and in its cache)."""
        if variable.final_value is not None and not isinstance(variable.final_value, complex):
            return variable.final_value
        typ = get_proper_type(variable.type)
        value = of_final_type(typ, self._classes) if typ is not None else UNKNOWN
        if not has_unknown(value) or (variable.info and variable.info.is_enum):
            return value
        for found in (self._written(variable), self._elsewhere(variable)):
            if found is not UNKNOWN:
                return found
        return value

    def _written(self, variable: Var) -> Value:
        """What a variable of this file is bound to; UNKNOWN if that can change afterwards."""
        name = variable.fullname
        if name not in self._known:
            self._known[name] = UNKNOWN  # met again before it is known, it depends on itself
            expression = self._assigned(name) if self._depth < _LONGEST_CHAIN else None
            if expression is not None:
                self._depth += 1
                value = self.value(expression)
                self._depth -= 1
                self._known[name] = UNKNOWN if isinstance(value, Items) and value.kind != "tuple" else value
        return self._known[name]


def _member_of_class(node: RefExpr) -> SymbolNode | None:
    """What `Settings.LIMIT` stands for, where `Settings` is a class; mypy looks that up in types only."""
    if not isinstance(node, MemberExpr):
        return None
    owner = node.expr.node if isinstance(node.expr, RefExpr) else None
    symbol = owner.get(node.name) if isinstance(owner, TypeInfo) and not owner.is_enum else None
    return symbol.node if symbol is not None and isinstance(symbol.node, Var | TypeInfo) else None


def _aliased_class(alias: TypeAlias) -> TypeInfo | None:
    """The class that `Alias = Class` gives a name to; what a `type` statement makes is no class."""
    if alias.python_3_12_type_alias:
        return None
    aliased = get_proper_type(alias.target)
    return aliased.type if isinstance(aliased, Instance) and not aliased.args else None


def _items(items: Iterable[Value], kind: Any, closed: bool) -> Items:
    known = tuple(items)
    if sum(map(_weight, known)) > _MOST_MEMBERS:
        return Items((), kind, closed=False)
    return Items(known, kind, closed)


def _weight(value: Value) -> int:
    return 1 + sum(map(_weight, value.items)) if isinstance(value, Items) else 1
