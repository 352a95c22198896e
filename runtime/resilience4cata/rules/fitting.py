"""Whether a fallback target can stand in for the original: what every call of the original would do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..facts import Definition, Kind, Oracle, Parameter, ParameterKind, Ref, Signature

_POSITIONAL: Final = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)
_FROM_FALLBACK_CONTEXT: Final = "resilience4cata.policies.fallback.FallbackContext"


class Shape(NamedTuple):
    """A target's parameters, divided: those that take the original's arguments, and the one that takes the exception.

    `misplaced` says why one required parameter too many cannot be the exception's.
    """

    parameters: tuple[Parameter, ...]
    exception: Parameter | None = None
    misplaced: str = ""

    @property
    def exception_types(self) -> tuple[Ref, ...] | None:
        """The exceptions that select this target: () for every one, None if that is not known."""
        if self.exception is None:
            return ()
        return exception_classes(self.exception)


def exception_classes(parameter: Parameter) -> tuple[Ref, ...] | None:
    """The classes that a parameter's annotation names, None of `X | None` left out; None if they are not known."""
    classes = parameter.type.classes if parameter.type is not None else None
    if classes is None:
        return None
    return tuple(ref for ref in classes if ref.name not in ("builtins.None", "types.NoneType", "builtins.NoneType"))


def shape_of(original: Signature, target: Signature) -> Shape:
    """Find the target's exception parameter, if it has one."""
    known = {parameter.name for parameter in original.parameters}
    ours, theirs = (_positional(s.parameters) for s in (original, target))
    extra = [p for p in theirs if p.name not in known]
    if len(theirs) != len(ours) + 1 or len(extra) != 1:
        return Shape(target.parameters)
    parameter = extra[0]
    problem = _why_no_exception(parameter, last=parameter is theirs[-1])
    if problem and not parameter.required:
        return Shape(target.parameters)
    rest = tuple(p for p in target.parameters if p is not parameter)
    return Shape(rest, parameter, problem)


def _why_no_exception(parameter: Parameter, *, last: bool) -> str:
    if not parameter.annotated:
        return "has no annotation"
    classes = exception_classes(parameter)
    if classes is not None and not all(_may_be_exception(ref) for ref in classes):
        return "is annotated with no exception type"
    return "" if last else "does not come last"


def _may_be_exception(ref: Ref) -> bool:
    return ref.ancestors is None or "builtins.BaseException" in ref.ancestors


def takes_context(signature: Signature) -> bool:
    """Whether a function is one that takes the whole `FallbackContext`."""
    if len(signature.parameters) != 1:
        return False
    classes = exception_classes(signature.parameters[0])
    return classes is not None and [ref.name for ref in classes] == [_FROM_FALLBACK_CONTEXT]


def _positional(parameters: Sequence[Parameter]) -> list[Parameter]:
    return [p for p in parameters if p.kind in _POSITIONAL]


def misfits(original: Signature, parameters: Sequence[Parameter], oracle: Oracle) -> Iterator[str]:
    """Why `parameters` cannot take every call of `original`, each reason as a clause; nothing if they can.

    A parameter with a default in the original needs none in the target: a fallback gets every argument, defaults
    included.
    """
    target = _Target(parameters, original)
    matched: set[str] = set()
    position = 0
    for parameter in original.parameters:
        counterpart, problem = target.match(parameter, position)
        position += parameter.kind in _POSITIONAL
        if problem:
            yield problem
        if counterpart is not None:
            matched.add(counterpart.name)
            if not problem:
                yield from _narrower(parameter, counterpart, oracle)
    for parameter in parameters:
        variadic = parameter.kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
        if parameter.required and not variadic and parameter.name not in matched:
            yield f"'{parameter.name}' is required but not given"


def _narrower(original: Parameter, target: Parameter, oracle: Oracle) -> Iterator[str]:
    if original.type is None or target.type is None:
        return
    if oracle.assignable(original.type, target.type) is False:
        yield f"'{target.name}' takes {target.type.text}, not {original.type.text}"


class _Target:
    """The parameters of a target, ready to be matched with those of the original, which all calls give it."""

    def __init__(self, parameters: Sequence[Parameter], original: Signature) -> None:
        self._by_name = {p.name: p for p in parameters}
        self._positional = _positional(parameters)
        any_number = any(p.kind is ParameterKind.VAR_POSITIONAL for p in original.parameters)
        self._filled = self._positional[: None if any_number else len(_positional(original.parameters))]
        self._args = any(p.kind is ParameterKind.VAR_POSITIONAL for p in parameters)
        self._kwargs = any(p.kind is ParameterKind.VAR_KEYWORD for p in parameters)

    def match(self, parameter: Parameter, position: int) -> tuple[Parameter | None, str]:
        """The parameter that takes what the original's `parameter` takes, and what is wrong with it (or "")."""
        match parameter.kind:
            case ParameterKind.VAR_POSITIONAL:
                return None, "" if self._args else f"'*{parameter.name}' is missing"
            case ParameterKind.VAR_KEYWORD:
                return None, "" if self._kwargs else f"'**{parameter.name}' is missing"
            case ParameterKind.KEYWORD_ONLY:
                return self._by_keyword(parameter)
            case ParameterKind.POSITIONAL_ONLY:
                return self._by_position(parameter, position)
            case _:
                return self._by_both(parameter, position)

    def _by_keyword(self, parameter: Parameter) -> tuple[Parameter | None, str]:
        found = self._by_name.get(parameter.name)
        if found is not None and found.kind in (ParameterKind.KEYWORD_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD):
            return found, f"'{parameter.name}' may already be given by position" if found in self._filled else ""
        if found is not None and found.kind is ParameterKind.POSITIONAL_ONLY:
            return found, f"'{parameter.name}' cannot be given by keyword"
        return None, "" if self._kwargs else f"'{parameter.name}' is missing"

    def _by_position(self, parameter: Parameter, position: int) -> tuple[Parameter | None, str]:
        if position < len(self._positional):
            found = self._positional[position]
            return found, ""
        return None, "" if self._args else f"'{parameter.name}' is missing"

    def _by_both(self, parameter: Parameter, position: int) -> tuple[Parameter | None, str]:
        found = self._by_name.get(parameter.name)
        here = self._positional[position] if position < len(self._positional) else None
        if found is None:
            if here is not None:
                return here, self._renamed(parameter, here)
            complete = self._args and self._kwargs
            return None, "" if complete else f"'{parameter.name}' is missing"
        if found.kind is ParameterKind.POSITIONAL_ONLY:
            return found, f"'{parameter.name}' cannot be given by keyword"
        if found.kind is ParameterKind.KEYWORD_ONLY:
            return found, f"'{parameter.name}' cannot be given by position"
        if found is not here:
            return found, f"'{parameter.name}' stands in another place"
        return found, ""

    def _renamed(self, parameter: Parameter, here: Parameter) -> str:
        if here.kind is ParameterKind.POSITIONAL_ONLY:
            return f"'{parameter.name}' cannot be given by keyword"
        return f"'{parameter.name}' is called '{here.name}'"


def expected_form(original: Definition, name: str) -> str:
    """The line that would define a fitting target: `def find_fallback(self, id: str[, error: Exception]) -> User`."""
    signature = original.signature
    if signature is None:
        return ""
    receiver = {Kind.METHOD: "self", Kind.CLASS_METHOD: "cls"}.get(original.kind)
    front, back = _shown(signature.parameters, receiver)
    exception = "[, error: Exception]" if front else "[error: Exception]"
    inside = ", ".join(front) + exception + "".join(f", {part}" for part in back)
    result = f" -> {signature.result.text}" if signature.result is not None else ""
    keyword = "async def" if original.is_async else "def"
    return f"{keyword} {name}({inside}){result}"


def _shown(parameters: Sequence[Parameter], receiver: str | None) -> tuple[list[str], list[str]]:
    """What stands before the exception parameter, and what after it."""
    front = [receiver] if receiver else []
    back: list[str] = []
    last_positional_only = max(
        (i for i, p in enumerate(parameters) if p.kind is ParameterKind.POSITIONAL_ONLY), default=-1
    )
    starred = False
    for index, parameter in enumerate(parameters):
        if parameter.kind is ParameterKind.KEYWORD_ONLY and not starred:
            back.append("*")
            starred = True
        starred = starred or parameter.kind is ParameterKind.VAR_POSITIONAL
        (front if parameter.kind in _POSITIONAL else back).append(_show_parameter(parameter))
        if index == last_positional_only:
            front.append("/")
    return front, back


def _show_parameter(parameter: Parameter) -> str:
    stars = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = f": {parameter.type.text}" if parameter.type is not None else ""
    return f"{stars}{parameter.name}{annotation}"
