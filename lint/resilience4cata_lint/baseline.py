"""Findings that were there before: `r4c check --baseline FILE` passes over them, and says when one is gone.

The file lists them by fingerprint, so that they are known again when lines move. It is meant to be committed: the order
is fixed, and each entry says what it is about. Paths count from the file's folder.

    { "version": 1, "entries": [ { "path": …, "code": …, "subject": …, "message": …, "fingerprint": … } ] }
"""

# Paths stay texts, as everywhere in the linter.
# ruff: noqa: PTH100, PTH120

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from resilience4cata.records import dataclass

from . import files
from .fingerprints import fingerprints
from .locate import relative
from .options import UsageError, path_named
from .writing import write

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Diagnostic

    from .engine import Report

_VERSION: Final = 1
_FIELDS: Final = ("path", "code", "subject", "message", "fingerprint")


class Entry(NamedTuple):
    """One finding that is known."""

    path: str
    code: str
    subject: str
    message: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A report beside a baseline: the findings that are new, and the entries that should occur and no longer do."""

    new: list[Diagnostic]
    gone: list[Entry]


def open_baseline(path: str | None, *, update: bool) -> Baseline | None:
    """The baseline at `path`, None if there is none to use. Raises UsageError if it cannot be used."""
    if path is None:
        if update:
            msg = "--update-baseline needs a file: name it with --baseline, or as baseline in [tool.r4c]"
            raise UsageError(msg)
        return None
    baseline = Baseline(path)
    if not baseline.exists and not update:
        msg = f"there is no baseline {path}; make it with --update-baseline"
        raise UsageError(msg)
    return baseline


class Baseline:
    """The file at `path`. Raises UsageError if it exists and is not what this version writes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folder = os.path.dirname(os.path.abspath(path))
        self.exists = bool(files.kind(path))
        self._entries = _read(path) if self.exists else {}

    def apply(self, report: Report, *, update: bool) -> bool:
        """Leave in the report what is new, or write what it found; say on standard error what became of the entries.

        Returns whether entries are gone, which fails a run: they would hide the next finding of their kind. Raises
        UsageError if the file cannot be written.
        """
        if update:
            if not report.failures:
                compared = self.update(report)
                news = f"{len(compared.new)} new, {len(compared.gone)} gone"
                print(f"r4c: wrote {self.path}: {len(self._entries)} known ({news})", file=sys.stderr)
                report.diagnostics = []
            return False
        compared = self.compare(report)
        report.diagnostics, report.outdated = compared.new, len(compared.gone)
        for entry in compared.gone:
            what = f"[{entry.code}] {entry.subject or entry.message}"
            print(f"r4c: error: {entry.path}: {what} is in {self.path} and no longer occurs", file=sys.stderr)
        if compared.gone:
            print("  write the baseline anew with --update-baseline", file=sys.stderr)
        return bool(compared.gone)

    def compare(self, report: Report) -> Compared:
        """What of a report is new, and what of the baseline is gone."""
        found = self._found(report)
        new = [diagnostic for diagnostic, entry in found if entry.fingerprint not in self._entries]
        still = {entry.fingerprint for _, entry in found}
        gone = [e for e in self._entries.values() if e.fingerprint not in still and self._is_due(e, report)]
        return Compared(new, sorted(gone))

    def update(self, report: Report) -> Compared:
        """Write what the report found; entries about what was not looked at this time stay.

        Returns what changed. Raises UsageError if the file cannot be written.
        """
        compared = self.compare(report)
        found = [entry for _, entry in self._found(report)]
        gone = {entry.fingerprint for entry in compared.gone}
        kept = [e for e in self._entries.values() if e.fingerprint not in gone]
        entries = sorted({entry.fingerprint: entry for entry in (*kept, *found)}.values())
        self._entries = {entry.fingerprint: entry for entry in entries}
        content = {"version": _VERSION, "entries": [entry._asdict() for entry in entries]}
        _write(self.path, f"{json.dumps(content, indent=2)}\n")
        return compared

    def _found(self, report: Report) -> list[tuple[Diagnostic, Entry]]:
        prints = fingerprints(report.diagnostics, self._relative)
        return [(d, self._entry(d, known)) for d, known in zip(report.diagnostics, prints, strict=True)]

    def _entry(self, diagnostic: Diagnostic, fingerprint: str) -> Entry:
        path = self._relative(diagnostic.at.source)
        return Entry(path, diagnostic.code, diagnostic.subject, diagnostic.message, fingerprint)

    def _relative(self, shown: str) -> str:
        return relative(shown, self._folder).replace(os.sep, "/")

    def _is_due(self, entry: Entry, report: Report) -> bool:
        """Whether the run would have found it: its file was looked at for its rule, or is gone from where it looked."""
        return report.coverage.holds(path_named(self._folder, entry.path), entry.code)


def _read(path: str) -> dict[str, Entry]:
    try:
        content = json.loads(files.read(path).decode("utf-8-sig"))
    except OSError as error:
        msg = f"cannot read the baseline {path}: {error.strerror}"
        raise UsageError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"the baseline {path} cannot be read as JSON: {error}; {_ADVICE}"
        raise UsageError(msg) from error
    if not isinstance(content, dict) or not isinstance(content.get("entries"), list):
        msg = f"the baseline {path} has no list of entries; {_ADVICE}"
        raise UsageError(msg)
    if content.get("version") != _VERSION:
        msg = f"the baseline {path} is not of version {_VERSION}; {_ADVICE}"
        raise UsageError(msg)
    entries = [_entry(path, number, item) for number, item in enumerate(content["entries"], 1)]
    return {entry.fingerprint: entry for entry in entries}


_ADVICE: Final = "delete it and make it anew with --update-baseline"


def _entry(path: str, number: int, item: object) -> Entry:
    values = [item.get(field) for field in _FIELDS] if isinstance(item, dict) else []
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(_FIELDS):
        msg = f"the baseline {path}: entry {number} needs the texts {', '.join(_FIELDS)}; {_ADVICE}"
        raise UsageError(msg)
    return Entry(*texts)


def _write(path: str, text: str) -> None:
    try:
        write(path, text.encode())
    except OSError as error:
        msg = f"cannot write the baseline {path}: {error.strerror}"
        raise UsageError(msg) from error
