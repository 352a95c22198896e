"""Decorators and metaclasses of others that leave a class with the members its body shows."""

from __future__ import annotations

from typing import Final

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
