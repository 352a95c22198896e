"""What `--fix` and `--diff` do with the edits: write files, or show what would be written."""

# Paths stay the texts they were given as.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import diff_bytes, unified_diff
from typing import TYPE_CHECKING, Final, TypeAlias

from resilience4cata.records import replace

from .. import files
from ..inputs import Stdin
from ..outcome import CLEAN, FOUND
from ..output import counted, fixable
from ..texts import Sources
from ..writing import write
from .passes import Contents, Look, Repaired, repaired

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from ..baseline import Baseline
    from ..engine import Report

Analyse: TypeAlias = "Callable[[Stdin | None], Report]"
"""Checks everything, given what came in by standard input."""


def repair(
    analyse: Analyse, report: Report, stdin: Stdin | None, baseline: Baseline | None, *, unsafe: bool
) -> Repaired:
    """The findings repaired that are not in the baseline, without anything written.

    What could not be done is said on standard error.
    """
    result = repaired(_look_with(analyse, stdin), report, lambda found: _new(found, baseline), unsafe=unsafe)
    result.report.fixed = result.fixed
    for diagnostic in result.unsound:
        what = f"the edit for {diagnostic.code} would leave the file invalid, and is not made"
        print(f"r4c: warning: {diagnostic.place}: {what}", file=sys.stderr)
    if result.unsettled:
        print("r4c: warning: edits undo each other; what is left has to be repaired by hand", file=sys.stderr)
    return result


def _look_with(analyse: Analyse, stdin: Stdin | None) -> Look:
    """Checks everything as if files, and standard input, held other contents."""

    def look(contents: Contents) -> Report:
        changed = stdin if stdin is None or stdin.path not in contents else replace(stdin, data=contents[stdin.path])
        with files.holding(contents):
            report = analyse(changed)
        # What is shown later is shown as it was checked.
        report.sources = Sources({**report.sources.texts, **contents})
        return report

    return look


def save(result: Repaired, analyse: Analyse, stdin: Stdin | None) -> tuple[Report, list[str]]:
    """Write what changed, standard input to standard output.

    Returns the report on what is there now, and the files that were left alone, which is said on standard error.
    """
    left = []
    if stdin is not None:
        _print_as_it_is([result.after.get(stdin.path, stdin.data)])
    for path, data in result.after.items():
        problem = "" if stdin is not None and path == stdin.path else _saved(path, result.before[path], data)
        if problem:
            print(f"r4c: error: {path}: {problem}", file=sys.stderr)
            left.append(path)
    if not left:
        return result.report, left
    report = analyse(stdin)
    report.fixed = [diagnostic for diagnostic in result.fixed if diagnostic.at.source not in left]
    return report, left


def _saved(path: str, before: bytes, data: bytes) -> str:
    """Write a file that still holds what was checked; what kept it from being written, or nothing."""
    try:
        # Replacing a file needs no right to write to it, but whoever took that right away meant something.
        if not os.stat(path).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            return "is read-only, and was not repaired"
        if files.read(path) != before:
            return "changed meanwhile, and was not repaired; run r4c again"
        write(path, data)
    except OSError as error:
        return f"cannot be written: {error.strerror or error}"
    return ""


def show(result: Repaired, baseline: Baseline | None, *, unsafe: bool, exit_zero: bool, colour: bool = False) -> int:
    """Write what would change, in the form that `patch` and `git apply -p0` take, or in colours; the exit code."""
    for path, data in sorted(result.after.items()):
        lines = _diff(path, result.before[path], data)
        _print_as_it_is(map(_coloured, lines) if colour else lines)
    _, more = fixable(result.report, _new(result.report, baseline), unsafe=unsafe)
    if not result.after:
        hint = f" ({more} with --unsafe-fixes)" if more else ""
        print(f"Nothing would be repaired{hint}.", file=sys.stderr)
        return CLEAN
    hint = f" ({more} more with --unsafe-fixes)" if more else ""
    findings, changed = counted(len(result.fixed), "finding"), counted(len(result.after), "file")
    print(f"Would repair {findings} in {changed}{hint}.", file=sys.stderr)
    return CLEAN if exit_zero else FOUND


def _new(report: Report, baseline: Baseline | None) -> Sequence[Diagnostic]:
    """The findings that are not in the baseline."""
    return report.diagnostics if baseline is None else baseline.compare(report).new


def _diff(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    name = os.fsencode(path)
    for line in diff_bytes(unified_diff, _lines(before), _lines(after), name, name):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


# As git has them: what was there, what would be, and where.
_COLOURS: Final = (
    (b"---", b"\x1b[1m"),
    (b"+++", b"\x1b[1m"),
    (b"@@", b"\x1b[36m"),
    (b"-", b"\x1b[31m"),
    (b"+", b"\x1b[32m"),
)


def _coloured(line: bytes) -> bytes:
    """A line of a diff with escapes for a terminal, which end before the line does."""
    colour = next((colour for start, colour in _COLOURS if line.startswith(start)), b"")
    text = line.rstrip(b"\r\n")
    return colour + text + b"\x1b[0m" + line[len(text) :] if colour else line


def _lines(data: bytes) -> list[bytes]:
    # Split at what ends lines for `patch` as well.
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1])


def _print_as_it_is(lines: Iterable[bytes]) -> None:
    """Write lines of files to standard output, byte by byte; a terminal has an encoding of its own."""
    if sys.stdout.isatty():
        sys.stdout.writelines(line.decode(errors="backslashreplace") for line in lines)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(lines)
    sys.stdout.flush()
