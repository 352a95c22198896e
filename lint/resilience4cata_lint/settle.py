"""Which findings are left once suppressions are heard, and what is to be said about the suppressions themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from resilience4cata.comments import MARK

from .suppress import Suppressions

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Finding

    from .reading import Reader
    from .texts import Sources
    from .unused import Views


def settle(
    findings: Iterable[Finding], seen: Views, reader: Reader, sources: Sources, reported: Collection[str]
) -> Iterator[Finding]:
    """The findings that no comment silences in the files that are reported on, then those about comments.

    These are the files that `reader` was given, and other `reported` ones, as they are shown.

    `seen` are the views that `findings` come from, complete when all findings have been taken.
    """
    suppressions = Suppressions(sources.lines)
    for finding in findings:
        source = finding.fault.at.source
        if (source in reported or reader.reports_on(source)) and not suppressions.silences(finding):
            yield finding
    # What the linter failed on may be what a suppression is for.
    if seen and not reader.failures:
        about = _about_suppressions(suppressions, seen, reader, reported)
        yield from (finding for finding in about if not suppressions.silences(finding))


def _about_suppressions(
    suppressions: Suppressions, seen: Views, reader: Reader, reported: Collection[str]
) -> list[Finding]:
    from resilience4cata import rules

    from .unused import Unused

    words = (MARK.encode(), MARK.upper().encode())
    context = seen[0][1]
    given = ((path, facts) for path, facts in reader.facts.items() if reader.reports_on(facts.path))
    files = [facts for path, facts in given if any(reader.holds(path, word) for word in words)]
    configurations = [file.source for file in context.project.files if file.source in reported]
    unused = Unused(seen, files, context.provides)
    facts = suppressions.facts((*(file.path for file in files), *configurations), unused.is_needed)
    return rules.check(facts, context)
