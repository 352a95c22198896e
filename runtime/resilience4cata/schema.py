"""Attributes of policies, described once.

A policy's own fields carry kind, bounds, default and one line of documentation. Everything else that needs to know them
is derived: the decorator's parameters, configuration keys, validation, suggestions, JSON Schema, documentation tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, TypeVar, dataclass_transform

C = TypeVar("C", bound=type)


class Unset(Enum):
    """The type of `UNSET`, an attribute that was not written."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET


class AttributeKind(Enum):
    """What an attribute's value is; the word is used in messages ("expects …")."""

    DURATION = "a duration"
    INTEGER = "a whole number"
    NUMBER = "a number"
    BOOLEAN = "True or False"
    MEMBER = "a member"
    EXCEPTIONS = "an exception type or a tuple of exception types"
    CLASSIFIER = "a classifier"
    HANDLER = "a fallback handler or function"
    METHODS = "a method name or a tuple of method names"
    LAYERS = "layers"
    INSTANCE_NAME = "an instance name"
    TEMPLATE_NAME = "a template name"
    BUDGET_NAME = "the name of a retry budget"


# Not found in files: which instance and template an element uses, and what it falls back to, are decided in code.
_CODE_ONLY: Final = frozenset(
    {AttributeKind.INSTANCE_NAME, AttributeKind.TEMPLATE_NAME, AttributeKind.HANDLER, AttributeKind.METHODS}
)


class Attribute:
    """One attribute of a policy.

    `minimum` and `maximum` are inclusive, `above` is an exclusive lower bound; `zero` tells whether a duration of zero
    has a meaning. `default` is what the built-in layer gives (UNSET: nothing). `deny` marks the deny list of a pair of
    exception lists. `live` tells whether a running instance takes a new value without losing its state.
    """

    def __init__(
        self,
        kind: AttributeKind,
        *,
        default: object,
        doc: str,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
        zero: bool = True,
        members: type[Enum] | None = None,
        deny: bool = False,
        positional: bool = False,
        live: bool = True,
    ) -> None:
        self.kind = kind
        self.default = default
        self.doc = doc
        self.minimum = minimum
        self.maximum = maximum
        self.above = above
        self.zero = zero
        self.members = members
        self.deny = deny
        self.positional = positional
        self.live = live
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        # Read from a policy value, an attribute is what was written; read from the class, it is its description.
        return self if instance is None else instance.written.get(self.name, UNSET)

    @property
    def key(self) -> str:
        """The name in configuration keys: `max-attempts`."""
        return self.name.replace("_", "-")

    @property
    def configurable(self) -> bool:
        """Whether a configuration file may set it."""
        return self.kind not in _CODE_ONLY


def attribute(
    kind: AttributeKind,
    *,
    default: object,
    doc: str,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    zero: bool = True,
    members: type[Enum] | None = None,
    deny: bool = False,
    kw_only: bool = True,
    live: bool = True,
) -> Any:
    """Describe a field of a policy; see `Attribute`. Type checkers read `default` and `kw_only` as a dataclass
    field's."""
    return Attribute(
        kind,
        default=default,
        doc=doc,
        minimum=minimum,
        maximum=maximum,
        above=above,
        zero=zero,
        members=members,
        deny=deny,
        positional=not kw_only,
        live=live,
    )


class PolicySchema:
    """All that is known about a policy before anybody writes one.

    `name` is the decorator ("circuit_breaker"), `cls` the class of its values, `stateful` whether it has instances
    with state of their own, `attributes` its attributes by Python name, in the order of the documentation.
    """

    def __init__(self, name: str, cls: type, attributes: Mapping[str, Attribute]) -> None:
        self.name = name
        self.cls = cls
        self.attributes = attributes

    @property
    def key(self) -> str:
        """The name in configuration keys: `circuit-breaker`."""
        return self.name.replace("_", "-")

    @property
    def stateful(self) -> bool:
        return "name" in self.attributes

    @property
    def positional(self) -> tuple[str, ...]:
        """Attributes that may be given without their name, in order."""
        return tuple(a.name for a in self.attributes.values() if a.positional)

    def settable(self) -> Iterator[Attribute]:
        """The attributes that configuration files may set."""
        return (a for a in self.attributes.values() if a.configurable)

    def by_key(self, key: str) -> Attribute | None:
        """The settable attribute spelled `key` in a file."""
        return next((a for a in self.settable() if a.key == key), None)

    @property
    def documentation(self) -> str:
        """The docstring of the module that declares the policy."""
        return sys.modules[self.cls.__module__].__doc__ or ""


POLICIES: Final[dict[str, PolicySchema]] = {}
"""Every policy by name, filled as the policies are imported, in execution order of their import."""


def policy_by_key(key: str) -> PolicySchema | None:
    """The policy spelled `key` in configuration files."""
    return POLICIES.get(key.replace("-", "_")) if "_" not in key else None


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(attribute,))
def declaration(name: str) -> Callable[[C], C]:
    """Make a class the values of the policy `name`: its `attribute(…)` fields become keyword parameters.

    To type checkers the class is a frozen dataclass. At run time it is less: parsing parameters is shared by all
    policies (`policies.declaration.Policy`), because building ten dataclasses would double the time to import the
    package.
    """

    def register(cls: C) -> C:
        attributes = {name: value for name, value in vars(cls).items() if isinstance(value, Attribute)}
        schema = PolicySchema(name, cls, attributes)
        cls.schema = schema  # type: ignore[attr-defined]
        POLICIES[name] = schema
        return cls

    return register
