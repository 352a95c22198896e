"""The drawing of `full` for people: excerpts with carets, colours, links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from . import View, hint, mark, passed, statistics, summary
from .excerpt import Line, excerpt

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report
    from ..texts import Sources

_COLOURS: Final = {"error": "red", "warning": "yellow"}
_FAINT: Final = Style(dim=True)
_LEAST_WIDTH: Final = 40


def console_for(stream: TextIO, *, colour: bool) -> Console:
    """A console that neither guesses highlights nor reads markup."""
    return Console(
        file=stream,
        force_terminal=True,
        no_color=not colour,
        color_system="auto" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=None,
    )


def draw(report: Report, stream: TextIO, view: View) -> None:
    """Write all findings with their source, and the counts last."""
    console = console_for(stream, colour=view.colour)
    for diagnostic in report.diagnostics:
        _Drawing(console, report.sources, diagnostic, mark(report, diagnostic, view)).draw()
    if view.statistics and report.diagnostics:
        for line in statistics(report.diagnostics):
            console.print(line)
        console.print()
    style = Style(bold=True, color="green" if passed(report) else None)
    console.print(Text(summary(report, view.seconds), style), soft_wrap=True)
    for line in hint(report, view):
        console.print(Text(line), soft_wrap=True)


class _Drawing:
    """One finding on one console."""

    def __init__(self, console: Console, sources: Sources, diagnostic: Diagnostic, mark: str) -> None:
        self.console = console
        self.sources = sources
        self.diagnostic = diagnostic
        self.mark = mark
        self.colour = _COLOURS[diagnostic.severity.value]
        self.bar = "│" if _can_show(console, "│") else "|"
        self.margin = len(str(max(diagnostic.at.end_line, diagnostic.at.line) + 1))

    def draw(self) -> None:
        diagnostic = self.diagnostic
        self.console.print(self._head(), soft_wrap=True)
        lines = self._excerpt()
        for line in lines:
            self._source(line)
        indent = self.margin + 1 if lines else 2
        if diagnostic.subject:
            self._say(Text(f"{diagnostic.subject}:"), indent)
        self._say(Text(diagnostic.message, Style(bold=True)), indent)
        for label, text in self._remarks():
            self._say(Text.assemble((f"{label}: ", Style(bold=True, color="cyan")), text), indent)
        for related in diagnostic.related:
            self._say(
                Text.assemble(
                    (_place(related.at.source, related.at.line, related.at.column), _FAINT), f" {related.text}"
                ),
                indent,
            )
        self.console.print()

    def _head(self) -> Text:
        diagnostic = self.diagnostic
        return Text.assemble(
            (diagnostic.place, Style(bold=True)),
            "  ",
            (diagnostic.severity.value, Style(bold=True, color=self.colour)),
            "  ",
            (diagnostic.code, Style(color=self.colour, link=diagnostic.url)),
            (f" ({diagnostic.name})", _FAINT),
            (self.mark, Style(bold=True)),
        )

    def _remarks(self) -> list[tuple[str, str]]:
        from resilience4cata.diagnostics import did_you_mean_text

        diagnostic = self.diagnostic
        remarks = [
            ("help", did_you_mean_text(diagnostic.suggestions)),
            ("help", diagnostic.help),
            ("expected", diagnostic.expected),
        ]
        return [(label, text) for label, text in remarks if text]

    def _excerpt(self) -> list[Line]:
        at = self.diagnostic.at
        room = max(self.console.width, _LEAST_WIDTH) - self.margin - 3
        return excerpt(self.sources.lines(at.source), at, room, cell_len) if at.line else []

    def _source(self, line: Line) -> None:
        gutter = f"{line.number:>{self.margin}} {self.bar} "
        self.console.print(Text.assemble((gutter, _FAINT), line.text), soft_wrap=True)
        if line.end > line.start:
            blank = f"{'':>{self.margin}} {self.bar} "
            carets = " " * line.start + "^" * (line.end - line.start)
            self.console.print(
                Text.assemble((blank, _FAINT), (carets, Style(bold=True, color=self.colour))), soft_wrap=True
            )

    def _say(self, text: Text, indent: int) -> None:
        # Wrapped here, since the console would fill wrapped lines up with blanks.
        for line in text.wrap(self.console, max(self.console.width - indent, _LEAST_WIDTH)):
            line.rstrip()
            self.console.print(Text.assemble(" " * indent, line), soft_wrap=True)


def _place(path: str, line: int, column: int) -> str:
    return ":".join([path, *(str(number) for number in (line, column) if number)]) + ":"


def _can_show(console: Console, text: str) -> bool:
    try:
        text.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def draw_page(text: str, facts: str, url: str, stream: TextIO) -> None:
    """Write a rule's page, with what is known about the rule and the page's address."""
    from rich.markdown import Markdown

    console = console_for(stream, colour=not os.environ.get("NO_COLOR"))
    console.print(Markdown(text, hyperlinks=True), width=min(console.width, 100))
    console.print()
    console.print(Text(facts, _FAINT), soft_wrap=True)
    console.print(Text(url, Style(link=url, dim=True)), soft_wrap=True)
