"""Durations as `datetime.timedelta`: calls of it, and constants of other modules.

Types know nothing of a length, and what is added to them is lost wherever mypy makes unions. The length of a `Final`
name therefore stands beside the name, in the module's own table, under a name that no program can spell: mypy stores
and compares it like any other, so that it comes back from its cache, and a change of it is a change of the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Final

from mypy.nodes import (
    GDEF,
    AssignmentStmt,
    CallExpr,
    ClassDef,
    Expression,
    MypyFile,
    NameExpr,
    Statement,
    SymbolTableNode,
    Var,
)
from mypy.plugin import FunctionContext
from mypy.types import Instance, LiteralType, Type, get_proper_type

from resilience4cata.facts import UNKNOWN, Interval, Value

from . import internals

TIMEDELTA: Final = "datetime.timedelta"

_PARAMETERS: Final = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
# Long enough to be like no name that mypy might suggest for one that it does not find.
_LENGTH_OF: Final = "@resilience4cata length of "


def interval(call: CallExpr, value_of: Callable[[Expression], Value]) -> Value:
    """The length that a call of `timedelta` gives; UNKNOWN if an argument is not known to be a number."""
    given: dict[str, int | float] = {}
    for index, (argument, kind, keyword) in enumerate(zip(call.args, call.arg_kinds, call.arg_names, strict=True)):
        name = keyword or (_PARAMETERS[index] if index < len(_PARAMETERS) else "")
        value = UNKNOWN if kind.is_star() else value_of(argument)
        if name not in _PARAMETERS or name in given or not isinstance(value, int | float):
            return UNKNOWN
        given[name] = value
    try:
        return interval_of(timedelta(**given))
    except (OverflowError, ValueError):
        return UNKNOWN


def interval_of(length: timedelta) -> Interval:
    """A live `timedelta`, exactly."""
    return Interval(length // timedelta.resolution * 1_000)


class Constants:
    """Keeps the lengths of `Final` names for other modules."""

    def __init__(self, value_of: Callable[[Expression], Value]) -> None:
        self._value_of = value_of
        self._tree: MypyFile | None = None
        self._statements: list[Statement] = []
        self._names: dict[Expression, str] = {}

    def made(self, context: FunctionContext) -> Type:
        """A `timedelta` is made: if that is the value of a `Final` name outside functions, keep its length."""
        call, checker = context.context, context.api
        if not isinstance(call, CallExpr) or not isinstance(checker, internals.Checker):
            return context.default_return_type
        if not internals.is_in_function(checker):
            tree = internals.tree_of(checker)
            name = self._names_in(tree).get(call)
            if name is not None:
                self._keep(name, interval(call, self._value_of), tree, context)
        return context.default_return_type

    def _keep(self, name: str, length: Value, tree: MypyFile, context: FunctionContext) -> None:
        key = f"{_LENGTH_OF}{name}"
        if not isinstance(length, Interval):
            tree.names.pop(key, None)
            return
        text = context.api.named_generic_type("builtins.str", [])
        variable = Var(key, LiteralType(str(length.nanoseconds), text))
        variable._fullname = f"{tree.fullname}.{key}"
        tree.names[key] = SymbolTableNode(GDEF, variable, module_public=False, module_hidden=True)

    def _names_in(self, tree: MypyFile) -> dict[Expression, str]:
        # The daemon keeps a tree's identity when the file changes, but never its list of statements.
        if self._tree is not tree or self._statements is not tree.defs:
            self._tree, self._statements = tree, tree.defs
            self._names = dict(_final_values(tree.defs, ""))
        return self._names


def _final_values(statements: Iterable[Statement], owner: str) -> Iterator[tuple[Expression, str]]:
    for statement in statements:
        if isinstance(statement, AssignmentStmt) and statement.is_final_def:
            target = statement.lvalues[0]
            if len(statement.lvalues) == 1 and isinstance(target, NameExpr):
                yield statement.rvalue, f"{owner}{target.name}"
        elif isinstance(statement, ClassDef):
            yield from _final_values(statement.defs.body, f"{owner}{statement.name}.")


def kept_length(variable: Var, checker: internals.Checker) -> Value:
    """The length of a `Final` name of another module; UNKNOWN if it has none, or it was not written in place."""
    typ = get_proper_type(variable.type)
    if not isinstance(typ, Instance) or typ.type.fullname != TIMEDELTA:
        return UNKNOWN
    module = variable.info.module_name if variable.info else variable.fullname.rpartition(".")[0]
    key = f"{_LENGTH_OF}{variable.fullname.removeprefix(f'{module}.')}"
    internals.depend_on_name(checker, f"{module}.{key}")
    tree = checker.modules.get(module)
    symbol = tree.names.get(key) if tree is not None else None
    length = get_proper_type(symbol.node.type) if symbol is not None and isinstance(symbol.node, Var) else None
    return Interval(int(str(length.value))) if isinstance(length, LiteralType) else UNKNOWN
