"""Questions of rules about types, answered by mypy."""

from __future__ import annotations

from mypy.nodes import Decorator, FuncDef, TypeInfo
from mypy.types import AnyType, Instance, NoneType, Type, UnionType, get_proper_type
from mypy.typevars import fill_typevars_with_any

from resilience4cata.facts import Body, Definition, Ref, Scope, TypeFact, Value

from . import internals
from .consumption import consumed
from .extract import Reader
from .scopes import ClassScope, Definitions
from .signatures import type_fact


class MypyTypes:
    """The oracle over the types of one file."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        ours, theirs = source.handle, target.handle
        if not isinstance(ours, Type) or not isinstance(theirs, Type):
            return None
        if isinstance(get_proper_type(ours), AnyType) or isinstance(get_proper_type(theirs), AnyType):
            return None
        if internals.is_subtype(ours, theirs):
            return True
        return None if internals.may_fit(ours, theirs) else False

    def type_argument(self, value: Value, base: str) -> TypeFact | None:
        info = self._class(value) if isinstance(value, Ref) else None
        if info is None or info.fallback_to_any:
            return None
        instance = fill_typevars_with_any(info)
        found = internals.supertype(instance, base) if isinstance(instance, Instance) else None
        return type_fact(found.args[0], self._reader.classes) if found is not None and found.args else None

    def optional(self, type: TypeFact) -> TypeFact | None:
        if not isinstance(type.handle, Type):
            return None
        return type_fact(UnionType.make_union([type.handle, NoneType()]), self._reader.classes)

    def class_scope(self, ref: Ref) -> Scope | None:
        info = self._class(ref)
        return ClassScope(info, self._reader) if info is not None else None

    def definition(self, ref: Ref) -> Definition | None:
        found = Definitions(self._reader).of(internals.find_symbol(self._reader.checker, ref.name), None)
        return found if isinstance(found, Definition) else None

    def body(self, definition: Definition) -> Body | None:
        found = internals.find_symbol(self._reader.checker, definition.id)
        function = found.func if isinstance(found, Decorator) else found
        if not isinstance(function, FuncDef) or self._reader.name_at(function) != definition.at:
            return None
        return Body(consumed=consumed(function))

    def _class(self, ref: Ref) -> TypeInfo | None:
        known = self._reader.classes.get(ref.name)
        if known is None:
            found = internals.find_symbol(self._reader.checker, ref.name)
            known = found if isinstance(found, TypeInfo) else None
        if known is not None:
            self._reader.depend_on(known)
        return known
