"""Where names are looked up: a class with its bases, a module, a function's locals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mypy.nodes import (
    CallExpr,
    Decorator,
    FuncDef,
    ImportAll,
    MypyFile,
    OverloadedFuncDef,
    SymbolNode,
    SymbolTable,
    TypeInfo,
    Var,
)
from mypy.types import CallableType, Instance, Type, get_proper_type

from resilience4cata.facts import NOWHERE, UNKNOWN, Definition, Kind, LocalScope, Scope, Unknown
from resilience4cata.facts.familiar import HARMLESS_CLASS_DECORATORS, ORDINARY_METACLASSES
from resilience4cata.records import replace

from . import internals
from .extract import Reader
from .hidden import SECOND_DEFINITION, may_be_another, may_be_set, module_may_have
from .naming import foreign_name, is_abstract, kind_of
from .values import class_ref, full_name

_NEVER_CALLABLE: Final = frozenset(f"builtins.{name}" for name in ("bool", "bytes", "float", "int", "str"))


class Definitions:
    """Makes definitions of symbols, those of other files included."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._module = reader.index.module

    def of(self, node: SymbolNode | None, owner: TypeInfo | None) -> Definition | Unknown:
        """The definition that a symbol stands for, seen on the class `owner`; UNKNOWN if there may be another one."""
        if isinstance(node, TypeInfo):
            return self._class(node)
        if isinstance(node, OverloadedFuncDef):
            return self._overloaded(node, owner)
        if isinstance(node, Var) and _is_plain_value(node):
            owner_id = full_name(node.info) if node.info else self._module
            return Definition(f"{owner_id}.{node.name}", node.name, owner_id, Kind.OTHER, NOWHERE)
        wrapper = node if isinstance(node, Decorator) else None
        function = wrapper.func if wrapper is not None else node
        if not isinstance(function, FuncDef) or function.original_def is not None or function.is_mypy_only:
            return UNKNOWN
        return self._function(function, wrapper, owner)

    def _function(self, node: FuncDef, wrapper: Decorator | None, owner: TypeInfo | None) -> Definition:
        if self._is_here(node):
            return self.reader.function(node, wrapper, owner)
        # A function from mypy's cache has lost its decorators and its place; only what they made of it is left.
        decorators = None if wrapper is not None else ()
        return Definition(
            node.fullname,
            node.name,
            full_name(node.info) if node.info else node.fullname.rpartition(".")[0],
            kind_of(node),
            NOWHERE,
            self.reader.signature(node, wrapper, decorators, owner),
            self.reader.is_async(node, wrapper, decorators),
            node.is_generator or node.is_async_generator,
            is_abstract(node),
            decorators_known=wrapper is None,
        )

    def _is_here(self, node: FuncDef) -> bool:
        module = node.info.module_name if node.info else node.fullname.rpartition(".")[0]
        return module == self._module and self.reader.index.defines(node)

    def _overloaded(self, node: OverloadedFuncDef, owner: TypeInfo | None) -> Definition | Unknown:
        first = node.items[0] if node.items else None
        function = first.func if isinstance(first, Decorator) else first
        if not isinstance(function, FuncDef):
            return UNKNOWN
        is_overloaded = any(isinstance(item, Decorator) and item.is_overload for item in node.items)
        if not is_overloaded and not function.is_property:
            return UNKNOWN
        if is_overloaded and node.impl is not None:
            return self._implementation(node, node.impl, owner)
        owner_id = full_name(node.info) if node.info else self._module
        kind = Kind.PROPERTY if function.is_property else kind_of(function)
        return Definition(f"{owner_id}.{function.name}", function.name, owner_id, kind, NOWHERE, is_async=None)

    def _implementation(
        self, node: OverloadedFuncDef, found: FuncDef | Decorator, owner: TypeInfo | None
    ) -> Definition:
        """What runs whichever overload is meant. Its result is known only where all overloads have the same."""
        wrapper = found if isinstance(found, Decorator) else None
        function = found.func if isinstance(found, Decorator) else found
        definition = self._function(function, wrapper, owner)
        decorators = definition.decorators if definition.decorators_known else None
        signature = self.reader.signature(function, wrapper, decorators, owner, implements_overloads=True)
        overloads = [item.func for item in node.items if isinstance(item, Decorator)]
        if all(_returned(overload) == _returned(function) for overload in overloads):
            return replace(definition, signature=signature)
        without_result = replace(signature, result=None) if signature is not None else None
        return replace(definition, signature=without_result, is_async=None)

    def _class(self, info: TypeInfo) -> Definition:
        name = full_name(info)
        return Definition(name, info.name, name.rpartition(".")[0], Kind.CLASS, NOWHERE)


def _is_plain_value(node: Var) -> bool:
    typ = get_proper_type(node.type)
    return node.has_explicit_value and isinstance(typ, Instance) and typ.type.fullname in _NEVER_CALLABLE


def _returned(function: FuncDef) -> Type | None:
    return function.type.ret_type if isinstance(function.type, CallableType) else None


class ClassScope:
    """A class together with its bases."""

    is_class = True

    def __init__(self, info: TypeInfo, reader: Reader) -> None:
        self.info = info
        self._reader = reader
        self._definitions = Definitions(reader)
        self.id = self._name(info)

    def _name(self, info: TypeInfo) -> str:
        here = info.module_name == self._reader.index.module
        return self._reader.index.name_of(info.defn) if here else full_name(info)

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        names = class_ref(self.info).ancestors
        if names is None:
            return None
        extra = ("typing.NamedTuple",) if self.info.is_named_tuple else ()
        if "@" in self.info.fullname:
            # Classes in functions, whose names mypy does not begin with those of the functions.
            names = tuple(map(self._name, self.info.mro))
        return (*names, *extra, *(("typing.TypedDict",) if self.info.typeddict_type is not None else ()))

    def lookup(self, name: str) -> Definition | Unknown | None:
        index, checker = self._reader.index, self._reader.checker
        if internals.is_fine_grained(checker):
            self._reader.depend_on(self.info, {_unmangled(name, base) for base in self.info.mro})
        if any(may_be_another(base, index, checker) for base in self.info.mro):
            return UNKNOWN
        for base in self.info.mro:
            own_name = _unmangled(name, base)
            found = _in_table(base.names, own_name)
            if isinstance(found, Unknown) or (found is not None and self._is_one_of_several(base, own_name, found)):
                return UNKNOWN
            if found is not None:
                return self._definitions.of(found, self.info)
        if any(_unmangled(name, base) in (base.slots or ()) for base in self.info.mro):
            return UNKNOWN
        if self._may_have_more() or self._answers_for_any_name() or may_be_set(self.info, name, index):
            return UNKNOWN
        return None

    def _answers_for_any_name(self) -> bool:
        bases = (base for base in self.info.mro if base.fullname != "builtins.object")
        return any(hook in base.names for base in bases for hook in ("__getattr__", "__getattribute__"))

    def _is_one_of_several(self, base: TypeInfo, name: str, node: SymbolNode) -> bool:
        """Whether a member has other definitions in other branches; mypy keeps only one."""
        if isinstance(node, OverloadedFuncDef):
            return False
        if base.module_name == self._reader.index.module:
            return self._reader.index.is_rebound(f"{self._reader.index.name_of(base.defn)}.{name}")
        function = node.func if isinstance(node, Decorator) else node
        return isinstance(function, FuncDef) and function.is_conditional

    def _may_have_more(self) -> bool:
        """Whether the class may have members that no `class` statement shows."""
        if any(base.fallback_to_any or self._is_made_by_others(base) for base in self.info.mro):
            return True
        # Those of other files are lost in mypy's cache.
        here = (base for base in self.info.mro if base.module_name == self._reader.index.module)
        foreign = (d for base in here for d in base.defn.decorators if self._reader.policy(d) is None)
        names = (foreign_name(d.callee if isinstance(d, CallExpr) else d) for d in foreign)
        return any(name not in HARMLESS_CLASS_DECORATORS for name in names)

    def _is_made_by_others(self, base: TypeInfo) -> bool:
        metaclass = base.metaclass_type
        return metaclass is not None and metaclass.type.fullname not in ORDINARY_METACLASSES

    def names(self) -> Sequence[str]:
        found: dict[str, None] = {}
        for base in self.info.mro:
            if base.fullname != "builtins.object":
                found.update(dict.fromkeys(_function_names(base.names)))
        self._reader.depend_on(self.info, found)
        return tuple(found)

    def public_methods(self) -> Sequence[Definition] | Unknown:
        if self._may_have_more():
            return UNKNOWN
        methods: list[Definition] = []
        for name, symbol in self.info.names.items():
            is_method = isinstance(symbol.node, FuncDef | Decorator | OverloadedFuncDef)
            if name.startswith("_") or not is_method or symbol.plugin_generated or SECOND_DEFINITION in name:
                continue
            found = self.lookup(name)
            if not isinstance(found, Definition):
                return UNKNOWN
            if isinstance(symbol.node, OverloadedFuncDef):
                # Its implementation takes more calls than its overloads allow.
                found = replace(found, signature=None)
            if found.kind is not Kind.PROPERTY:
                methods.append(found)
        return tuple(methods)

    def subclasses(self) -> Sequence[Scope]:
        return ()


def _unmangled(name: str, base: TypeInfo) -> str:
    """The name under which mypy knows a member that is spelled `_Base__name`, as Python mangles it."""
    prefix = f"_{base.name.lstrip('_')}__"
    mangled = name.startswith(prefix) and not name.endswith("__")
    return f"__{name.removeprefix(prefix)}" if mangled else name


def _in_table(names: SymbolTable, name: str) -> SymbolNode | Unknown | None:
    symbol = names.get(name)
    if symbol is None:
        return None
    # On a second definition mypy keeps the first, Python the last.
    if f"{name}{SECOND_DEFINITION}" in names or symbol.node is None:
        return UNKNOWN
    return symbol.node


def _function_names(names: SymbolTable) -> Iterator[str]:
    for name, symbol in names.items():
        if isinstance(symbol.node, FuncDef | Decorator) and SECOND_DEFINITION not in name:
            yield name


class ModuleScope:
    """The names of the module that is being checked."""

    is_class = False
    ancestors = None

    def __init__(self, tree: MypyFile, reader: Reader) -> None:
        self.id = tree.fullname
        self._tree = tree
        self._reader = reader
        self._definitions = Definitions(reader)

    def lookup(self, name: str) -> Definition | Unknown | None:
        found = _in_table(self._tree.names, name)
        if found is None:
            hidden = self._may_have_more() or module_may_have(name, self._reader.index)
            return UNKNOWN if hidden else None
        if isinstance(found, Unknown) or self._reader.index.is_rebound(f"{self.id}.{name}"):
            return UNKNOWN
        return self._definitions.of(found, None)

    def _may_have_more(self) -> bool:
        """Whether a star import may have brought names that nobody knows, or a function answers for any name."""
        if "__getattr__" in self._tree.names:
            return True
        modules = self._reader.checker.modules
        return any(isinstance(node, ImportAll) and node.id not in modules for node in self._tree.imports)

    def names(self) -> Sequence[str]:
        return tuple(
            name
            for name in _function_names(self._tree.names)
            if (node := self._tree.names[name].node) is not None and node.fullname == f"{self.id}.{name}"
        )

    def public_methods(self) -> Sequence[Definition] | Unknown:
        return ()

    def subclasses(self) -> Sequence[Scope]:
        return ()


def scope_of(node: FuncDef, reader: Reader) -> Scope:
    """The scope in which a function's name stands."""
    if node.info:
        return ClassScope(node.info, reader)
    owner = reader.index.name_of(node).rpartition(".")[0]
    if owner.endswith(".<locals>"):
        return LocalScope(owner.removesuffix(".<locals>"))
    return ModuleScope(internals.tree_of(reader.checker), reader)
