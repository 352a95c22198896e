"""What others have made, by full name, as far as rules or extractors must know it."""

from __future__ import annotations

from typing import Final

from .values import Ref

HARMLESS_CLASS_DECORATORS: Final = frozenset(
    {
        "abc.update_abstractmethods",
        "attr.attrs",
        "attr.dataclass",
        "attr.define",
        "attr.frozen",
        "attr.mutable",
        "attr.s",
        "attrs.define",
        "attrs.frozen",
        "attrs.mutable",
        "dataclasses.dataclass",
        "enum.unique",
        "enum.verify",
        "functools.total_ordering",
        "typing.dataclass_transform",
        "typing.final",
        "typing.no_type_check",
        "typing.runtime_checkable",
        "warnings.deprecated",
    }
)
"""They add special methods at most, none that a fallback could name."""

ORDINARY_METACLASSES: Final = frozenset(
    {
        "abc.ABCMeta",
        "builtins.type",
        "enum.EnumMeta",
        "enum.EnumType",
        "typing.NamedTupleMeta",
        "typing._ProtocolMeta",
    }
)
"""They add no methods either."""

FUTURES: Final = frozenset(
    {
        "_asyncio.Future",
        "_asyncio.Task",
        "asyncio.Future",
        "asyncio.Task",
        "asyncio.futures.Future",
        "asyncio.tasks.Task",
        "concurrent.futures.Future",
        "concurrent.futures._base.Future",
    }
)
"""What stands for a result that comes later, while something else works on it already: each under the names of the
modules that define it and of those that people import it from."""


def future_of(classes: tuple[Ref, ...] | None) -> Ref | None:
    """The class of futures that an annotation names, if it names that one class alone."""
    if classes is None or len(classes) != 1:
        return None
    return classes[0] if FUTURES.intersection(classes[0].ancestors or ()) else None
