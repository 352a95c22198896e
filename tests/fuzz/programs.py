"""Random programs with decorated functions and classes: right and wrong ones, as Python's grammar allows them."""

from __future__ import annotations

from hypothesis import strategies as st

_PREAMBLE = """\
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, overload

import resilience4cata as r4c
from resilience4cata import (
    Backoff, Classifier, FallbackContext, FallbackHandler, adaptive_limit, bulkhead, circuit_breaker, fallback, hedge,
    inherit_policies, rate_limiter, resilience_policy, retry, timeout, unguarded,
)

T = TypeVar("T")
NAME = "external"
composed = resilience_policy("composed", retry(max_attempts=2), timeout("1s"))


class Answer(FallbackHandler[int]):
    def apply(self, context: FallbackContext) -> int:
        return 1


"""
_VALUES = st.sampled_from(
    [
        "1", "0", "-1", "1.5", "True", "None", '"1s"', '"2 s"', '"f"', '"g"', '""', "NAME", "Backoff.FIXED", "Backoff",
        "ValueError", "(ValueError, OSError)", "BaseException", "Answer", "Answer()", "f", "lambda: 1", "...", "[]",
        '("f", "g")', "undefined", "A", "r4c.Jitter.FULL", "*NAME", "**{}", 'f"{NAME}"', "10**30", "float('nan')",
    ]
)  # fmt: skip
_KEYWORDS = st.sampled_from(
    [
        "max_attempts", "delay", "max_delay", "backoff", "retry_on", "abort_on", "config", "name", "method", "handler",
        "apply_on", "skip_on", "value", "window_size", "minimum_calls", "max_wait", "permits", "classifier", "nothing",
    ]
)  # fmt: skip
_POLICIES = st.sampled_from(
    [
        "retry", "timeout", "fallback", "bulkhead", "circuit_breaker", "rate_limiter", "hedge", "adaptive_limit",
        "r4c.retry", "r4c.fallback", "composed", "resilience_policy",
    ]
)  # fmt: skip
_OTHERS = st.sampled_from(
    [
        "composed", "unguarded", "inherit_policies", "staticmethod", "classmethod", "property", "functools.cache",
        "dataclass", "dataclass(slots=True)", "overload", "retry", "undefined", "r4c", "lambda f: f",
    ]
)  # fmt: skip
_ARGUMENT = st.one_of(_VALUES, st.tuples(_KEYWORDS, _VALUES).map("=".join))
# Those with a name come last, as Python wants it.
_ARGUMENTS = st.lists(_ARGUMENT, max_size=3).map(lambda written: ", ".join(sorted(written, key=lambda a: "=" in a)))
_DECORATOR = st.one_of(st.tuples(_POLICIES, _ARGUMENTS).map(lambda pair: f"{pair[0]}({pair[1]})"), _OTHERS)
_TYPES = st.sampled_from(
    ["int", "str", "T", "Any", "A", '"A"', "None", "Iterator[int]", "undefined", "list[T]", "type[A]"]
)
_PARAMETERS = st.sampled_from(
    [
        "",
        "self",
        "cls",
        "self, x: int",
        "self, x: int, *, y: str",
        "self, *a: int",
        "self, **k: str",
        "x, /, y",
        "self, e: ValueError",
    ]
)
_BODIES = st.sampled_from(["...", "return 1", "yield 1", "raise ValueError", "return self", "pass"])
_NAMES = st.sampled_from(["f", "g", "h", "__init__", "__call__", "_f", "A", "B"])
_BASES = st.sampled_from(
    ["", "(A)", "(B)", "(Protocol)", "(Generic[T])", "(Answer)", "(FallbackHandler[T])", "(undefined)", "(Exception)"]
)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@st.composite
def _functions(draw: st.DrawFn) -> str:
    decorators = "".join(f"@{decorator}\n" for decorator in draw(st.lists(_DECORATOR, max_size=3)))
    kind = draw(st.sampled_from(["def", "def", "async def"]))
    result = draw(st.one_of(st.just(""), _TYPES.map(" -> {}".format)))
    return f"{decorators}{kind} {draw(_NAMES)}({draw(_PARAMETERS)}){result}: {draw(_BODIES)}\n"


@st.composite
def _classes(draw: st.DrawFn) -> str:
    decorators = "".join(f"@{decorator}\n" for decorator in draw(st.lists(_DECORATOR, max_size=2)))
    body = "".join(map(_indented, draw(st.lists(_functions(), min_size=1, max_size=4))))
    return f"{decorators}class {draw(st.sampled_from('ABC'))}{draw(_BASES)}:\n{body}"


_NESTED = _functions().map(lambda inner: f"def outer() -> None:\n{_indented(inner)}")
_CALLS = st.tuples(_DECORATOR, _VALUES).map(lambda pair: f"x = {pair[0]}({pair[1]})\n")
_STATEMENTS = st.one_of(_functions(), _classes(), _classes(), _NESTED, _CALLS)


def programs() -> st.SearchStrategy[str]:
    """Programs that Python can parse; what they name may be undefined, repeated or of another type."""
    return st.lists(_STATEMENTS, min_size=1, max_size=4).map("\n".join).map(_PREAMBLE.__add__).filter(_is_parsed)


def _is_parsed(program: str) -> bool:
    try:
        compile(program, "program", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True
