"""Configuration that a test writes beside itself."""

from __future__ import annotations

from collections.abc import Mapping

from ..config import tree
from ..config.sources import OptionsSource
from ..facts import At, ConfigFile, Key
from ..records import replace


class MarkerSource(OptionsSource):
    """The `settings` of a marker: keys as in a `.properties` file, as strong as options of the interpreter."""

    def __init__(self, settings: Mapping[str, str | bool | float], marker: str) -> None:
        super().__init__({name: _text(value) for name, value in settings.items()})
        self.marker = marker

    @property
    def foreign(self) -> list[str]:
        """Keys that mean nothing to the library, wherever they stand."""
        return [name for name in self.options if self._key(name) is None]

    def load(self) -> ConfigFile:
        keys = map(self._key, self.options)
        return ConfigFile(self.marker, tuple(key for key in keys if key is not None))

    def _key(self, name: str) -> Key | None:
        at = At(self.marker)
        key = tree.properties_key(name, str(self.options[name]), lambda *_: at, at)
        # What a test sets here is meant for the library alone.
        return replace(key, certain=True) if key is not None else None


def _text(value: str | bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
