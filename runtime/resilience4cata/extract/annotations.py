"""Annotations of live functions: their text as written, and the real type behind it where that can be found.

A name that exists only for type checkers, or whose module has a circular import, leaves the text without a type.
Nothing here raises because of what somebody wrote into an annotation.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Mapping
from functools import lru_cache
from inspect import Parameter as LiveParameter
from inspect import Signature as LiveSignature
from types import CellType, CodeType, FunctionType, NoneType, UnionType
from typing import Any, Final, Union

from ..facts import Parameter, ParameterKind, Ref, Signature, TypeFact
from ..facts.familiar import future_of
from .typetext import text_as_written, text_of
from .values import ref_of

_AWAITABLES: Final = frozenset({"Awaitable", "Coroutine"})
_FUTURES: Final = frozenset({"Future", "Task"})


class NotKnown:
    """The handle of a type that could not be found out."""


NOT_KNOWN: Final = NotKnown()


def signature_of(
    function: FunctionType, owner: type | None, *, bound: bool, written: Mapping[str, str] | None = None
) -> Signature | None:
    """How `function` is called; without its first parameter if it is `bound`.

    The shape comes from the function's own code: injection frameworks replace `__signature__` and `__wrapped__`.
    `written` are the annotations as they stand in the source, if that was read.
    """
    annotations = _Annotations(function, owner, written or {})
    shape = _shape(function)
    if bound and not shape:
        return None
    if bound and shape[0].kind in (LiveParameter.POSITIONAL_ONLY, LiveParameter.POSITIONAL_OR_KEYWORD):
        shape = shape[1:]
    return Signature(tuple(_parameter(p, annotations) for p in shape), annotations.result())


def returns_awaitable(function: FunctionType) -> bool | None:
    """Whether a plain `def` is annotated to return an awaitable, which makes it asynchronous; None for futures."""
    annotation = _raw_annotations(function).get("return")
    text = annotation if isinstance(annotation, str) else text_of(annotation)
    name = text.strip("\"' ").partition("[")[0].rpartition(".")[2]
    return None if name in _FUTURES else name in _AWAITABLES


def returned_future(function: FunctionType, owner: type | None) -> Ref | None:
    """The class of the future that a plain `def` is annotated to return."""
    if returns_awaitable(function) is not None:
        return None
    found = _Annotations(function, owner, {}).fact("return")
    return future_of(found.classes) if found is not None else None


def results_vary(function: FunctionType) -> bool:
    """Whether `function` implements overloads that promise other results than its own annotation."""
    own = text_of(_raw_annotations(function).get("return"))
    overloads = (o for o in typing.get_overloads(function) if isinstance(o, FunctionType))
    return any(text_of(_raw_annotations(overload).get("return")) != own for overload in overloads)


def type_fact(type_: object) -> TypeFact:
    """A live type as a fact."""
    return TypeFact(text_of(type_), type_, _classes(type_))


def _shape(function: FunctionType) -> list[LiveParameter]:
    cells = tuple(CellType() for _ in function.__code__.co_freevars)
    plain = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, cells)
    plain.__kwdefaults__ = function.__kwdefaults__
    return list(LiveSignature.from_callable(plain).parameters.values())


def _parameter(parameter: LiveParameter, annotations: _Annotations) -> Parameter:
    variadic = parameter.kind in (LiveParameter.VAR_POSITIONAL, LiveParameter.VAR_KEYWORD)
    type_ = annotations.fact(parameter.name)
    return Parameter(
        parameter.name,
        ParameterKind(int(parameter.kind)),
        required=parameter.default is LiveParameter.empty and not variadic,
        type=type_,
        annotated=type_ is not None,
    )


class _Annotations:
    """The annotations of one function, resolved in its module, its class and its closure."""

    def __init__(self, function: FunctionType, owner: type | None, written: Mapping[str, str]) -> None:
        self._function = function
        self._raw = _raw_annotations(function)
        self._written = written
        self._globals = function.__globals__
        self._locals: dict[str, Any] = {}
        if owner is not None:
            self._locals.update({owner.__name__: owner, **vars(owner)})
        self._locals.update(_closure(function))
        self._locals.update({p.__name__: p for p in getattr(function, "__type_params__", ())})

    def fact(self, name: str) -> TypeFact | None:
        """The annotation of a parameter, or of the result as "return"; its handle is NOT_KNOWN if that is not found."""
        if name not in self._raw:
            return None
        return self._fact(self._raw[name], self._written.get(name))

    def result(self) -> TypeFact | None:
        """The type of the result; what is awaited, for a `def` that returns an awaitable.

        Not known for futures but for their text: whether they are awaited, only the caller knows.
        """
        found, awaitable = self.fact("return"), returns_awaitable(self._function)
        if found is not None and awaitable is None:
            return TypeFact(found.text, NOT_KNOWN)
        if found is None or not awaitable:
            return found
        arguments = typing.get_args(found.handle)
        text = _last_argument(self._text(self._raw["return"], self._written.get("return")))
        if arguments and text is not None:
            return TypeFact(text, arguments[-1], _classes(arguments[-1]))
        return None if text is None else TypeFact(text, NOT_KNOWN)

    def _fact(self, annotation: object, written: str | None) -> TypeFact:
        type_, absent = self._resolved(annotation) if isinstance(annotation, str) else (annotation, "")
        classes = None if type_ is NOT_KNOWN else _classes(type_)
        return TypeFact(self._text(annotation, written), type_, classes, absent)

    def _text(self, annotation: object, written: str | None) -> str:
        source = written if written is not None else annotation
        return text_as_written(source, self._lookup) if isinstance(source, str) else text_of(annotation)

    def _lookup(self, name: str) -> object:
        return self._locals.get(name, self._globals.get(name))

    def _resolved(self, text: str) -> tuple[object, str]:
        """What an annotation gives, or NOT_KNOWN and the name that is missing, if that is the reason."""
        found: object = text
        try:
            for _ in range(3):  # a string may hold a string
                if not isinstance(found, str):
                    break
                found = eval(_compiled(found), self._globals, self._locals)
        except NameError as error:
            # What a function's locals held when an annotation was written there, nobody knows any more.
            return NOT_KNOWN, "" if "<locals>" in self._function.__qualname__ else error.name or ""
        except Exception:
            return NOT_KNOWN, ""
        return NOT_KNOWN if isinstance(found, str) else found, ""


@lru_cache(maxsize=1_000)
def _compiled(annotation: str) -> CodeType:
    return compile(annotation.lstrip(), "<annotation>", "eval")


def _last_argument(text: str) -> str | None:
    """The last argument of a subscripted annotation."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(tree, ast.Subscript):
        return None
    inside = tree.slice
    return ast.unparse(inside.elts[-1] if isinstance(inside, ast.Tuple) else inside)


def _closure(function: FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def _raw_annotations(function: FunctionType) -> Mapping[str, Any]:
    try:
        return function.__annotations__
    except Exception:  # from Python 3.14 on they are evaluated here
        return {}


def _classes(type_: object) -> tuple[Ref, ...] | None:
    """The classes that an annotation names; None if one of its parts is no class."""
    if type_ is None:
        return (ref_of(NoneType),)
    origin = typing.get_origin(type_)
    if origin in (Union, UnionType):
        parts = [_classes(part) for part in typing.get_args(type_)]
        return None if None in parts else tuple(ref for part in parts for ref in part or ())
    if origin is typing.Annotated:
        return _classes(typing.get_args(type_)[0])
    cls = type_ if origin is None else origin
    return (ref_of(cls),) if isinstance(cls, type) and cls is not Any else None
