"""Where an effective setting comes from, and what it shadowed."""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Final

from ..facts import NOWHERE, UNKNOWN, At, Slot, Value
from ..records import dataclass, field

# Sources without lines, as provenance names them; a problem there names the variable or option too.
_SHORT: Final = {"env ": "env", "-X ": "-X"}


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
    OVERRIDE = 90
    RECONFIGURED = 91


class Doubt(Enum):
    """Why a layer may give any value, or none."""

    OPTIONS = auto()  # `**options` may set it
    POLICIES = auto()  # policies that nobody can see may stand there
    MEMBERS = auto()  # a composed policy may have members that nobody can see
    NAME = auto()  # keys may tune a composed policy whose name is not known
    DISAGREEMENT = auto()  # composed policies side by side write it differently
    SOURCE = auto()  # a source of configuration is not known or cannot be read
    TEMPLATE = auto()  # the template is not known
    INSTANCE = auto()  # the instance may be the one that is tuned there
    CODE = auto()  # code that may belong to another program overrides it


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
        details += [_shown(self.at)] if self.at.source else []
        title = self._title()
        return f"{title} ({', '.join(details)})" if details else title

    def because(self, reason: str) -> str:
        """The text, and why nothing is known about the value, unless it is."""
        return f"{self.text}: {reason}" if reason else self.text

    def _title(self) -> str:
        match self.layer:
            case Layer.BUILT_IN:
                return "built-in default"
            case Layer.DEFAULTS | Layer.PROFILE_DEFAULTS:
                return self.name or "defaults"
            case Layer.TEMPLATE | Layer.PROFILE_TEMPLATE:
                return f"configs.{self.name}" if self.name else "an unknown template"
            case Layer.CLASS_COMPOSED | Layer.METHOD_COMPOSED:
                return f'resilience_policy("{self.name}")'
            case Layer.INSTANCE:
                return f"instances.{self.name}"
            case Layer.OVERRIDE:
                return f'builder.instance("{self.name}")'
            case Layer.RECONFIGURED:
                return f'reconfigure("{self.name}")'
        return self.name


def _shown(at: At) -> str:
    short = next((short for start, short in _SHORT.items() if at.source.startswith(start)), at.source)
    return f"{short}:{at.line}" if at.line else short


@dataclass(frozen=True, slots=True)
class Given:
    """A value that one layer gives; UNKNOWN where it may give any. `slot` is where code writes it, None elsewhere.

    `doubt` says why it is UNKNOWN, unless the value itself cannot be read.
    """

    value: Value
    origin: Origin
    slot: Slot | None = field(default=None, compare=False, repr=False)
    doubt: Doubt | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Effective:
    """The value that counts, where it comes from, and what it shadowed, strongest first.

    `slot` is where code writes it, None for a value of a configuration source and for a default. `doubt` is that of
    `Given`.
    """

    value: Value
    origin: Origin
    shadowed: tuple[Given, ...] = ()
    slot: Slot | None = field(default=None, compare=False, repr=False)
    doubt: Doubt | None = field(default=None, compare=False, repr=False)

    @property
    def as_known(self) -> Value:
        """The value as far as known sources tell: one that nobody knows might give a default of its own, but the
        function was written without it."""
        if self.value is not UNKNOWN or self.origin.layer is not Layer.DEFAULTS:
            return self.value
        return next((given.value for given in self.shadowed if given.origin.layer is Layer.BUILT_IN), UNKNOWN)


def unknown(origin: Origin, doubt: Doubt) -> Given:
    """What a layer gives that may give anything."""
    return Given(UNKNOWN, origin, doubt=doubt)


def describe(attribute: str, origin: Origin, shown: str, reason: str = "") -> str:
    """`wait_in_open=30s <- configs.external (prod profile, resilience4cata.toml:7)`; `shown` is the value in words.

    `reason` says why it is not known, if it is not.
    """
    return f"{attribute}={shown} <- {origin.because(reason)}"
