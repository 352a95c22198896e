"""Where an effective setting comes from, and what it shadowed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ..facts import NOWHERE, At, Value


class Layer(IntEnum):
    """The layers of configuration, weakest first."""

    BUILT_IN = 10
    DEFAULTS = 20
    TEMPLATE = 30
    PROFILE_DEFAULTS = 40
    PROFILE_TEMPLATE = 41
    CLASS_COMPOSED = 50
    CLASS_FAMILY = 51
    CLASS_DIRECT = 52
    CLASS_KEY = 60
    METHOD_COMPOSED = 70
    METHOD_FAMILY = 71
    METHOD_DIRECT = 72
    INSTANCE = 80


@dataclass(frozen=True, slots=True)
class Origin:
    """A layer, the name in it (template, composed policy, element, instance; "" for none), and the place."""

    layer: Layer
    name: str = ""
    at: At = NOWHERE
    profile: str | None = None

    @property
    def text(self) -> str:
        """`configs.external (prod profile, resilience4cata.toml:7)`."""
        details = [f"{self.profile} profile"] if self.profile is not None else []
        details += [f"{self.at.source}:{self.at.line}" if self.at.line else self.at.source] if self.at.source else []
        title = self._title()
        return f"{title} ({', '.join(details)})" if details else title

    def _title(self) -> str:
        match self.layer:
            case Layer.BUILT_IN:
                return "built-in default"
            case Layer.DEFAULTS | Layer.PROFILE_DEFAULTS:
                return "defaults"
            case Layer.TEMPLATE | Layer.PROFILE_TEMPLATE:
                return f"configs.{self.name}"
            case Layer.CLASS_COMPOSED | Layer.METHOD_COMPOSED:
                return f'resilience_policy("{self.name}")'
            case Layer.INSTANCE:
                return f"instances.{self.name}"
        return self.name


@dataclass(frozen=True, slots=True)
class Given:
    """A value that one layer gives; UNKNOWN where it may give any."""

    value: Value
    origin: Origin


@dataclass(frozen=True, slots=True)
class Effective:
    """The value that counts, where it comes from, and what it shadowed, strongest first."""

    value: Value
    origin: Origin
    shadowed: tuple[Given, ...] = ()


def describe(attribute: str, effective: Effective, shown: str) -> str:
    """`wait_in_open=30s <- configs.external (prod profile, resilience4cata.toml:7)`; `shown` is the value in words."""
    return f"{attribute}={shown} <- {effective.origin.text}"
