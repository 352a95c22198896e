"""The fallback layer: which target answers for which failure, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from types import FunctionType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from ..clock import Clock
from ..events import Channel, FallbackApplied, FallbackFailed
from ..policies.classification import Classification, Verdict, unwrapped
from ..policies.fallback import FallbackContext, FallbackHandler
from ..records import dataclass
from .outcome import Outcome
from .ports import Port
from .shape import by_name, given
from .slow import Call, in_context, judged

_POSITIONAL: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
Classes = tuple[type[BaseException], ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A fallback. `answers` are the exceptions that select it, () for every one.

    `find` gives what is to be called for a receiver. With `context` it is called with the `FallbackContext` alone, else
    with the original's arguments and, if `error` names a parameter for it, the exception: after `position` others where
    it cannot be given by name.
    """

    name: str
    find: Callable[[object], Callable[..., Any]]
    answers: Classes = ()
    error: str | None = None
    position: int = 0
    by_position: bool = False
    context: bool = False
    with_receiver: bool = False


class Given:
    """Finds the same for every receiver. Many elements have one, so that it is smaller than a function would be."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, _: object) -> Callable[..., Any]:
        return self._function


def target_of(
    name: str,
    find: Callable[[object], Callable[..., Any]],
    function: object,
    original: Callable[..., Any],
    *,
    bound: bool = False,
    method: bool = False,
) -> Target:
    """A target by the shape of its plain `function`. The first parameter is the receiver's where `bound`, and that of
    the original where it is a `method`.

    What is no plain function is called with the context.
    """
    if type(function) is not FunctionType:
        return Target(name, find, context=True)
    theirs = _positional(function, bound=bound)
    all_of_it = list(signature(function, follow_wrapped=False).parameters.values())[1 if bound else 0 :]
    if len(all_of_it) == 1 and _classes_of(all_of_it[0], function) == (FallbackContext,):
        return Target(name, find, context=True)
    ours = _positional(original, bound=method)
    known = set(signature(original, follow_wrapped=False).parameters)
    extra = [p for p in theirs if p.name not in known]
    if len(theirs) != len(ours) + 1 or len(extra) != 1 or extra[0] is not theirs[-1]:
        return Target(name, find)
    parameter = extra[0]
    answers = tuple(cls for cls in _classes_of(parameter, function) if issubclass(cls, BaseException))
    if not answers and parameter.default is not Parameter.empty:
        # A parameter of the target's own, which keeps its default.
        return Target(name, find)
    nameless = parameter.kind is Parameter.POSITIONAL_ONLY
    return Target(name, find, answers or (Exception,), parameter.name, len(ours), by_position=nameless)


def _positional(function: Callable[..., Any], *, bound: bool) -> list[Parameter]:
    """The positional parameters, without the receiver's if it has one."""
    found = [p for p in signature(function, follow_wrapped=False).parameters.values() if p.kind in _POSITIONAL]
    return found[1 if bound else 0 :]


def _classes_of(parameter: Parameter, function: FunctionType) -> tuple[type, ...]:
    annotation: Any = parameter.annotation
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, function.__globals__)
        except Exception:  # a name that is not there at run time selects nothing
            return ()
    if isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        return tuple(cls for cls in get_args(annotation) if isinstance(cls, type) and cls is not type(None))
    return (annotation,) if isinstance(annotation, type) and annotation is not Parameter.empty else ()


def chosen(targets: Sequence[Target], failure: BaseException) -> Target | None:
    """The target for the most specific class of the failure, else the one for every failure."""
    for cls in type(failure).__mro__:
        for target in targets:
            if cls in target.answers:
                return target
    return next((target for target in targets if not target.answers), None)


@dataclass(frozen=True, slots=True)
class FallbackLayer:
    """Answers in place of a call that failed for good."""

    targets: tuple[Target, ...]
    classification: Classification
    channel: Channel
    clock: Clock
    unwrap: Classes

    async def run(self, call: Call, inner: int, port: Port) -> Outcome:
        return await self._answered(await call.inside(inner, port), call, port)

    async def _answered(self, outcome: Outcome, call: Call, port: Port) -> Outcome:
        failure = outcome.failure
        if failure is None or outcome.final:
            return outcome
        verdict = judged(self.classification, outcome)
        if isinstance(verdict, Outcome):
            return verdict
        if verdict is not Verdict.MATCH:
            return outcome
        actual = unwrapped(failure, self.unwrap)
        target = chosen(self.targets, actual)
        if target is None:
            return outcome
        return await self._answer(target, failure, actual, call, port)

    async def _answer(
        self, target: Target, failure: BaseException, actual: BaseException, call: Call, port: Port
    ) -> Outcome:
        args, kwargs = self._arguments(target, failure, actual, call)
        return self._noted(target, failure, await port.run(target.find(call.receiver), args, kwargs))

    def _noted(self, target: Target, failure: BaseException, answer: Outcome) -> Outcome:
        now = self.clock.monotonic_ns()
        if answer.failure is None:
            if self.channel.wants(FallbackApplied):
                self.channel.emit((FallbackApplied(*self.channel.stamp(now), target.name, failure),))
            return answer
        if answer.failure is not failure:
            in_context(answer.failure, failure)
            if self.channel.wants(FallbackFailed):
                self.channel.emit((FallbackFailed(*self.channel.stamp(now), target.name, failure, answer.failure),))
        return answer

    def _arguments(
        self, target: Target, failure: BaseException, actual: BaseException, call: Call
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if target.context:
            named = by_name(call.binder, call.arguments) if call.binder and call.arguments is not None else None
            return (self._context(failure, named, call),), {}
        args, kwargs = call.args, dict(call.kwargs)
        if call.binder is not None and call.arguments is not None:
            args, kwargs = given(call.binder, call.arguments)
        if target.error is not None and (target.by_position or len(args) > target.position):
            # What fills `*args` stands behind it.
            args = (*args[: target.position], actual, *args[target.position :])
        elif target.error is not None:
            kwargs[target.error] = actual
        if target.with_receiver:
            args = (call.receiver, *args)
        return args, kwargs

    def _context(self, failure: BaseException, named: dict[str, Any] | None, call: Call) -> FallbackContext:
        if named is None:
            named = {str(i): value for i, value in enumerate(call.args)} | call.kwargs
        return FallbackContext(
            failure=failure,
            attempts=call.attempts,
            arguments=named,
            function=getattr(call.function, "__func__", call.function),
            receiver=call.receiver,
            instance_id=self.channel.instance_id,
        )


class NotFound(Exception):
    """A target that is not there, where nothing could be checked before; `where` it was looked for."""

    def __init__(self, name: str, where: str) -> None:
        super().__init__(name, where)
        self.name = name
        self.where = where


def handler_target(handler: Any) -> Target:
    """The target for an object with `apply`."""
    return Target(type(handler).__qualname__, lambda _: handler.apply, context=True)


def is_handler(value: object) -> bool:
    """Whether a value is a class of fallback handlers."""
    return isinstance(value, type) and issubclass(value, FallbackHandler)
