"""Facts from little pieces of Python source, for tests of rules."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Mapping
from typing import Any

from resilience4cata.facts import At, Declaration, Parameter, ParameterKind, Ref, Signature, Slot, TypeFact, Value


def ref(cls: type) -> Ref:
    """A class as facts know it."""
    return Ref(_full_name(cls), True, tuple(_full_name(base) for base in cls.__mro__))


def _full_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def type_fact(text: str) -> TypeFact:
    """A type by its text; builtin exception names are known as classes."""
    classes = [getattr(builtins, name, None) for name in text.split(" | ")]
    known = all(isinstance(c, type) for c in classes)
    return TypeFact(text, classes=tuple(ref(c) for c in classes if isinstance(c, type)) if known else None)


def signature(source: str) -> Signature:
    """A signature from `(a: int, b: str = "") -> User`, without self."""
    namespace: dict[str, Any] = {}
    exec(f"from __future__ import annotations\ndef f{source}: ...", namespace)
    found = inspect.signature(namespace["f"])
    parameters = tuple(
        Parameter(
            p.name,
            ParameterKind(int(p.kind)),
            required=p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
            type=None if p.annotation is p.empty else type_fact(p.annotation),
            annotated=p.annotation is not p.empty,
        )
        for p in found.parameters.values()
    )
    result = None if found.return_annotation is found.empty else type_fact(found.return_annotation)
    return Signature(parameters, result)


def declaration(policy: str, slots: Mapping[str, Value], line: int = 1) -> Declaration:
    """A declaration whose attributes stand in a row on one line."""
    placed = {name: Slot((value,), At("app.py", line, 10 * i)) for i, (name, value) in enumerate(slots.items(), 1)}
    return Declaration(policy, placed, At("app.py", line, 2))
