"""Types of mypy as facts: as a person would write them, and as signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from mypy.nodes import ARG_NAMED, ARG_NAMED_OPT, ARG_OPT, ARG_POS, ARG_STAR, ARG_STAR2, ArgKind, FuncDef
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    Overloaded,
    Parameters,
    ParamSpecType,
    ProperType,
    TupleType,
    Type,
    TypeAliasType,
    TypedDictType,
    TypeOfAny,
    TypeType,
    TypeVarLikeType,
    UnboundType,
    UninhabitedType,
    UnionType,
    UnpackType,
    get_proper_type,
)

from resilience4cata.facts import Parameter, ParameterKind, Ref, Signature, TypeFact
from resilience4cata.facts.familiar import future_of

from . import internals
from .values import Classes, class_ref

_KINDS: Final[dict[ArgKind, ParameterKind]] = {
    ARG_POS: ParameterKind.POSITIONAL_OR_KEYWORD,
    ARG_OPT: ParameterKind.POSITIONAL_OR_KEYWORD,
    ARG_STAR: ParameterKind.VAR_POSITIONAL,
    ARG_NAMED: ParameterKind.KEYWORD_ONLY,
    ARG_NAMED_OPT: ParameterKind.KEYWORD_ONLY,
    ARG_STAR2: ParameterKind.VAR_KEYWORD,
}
# What stands for a type that nobody knows; an Any that was written is a type like others.
_NOT_KNOWN: Final = frozenset({TypeOfAny.from_error, TypeOfAny.from_unimported_type, TypeOfAny.unannotated})
_NONE: Final = Ref("builtins.None", True, ("types.NoneType", "builtins.object"))


def type_fact(typ: Type, classes: Classes, shown: Type | None = None) -> TypeFact | None:
    """A type as a fact, None if it is not known. `shown` is the type as it was written, if `typ` is refined."""
    found = get_proper_type(typ)
    if isinstance(found, AnyType) and found.type_of_any in _NOT_KNOWN:
        return None
    return TypeFact(text(typ if shown is None else shown), typ, _classes_of(typ, classes))


def _classes_of(typ: Type, classes: Classes) -> tuple[Ref, ...] | None:
    found = get_proper_type(typ)
    if isinstance(found, Instance):
        return (class_ref(found.type, classes),)
    if isinstance(found, NoneType):
        return (_NONE,)
    if isinstance(found, UnionType):
        parts = [_classes_of(item, classes) for item in found.items]
        return None if None in parts else tuple(ref for part in parts if part is not None for ref in part)
    if isinstance(found, TupleType):
        return (class_ref(found.partial_fallback.type, classes),)
    if isinstance(found, LiteralType):
        return (class_ref(found.fallback.type, classes),)
    return None


def text(typ: Type) -> str:
    """A type as a person would write it in its own module: `User`, `list[Order]`, `str | None`."""
    if isinstance(typ, TypeAliasType):
        name = typ.alias.name if typ.alias is not None else "Any"
        return _subscripted(name, typ.args)
    if isinstance(typ, UnboundType):
        return _subscripted(typ.name.rpartition(".")[2], typ.args)
    found = get_proper_type(typ)
    match found:
        case Instance():
            return _instance(found)
        case UnionType():
            return " | ".join(_union(found.items))
        case TupleType():
            return _tuple(found)
        case TypedDictType():
            return found.fallback.type.name
        case LiteralType():
            return f"Literal[{_literal(found)}]"
        case TypeType():
            return f"type[{text(found.item)}]"
        case CallableType():
            return _callable(found)
        case TypeVarLikeType():
            return found.name
        case UnpackType():
            return f"*{text(found.type)}"
    return _WORDS.get(type(found), "Any")


_WORDS: Final[dict[type, str]] = {NoneType: "None", UninhabitedType: "Never", Overloaded: "Callable"}


def _subscripted(name: str, arguments: Sequence[Type]) -> str:
    return f"{name}[{', '.join(map(text, arguments))}]" if arguments else name


def _instance(typ: Instance) -> str:
    if typ.type.fullname == "builtins.tuple" and typ.args:
        return f"tuple[{text(typ.args[0])}, ...]"
    # Coroutine and Generator always carry all their arguments; other classes may be written bare.
    if typ.args and all(_unwritten(argument) for argument in typ.args):
        return typ.type.name
    return _subscripted(typ.type.name, typ.args)


def _unwritten(typ: Type) -> bool:
    found = get_proper_type(typ)
    return isinstance(found, AnyType) and found.type_of_any == TypeOfAny.from_omitted_generics


def _union(items: Sequence[Type]) -> Iterator[str]:
    """The members of a union; neighbouring literals are written as one."""
    for is_literal, group in groupby(items, lambda item: isinstance(get_proper_type(item), LiteralType)):
        if is_literal:
            literals = (get_proper_type(item) for item in group)
            yield f"Literal[{', '.join(_literal(item) for item in literals if isinstance(item, LiteralType))}]"
        else:
            yield from map(text, group)


def _literal(typ: LiteralType) -> str:
    return f"{typ.fallback.type.name}.{typ.value}" if typ.fallback.type.is_enum else repr(typ.value)


def _tuple(typ: TupleType) -> str:
    if typ.partial_fallback.type.fullname != "builtins.tuple":
        return typ.partial_fallback.type.name
    return _subscripted("tuple", typ.items) if typ.items else "tuple[()]"


def _callable(typ: CallableType) -> str:
    if typ.is_type_obj():
        return f"type[{typ.type_object().name}]"
    parameters = "..." if typ.is_ellipsis_args else f"[{', '.join(map(text, typ.arg_types))}]"
    return f"Callable[{parameters}, {text(typ.ret_type)}]"


def signature_of(
    typ: ProperType,
    classes: Classes,
    function: FuncDef | None = None,
    *,
    as_written: bool = False,
    awaited: bool = False,
) -> Signature | None:
    """The signature of a callable that is already bound, None if its shape is not plainly known.

    `function` is the definition whose own type this is: it knows all names. `as_written` shows its types as they stand
    there (`Self`); without it, as they are seen from where they are used. `awaited` asks for what awaiting the result
    gives.
    """
    if not isinstance(typ, CallableType) or typ.is_type_obj() or _is_vague(typ):
        return None
    own = function.type if function is not None and as_written else None
    written = _written_types(own, len(typ.arg_types))
    names = _names(typ, function)
    parameters = tuple(
        Parameter(
            name,
            _KINDS[kind] if typ.arg_names[i] is not None or kind.is_star() else ParameterKind.POSITIONAL_ONLY,
            kind.is_required(),
            type_fact(typ.arg_types[i], classes, written[i]),
            annotated=not _is_unannotated(typ.arg_types[i]),
        )
        for i, (name, kind) in enumerate(zip(names, typ.arg_kinds, strict=True))
    )
    return Signature(parameters, _result(typ, classes, own, awaited=awaited))


def _is_vague(typ: CallableType) -> bool:
    """Whether parameters stand for others that are not known here (`...`, a ParamSpec, Concatenate, Unpack)."""
    if typ.is_ellipsis_args or typ.unpack_kwargs:
        return True
    vague = (ParamSpecType, Parameters, UnpackType)
    return any(isinstance(get_proper_type(argument), vague) for argument in typ.arg_types)


def _written_types(own: Type | None, count: int) -> Sequence[Type | None]:
    """The parameters' types as the definition `own` has them, without the receiver."""
    if not isinstance(own, CallableType):
        return [None] * count
    return own.arg_types[len(own.arg_types) - count :]


def _names(typ: CallableType, function: FuncDef | None) -> Iterable[str]:
    """Parameter names, also those of positional-only ones, which a callable type forgets."""
    count = len(typ.arg_names)
    known: Sequence[str | None] = typ.arg_names
    if function is not None and len(function.arg_names) >= count:
        known = function.arg_names[len(function.arg_names) - count :]
    definition = getattr(function, "arguments", None)
    if definition is not None and len(definition) >= count:
        known = [argument.variable.name for argument in definition[len(definition) - count :]]
    return [name or f"argument {i + 1}" for i, name in enumerate(known)]


def _is_unannotated(typ: Type) -> bool:
    found = get_proper_type(typ)
    return isinstance(found, AnyType) and found.type_of_any == TypeOfAny.unannotated


def _result(typ: CallableType, classes: Classes, own: Type | None, *, awaited: bool) -> TypeFact | None:
    shown: Type | None = own.ret_type if isinstance(own, CallableType) else None
    result: Type | None = typ.ret_type
    if awaited:
        result = internals.await_result(typ.ret_type)
        shown = _awaited_as_written(shown)
    return type_fact(result, classes, shown) if result is not None else None


def _awaited_as_written(shown: Type | None) -> Type | None:
    """What stands in `Coroutine[Any, Any, T]` or `Awaitable[T]`, aliases and all."""
    found = get_proper_type(shown) if shown is not None else None
    return found.args[-1] if isinstance(found, Instance) and found.args else None


def returned_future(typ: ProperType) -> Ref | None:
    """The class of the future that a callable returns."""
    return future_of(_classes_of(typ.ret_type, {})) if isinstance(typ, CallableType) else None


def is_awaitable(typ: ProperType) -> bool | None:
    """Whether calling a callable gives something to await; None if that is not known."""
    if not isinstance(typ, CallableType):
        return None
    result = get_proper_type(typ.ret_type)
    if isinstance(result, AnyType):
        return None
    return internals.await_result(result) is not None
