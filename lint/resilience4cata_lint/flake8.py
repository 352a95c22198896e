"""The linter as plugins of flake8, one for each family of rules.

flake8 knows codes of three letters and three digits, so `R4C-FB-002` becomes `RFB002`. There is one entry point for
each family, since flake8 chooses plugins by the letters of their codes; they share one look at each file.

flake8 imports this module in each of its processes, so nothing here is heavy before a file has to do with us.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from resilience4cata._version import __version__

if TYPE_CHECKING:
    import argparse

    from resilience4cata.diagnostics import Diagnostic

    from .single import Checker

_OPTION: Final = "--r4c-extend-select"

Problem = tuple[int, int, str, type]
"""Line from 1, column from 0, text that begins with the code, and the plugin."""


class _Parser(Protocol):
    """What is used of flake8's `OptionManager`."""

    def add_option(self, name: str, /, **options: object) -> None: ...


class _Shared:
    """What the plugins of one process have in common: the words of the option, and the checker made for them."""

    words: ClassVar[tuple[str, ...]] = ()
    checker: ClassVar[Checker | None] = None

    @classmethod
    def made(cls) -> Checker:
        """The checker, made when it is first needed."""
        if cls.checker is None:
            from .single import Checker

            cls.checker = Checker(cls.words)
        return cls.checker


class Family:
    """A plugin: reports what a file has of one family. Subclasses say which, and what flake8 calls it."""

    name = "resilience4cata"
    version = __version__
    family: ClassVar[str]
    letters: ClassVar[str]

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    def run(self) -> Iterator[Problem]:
        """What flake8 asks for. Raises flake8's ExecutionError if the settings of the project are wrong."""
        for diagnostic in _found(self._filename, self._lines):
            _, family, number = diagnostic.code.split("-")
            if family == self.family:
                line = " ".join(diagnostic.line.split())
                text = f"{self.letters}{number} [{diagnostic.code}] {line}"
                yield max(diagnostic.at.line, 1), max(diagnostic.at.column - 1, 0), text, type(self)


def _found(filename: str, lines: Sequence[str]) -> list[Diagnostic]:
    from .options import UsageError

    try:
        return _Shared.made().check(filename, lines)
    except UsageError as error:
        # The one exception that flake8 shows as a sentence. flake8 does not carry its types to those who import it.
        from importlib import import_module

        msg = f"r4c: {error}"
        raise import_module("flake8.exceptions").ExecutionError(msg) from error


class Fallbacks(Family):
    """FB; it also brings the option that all of them have."""

    family, letters = "FB", "RFB"

    @classmethod
    def add_options(cls, parser: _Parser) -> None:
        """Called by flake8 in each of its processes."""
        parser.add_option(
            _OPTION,
            default="",
            metavar="rules",
            parse_from_config=True,
            comma_separated_list=True,
            help="Rules of r4c that are off by default: codes, families or names.",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Called by flake8 once the options are known."""
        _Shared.words, _Shared.checker = tuple(options.r4c_extend_select), None


class Durations(Family):
    family, letters = "DU", "RDU"


class Values(Family):
    family, letters = "VA", "RVA"


class Configuration(Family):
    family, letters = "CFG", "RCF"


class Compositions(Family):
    family, letters = "CMP", "RCM"


class Orders(Family):
    family, letters = "OR", "ROR"


class Places(Family):
    family, letters = "LOC", "RLO"


class TimeBudgets(Family):
    family, letters = "TB", "RTB"


class Classifications(Family):
    family, letters = "CL", "RCL"


class Instances(Family):
    family, letters = "IN", "RIN"


class Nesting(Family):
    family, letters = "NE", "RNE"


class Asynchrony(Family):
    family, letters = "AS", "RAS"


class Suppressions(Family):
    family, letters = "SUP", "RSU"


class Sources(Family):
    family, letters = "SRC", "RSR"
