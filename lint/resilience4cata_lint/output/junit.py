"""`junit`: a report of tests, for services that show nothing else: a file is a suite, a finding a test that failed.

The form is that of the schema of Jenkins, which is the narrowest of those in use. A clean run is one test that passed,
since services take a report without tests for a broken one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TextIO
from xml.sax.saxutils import escape, quoteattr

from .places import in_report, in_repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resilience4cata.diagnostics import Diagnostic

    from ..engine import Report
    from . import View

_NAME: Final = "r4c"


def render(report: Report, stream: TextIO, view: View) -> None:
    """Write one XML document, in ASCII, so that no encoding of a stream spoils it."""
    stream.writelines(f"{_ascii(line)}\n" for line in _document(report.diagnostics, report.coverage.folders))


def _document(diagnostics: Sequence[Diagnostic], checked: Sequence[str]) -> Iterator[str]:
    count = len(diagnostics)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="{_NAME}" tests="{count or 1}" failures="{count}" errors="0">'
    if not diagnostics:
        yield f'  <testsuite name="{_NAME}" tests="1" failures="0" errors="0">'
        yield f'    <testcase name="no findings" classname="{_NAME}"/>'
        yield "  </testsuite>"
    path_of = in_repository(checked)
    by_file: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_file.setdefault(diagnostic.at.source, []).append(in_report(diagnostic, path_of))
    for source, found in by_file.items():
        yield from _suite(path_of(source), found)
    yield "</testsuites>"


def _suite(path: str, diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    name, count = _attribute(path), len(diagnostics)
    yield f'  <testsuite name={name} tests="{count}" failures="{count}" errors="0" file={name}>'
    names: Counter[str] = Counter()
    for diagnostic in diagnostics:
        # Services follow a test by its name, so there are no lines in it.
        title = f"{diagnostic.code} {diagnostic.subject or diagnostic.name}"
        names[title] += 1
        numbered = title if names[title] == 1 else f"{title} ({names[title]})"
        message = _attribute(f"{diagnostic.place}: {diagnostic.message}")
        yield f"    <testcase name={_attribute(numbered)} classname={name}>"
        yield f"      <failure type={_attribute(diagnostic.code)} message={message}>{_text(diagnostic)}</failure>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _text(diagnostic: Diagnostic) -> str:
    return escape(_allowed(f"{diagnostic.text}\n    {diagnostic.url}"), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold in any way."""
    return text if text.isprintable() else "".join(c if _is_allowed(ord(c)) else "\ufffd" for c in text)


def _is_allowed(code: int) -> bool:
    return code in {0x9, 0xA, 0xD} or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF


def _ascii(line: str) -> str:
    return line.encode("ascii", "xmlcharrefreplace").decode("ascii")
