"""The drawing of `r4c describe` for people: columns as wide as the terminal allows, in the words of the plain text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TextIO

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from resilience4cata.config.description import BELOW_LAYERS
from resilience4cata.diagnostics import printable

from .terminal import console_for

if TYPE_CHECKING:
    from rich.console import Console

    from resilience4cata.config.description import DescribedSetting

    from ..described import Described

_PLAIN: Final = Style()
_STRONG: Final = Style(bold=True)
_FAINT: Final = Style(dim=True)
_POLICY: Final = Style(bold=True, color="cyan")
_DOUBTFUL: Final = Style(color="yellow")

_INDENT: Final = 4
_GAP: Final = 2
_LEAST_ORIGIN: Final = 24
_LONGEST_VALUE: Final = 32


def draw(found: Described, stream: TextIO, *, colour: bool) -> None:
    """Write all of it."""
    _Drawing(found, console_for(stream, colour=colour)).draw()


class _Drawing:
    """One description on one console."""

    def __init__(self, found: Described, console: Console) -> None:
        self.found = found
        self.console = console
        settings = found.main.settings
        self.name_width = max((cell_len(setting.attribute) for setting in settings), default=0)
        self.value_width = min(
            max((cell_len(printable(setting.value)) for setting in settings), default=0), _LONGEST_VALUE
        )

    def draw(self) -> None:
        found, main, below = self.found, self.found.main, self.found.below()
        self._say(main.id, 0, _STRONG)
        if main.layers:
            self._say(main.way_in, 2)
            self._remarks(below.get(BELOW_LAYERS, ()), 2)
        for policy in main.layers:
            self._say(main.heading(policy), 2, _POLICY)
            for setting in main.settings:
                if setting.policy == policy:
                    self._setting(setting)
                    self._remarks(below.get((policy, setting.attribute), ()), _INDENT + 2)
        for line in found.tail():
            words = line.lstrip(" ")
            self._say(words, len(line) - len(words))

    def _setting(self, setting: DescribedSetting) -> None:
        """Name, value and origin side by side; an origin that does not fit there stands below."""
        name = Text(f"{'':{_INDENT}}{setting.attribute}".ljust(_INDENT + self.name_width + _GAP))
        value = Text(printable(setting.value), _DOUBTFUL if setting.reason else _STRONG)
        origin = Text(printable(setting.source), _FAINT)
        start = cell_len(name.plain) + self.value_width + _GAP
        room = self.console.width - start
        longest = max(map(cell_len, origin.plain.split()), default=0)
        if cell_len(value.plain) > self.value_width or room < max(longest, _LEAST_ORIGIN):
            self._hang(name, value, cell_len(name.plain))
            self._say(setting.source, _INDENT + 2, _FAINT)
            return
        value.append(" " * (self.value_width - cell_len(value.plain) + _GAP))
        self._hang(Text.assemble(name, value), origin, start)

    def _remarks(self, remarks: Iterable[str], indent: int) -> None:
        for remark in remarks:
            self._say(remark, indent)

    def _say(self, text: str, indent: int, style: Style = _PLAIN) -> None:
        self._hang(Text(" " * indent), Text(printable(text), style), indent)

    def _hang(self, head: Text, text: Text, start: int) -> None:
        # Wrapped here, since the console would fill wrapped lines up with blanks.
        for line in text.wrap(self.console, max(self.console.width - start, _LEAST_ORIGIN)):
            line.rstrip()
            self.console.print(Text.assemble(head, line), soft_wrap=True)
            head = Text(" " * start)
