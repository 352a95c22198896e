"""What only a running program meets: pipelines, and settings that turn out to be unusable when they are put to use."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import dataclass
from .definitions import Definition, Element
from .policies import NotAPolicy
from .values import NOWHERE, At, Slot, Unknown, Value


@dataclass(frozen=True, slots=True)
class PipelineCall:
    """`resilience.pipeline("payments", …, config="external")`.

    `config` is the slot of the template, None if none is written; `members` are the arguments that are no policies.
    """

    name: str
    at: At
    config: Slot | None = None
    members: tuple[NotAPolicy, ...] = ()

    @property
    def title(self) -> str:
        """`pipeline("payments")`, as messages name it."""
        return f'pipeline("{self.name}")'


@dataclass(frozen=True, slots=True)
class PipelineScope:
    """Where a pipeline looks for siblings: there are none."""

    id: str

    @property
    def is_class(self) -> bool:
        return False

    @property
    def ancestors(self) -> tuple[str, ...] | None:
        return None

    def lookup(self, name: str) -> Definition | Unknown | None:
        return None

    def names(self) -> Sequence[str]:
        return ()

    def public_methods(self) -> Sequence[Definition] | Unknown:
        return ()

    def subclasses(self) -> Sequence[PipelineScope]:
        return ()


@dataclass(frozen=True, slots=True)
class Clash:
    """Two that use one name with settings that certainly differ.

    `policy` is the one whose instance has the name; "" for two pipelines of that name, which were made at the places
    `first_at` and `other_at`. `first` was there before `other`; None if nobody knows who it was. `different` are
    policies and attributes, without an attribute for a policy that only one of the two has.
    """

    name: str
    policy: str
    first: Element | None
    other: Element
    different: tuple[tuple[str, str], ...]
    first_at: At = NOWHERE
    other_at: At = NOWHERE


@dataclass(frozen=True, slots=True)
class Unmade:
    """A class given as an attribute of a policy (a handler, a classifier) of which no object could be made.

    `at` is where the class is named, `reason` what the attempt ended with.
    """

    element: Element
    policy: str
    attribute: str
    value: Value
    at: At
    reason: str


@dataclass(frozen=True, slots=True)
class Unfound:
    """A fallback of an element that a name does not lead to; `where` it was looked for."""

    element: Element
    name: str
    where: str
