"""Functions that stand in for others: code with exactly their parameters, which calls what is among its constants.

Code is compiled once for each shape of parameters, and gets its constants by `replace`. The garbage collector does not
look into code. What may lead back to the function that runs the code, as a function that another function made may do,
is therefore not among the constants: they hold it weakly, and `Runs` tells what has to be held beside the code.
"""

from __future__ import annotations

from _weakref import proxy, ref
from collections.abc import Callable
from functools import lru_cache, partial, update_wrapper
from gc import is_tracked
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, NamedTuple

from .signature import ANY, arguments_text, plain_function, signature_text

FILE: Final = "<guarded by resilience4cata>"
"""The file that the code says it is from."""

_NEEDS: Final = "__resilience4cata_needs__"
_COROUTINE: Final = 0x80  # inspect.CO_COROUTINE
_ITERABLE_COROUTINE: Final = 0x100  # inspect.CO_ITERABLE_COROUTINE
_YIELDS: Final = 0x20 | 0x200  # inspect.CO_GENERATOR, CO_ASYNC_GENERATOR
_TARGET: Final = b"what the code of a wrapper calls"


class Runs(NamedTuple):
    """What a wrapper runs: code, and the objects that its constants hold only weakly."""

    code: CodeType
    needs: tuple[object, ...] = ()


def calling(function: Callable[..., Any], target: Callable[..., Any]) -> Runs:
    """What runs, with the parameters of `function`, to call `target` with all arguments as they came."""
    if target is function and not leads_back(function):
        return Runs(forwarding(function, target))
    try:
        reference = ref(target) if may_lead_back(function) else None
    except TypeError:
        reference = None
    if reference is None:
        return Runs(forwarding(function, target))
    return Runs(forwarding(function, reference, weakly=True), (target,))


def forwarding(function: Callable[..., Any], target: Callable[..., Any], *, weakly: bool = False) -> CodeType:
    """Code with the parameters of `function` that calls `target` with all arguments as they came.

    With `weakly`, `target` is a weak reference to what is called.
    """
    plain = function if type(function) is FunctionType else None
    signature = signature_text(plain.__code__) if plain is not None else ANY
    arguments = arguments_text(plain.__code__) if plain is not None else ANY
    if signature is None or arguments is None:
        signature = arguments = ANY
    template = _template(signature, arguments, is_coroutine_function(function), weakly)
    constants = tuple(target if type(constant) is bytes else constant for constant in template.co_consts)
    if plain is None:
        return template.replace(co_consts=constants)
    flags = template.co_flags | _kept_flags(plain.__code__.co_flags)
    return template.replace(co_consts=constants, co_name=plain.__name__, co_qualname=plain.__qualname__, co_flags=flags)


def _kept_flags(flags: int) -> int:
    """What says that calling a function makes a generator, which frameworks ask for; the interpreter does not."""
    return 0 if flags & _ITERABLE_COROUTINE else flags & _YIELDS


def function_like(function: Callable[..., Any], code: CodeType) -> FunctionType:
    """A function with that code, and with the name and defaults of `function`."""
    plain = function if type(function) is FunctionType else plain_function(function)
    names = plain.__globals__ if plain is not None else {}
    if plain is None or plain is not function:
        return FunctionType(code, names)
    made = FunctionType(code, names, plain.__name__, plain.__defaults__)
    made.__kwdefaults__ = plain.__kwdefaults__
    made.__qualname__ = plain.__qualname__
    return made


def function_running(function: Callable[..., Any], runs: Runs) -> FunctionType:
    """A function like `function` that is no wrapper of a guard, and holds itself what its code needs."""
    made = function_like(function, runs.code)
    if runs.needs:
        made.__dict__[_NEEDS] = runs.needs
    return made


def may_lead_back(function: Callable[..., Any]) -> bool:
    """Whether what runs for a callable may lead back to its wrapper, and is to be let go together with it.

    So may what another function made, a class that it made included, and an object that is called. What modules define
    lives as long as they do.
    """
    return type(function) is not FunctionType or "<locals>" in function.__qualname__


def leads_back(function: Callable[..., Any]) -> bool:
    """Whether that is so for a callable itself: a function without variables of others leads nowhere."""
    if type(function) is not FunctionType:
        return True
    given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return may_lead_back(function) and (function.__closure__ is not None or any(map(is_tracked, given)))


def weakly_called(target: Callable[..., Any]) -> Callable[..., Any]:
    """What calls `target` without holding it; `target` itself, where it cannot be held weakly."""
    try:
        # A proxy has no hash, and then code that holds it has none: debuggers and profilers look code up by it.
        return partial(proxy(target))
    except TypeError:
        return target


def is_coroutine_function(function: Any) -> bool:
    """Whether a callable is an `async def`, in a partial, a bound method, or as `__call__`."""
    plain = plain_function(function)
    return plain is not None and bool(plain.__code__.co_flags & _COROUTINE)


@lru_cache(maxsize=1024)
def _template(signature: str, arguments: str, is_coroutine: bool, weakly: bool) -> CodeType:
    # The condition, which the compiler removes, hides from it that a constant is called, which it would warn of.
    call = f"({_TARGET!r} if True else 0){'()' if weakly else ''}({arguments})"
    head, result = ("async def", f"await {call}") if is_coroutine else ("def", call)
    body = f"{head} call({signature}): return {result}"
    namespace: dict[str, Any] = {}
    exec(compile(body, FILE, "exec"), namespace)
    code: CodeType = namespace["call"].__code__
    return code


def resemble(wrapper: FunctionType, target: Any) -> None:
    """What `functools.wraps` would do for an object that is called, and the object's methods as attributes."""
    kind = type(target)
    named = plain_function(target) if kind is MethodType or issubclass(kind, partial) else kind
    named = kind if named is None else named
    wrapper.__name__, wrapper.__qualname__, wrapper.__module__ = named.__name__, named.__qualname__, named.__module__
    try:
        update_wrapper(wrapper, target)
        for name in dir(kind):
            if not name.startswith("_") and callable(getattr(kind, name)):
                wrapper.__dict__.setdefault(name, getattr(target, name))
    except Exception:  # a proxy that has nothing to stand for yet; declaring never fails
        wrapper.__dict__["__wrapped__"] = target
