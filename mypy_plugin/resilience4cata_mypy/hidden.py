"""What mypy's tables do not show: definitions that it passes over, and names that are set while the program runs.

mypy keeps one of several definitions of a name, and none from a branch that it takes for dead. The file at hand tells
of them; of other files only what mypy stores is known, so that every run says the same.
"""

from __future__ import annotations

import re
from typing import Final

from mypy.nodes import ClassDef, Decorator, FuncDef, NameExpr, OverloadedFuncDef, RefExpr, TypeInfo, Var

from . import internals
from .index import FileIndex

SECOND_DEFINITION: Final = "-redefinition"
"""What mypy adds to the name of a definition that it passes over for an earlier one."""

_DEFINITIONS: Final = (ClassDef, Decorator, FuncDef, OverloadedFuncDef)
_SETTING: Final = re.compile(r"\b(?:exec|globals|locals|setattr|vars)\s*\(")
# They hold names to what they are, and add none.
_HARMLESS: Final = frozenset({"abc", "builtins", "enum", "typing"})


def is_field(info: TypeInfo, name: str) -> bool:
    """Whether a `Final` name with a value is a field, which the constructor may set to another one."""
    owner = info.get_containing_type_info(name)
    node = owner.names[name].node if owner is not None else None
    has_fields = owner is not None and any(plugin in owner.metadata for plugin in ("attrs", "dataclass"))
    return has_fields and isinstance(node, Var) and not node.is_classvar


def is_rebound_name(node: RefExpr, index: FileIndex, checker: internals.Checker) -> bool:
    """Whether the name of a class or function stands for something else, too: here, or in the module of the class."""
    if isinstance(node, NameExpr) and index.is_rebound(f"{index.module}.{node.name}"):
        return True
    return isinstance(node.node, TypeInfo) and may_be_another(node.node, index, checker)


def may_be_another(info: TypeInfo, index: FileIndex, checker: internals.Checker) -> bool:
    """Whether the name of a class stands for another class in some branch."""
    if info.module_name == index.module:
        return index.is_rebound(index.name_of(info.defn))
    module, _, name = info.fullname.rpartition(".")
    tree = checker.modules.get(module)
    return tree is not None and f"{name}{SECOND_DEFINITION}" in tree.names


def may_be_set(info: TypeInfo, name: str, index: FileIndex) -> bool:
    """Whether a class may have an attribute that mypy knows nothing of."""
    return any(_sets_on_subclasses(base) for base in info.mro[1:]) or any(
        _is_set_here(base, name, index) for base in info.mro if base.module_name == index.module
    )


def _sets_on_subclasses(base: TypeInfo) -> bool:
    return base.module_name not in _HARMLESS and "__init_subclass__" in base.names


def _is_set_here(cls: TypeInfo, name: str, index: FileIndex) -> bool:
    if index.is_bound(f"{index.name_of(cls.defn)}.{name}"):
        return True
    # `Client.find = find`, `setattr(Client, …)`, and the same to something that may be the class: wherever that stands.
    if name in index.attributes_set or index.calls_setattr(cls.name, name):
        return True
    body = (statement for statement in cls.defn.defs.body if not isinstance(statement, _DEFINITIONS))
    return any(_SETTING.search(index.text_of(statement)) for statement in body)


def module_may_have(name: str, index: FileIndex) -> bool:
    """Whether the module at hand may have a name that mypy knows nothing of."""
    return index.is_bound(f"{index.module}.{name}") or re.search(r"\b(?:exec|globals)\s*\(", index.text) is not None
