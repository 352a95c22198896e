"""Whether a suppression that silences none of the linter's findings may still be needed by another front end.

The mypy plugin and `build()` run the same rules over facts of their own, and may know more: a type, a value that is
computed, a base class of another distribution. So a suppression is called unused only if the linter knows everything
that its rule asks for on that line, and the rule has nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.comments import Mark
from resilience4cata.diagnostics import Context, Finding, Needs, Rule
from resilience4cata.facts import At, Composed, Element, Oracle, Written
from resilience4cata.records import replace

from .curious import CuriousOracle, CuriousScope, is_known

if TYPE_CHECKING:
    from .symbols import FileFacts

Views = Sequence[tuple[Sequence[object], Context]]
"""The views that were checked, each group with its context."""


_RUNNING: Final = "resilience4cata.facts.running"
"""What only `build()` looks at, which hears no comments."""


class Unused:
    """Answers for one run: `files` are the Python files that were linked, `provides` what the linter could provide."""

    def __init__(self, seen: Views, files: Iterable[FileFacts], provides: Needs) -> None:
        self._seen = seen
        self._files = {file.path: file for file in files}
        self._provides = provides
        self._busy: dict[str, frozenset[int]] = {}

    def is_needed(self, mark: Mark) -> bool | None:
        """Whether a front end could report the mark's code where the mark silences it; None if nobody knows."""
        from resilience4cata.rules import all_rules

        rule = all_rules().get(mark.code)
        if rule is None or rule.family == "SUP" or rule.needs not in self._provides:
            return None
        if mark.at.source not in self._files:
            # In configuration files, rules that look at nothing else see the same in every front end.
            return False if rule.needs == Needs.FILES else None
        touched = [(view, context) for view, context in self._views(rule) if _touches(view, mark)]
        if Needs.EFFECTIVE in rule.needs:
            return None  # the environment of a process may give any value
        if rule.reported_by == ("lint",):
            return any(_raises(rule, view, context, mark) for view, context in touched)
        looked_at = (view for view in rule.views if view.__module__ != _RUNNING)
        if not {Written, Composed, Element}.issuperset(looked_at) or mark.line is None:
            return None
        if not touched and mark.line in self._busy_lines(mark.at.source):
            return None
        return any(_could_raise(rule, view, context, mark) for view, context in touched)

    def _views(self, rule: Rule) -> Iterator[tuple[object, Context]]:
        return ((view, context) for views, context in self._seen for view in views if type(view) in rule.views)

    def _busy_lines(self, path: str) -> frozenset[int]:
        """Lines of definitions and of calls that may be policies, about which others may know more."""
        if path not in self._busy:
            file = self._files[path]
            lines: set[int] = set()
            functions = ((function.name_span, function.decorators) for function in file.functions)
            classes = ((cls.name_span, cls.decorators) for cls in file.classes)
            for name, decorators in (*functions, *classes):
                first = min(span[0] for span in (name, *(decorator.span for decorator in decorators)))
                lines.update(range(first, name[2] + 1))
            for site in file.sites:
                lines.update(range(site.call.span[0], site.call.span[2] + 1))
            self._busy[path] = frozenset(lines)
        return self._busy[path]


def _touches(view: object, mark: Mark) -> bool:
    """Whether the view stands on the line that the mark is about; one that has no place may stand anywhere."""
    at = _place(view)
    return at is None or _covers(at, mark)


def _covers(at: At, mark: Mark) -> bool:
    if at.source != mark.at.source:
        return False
    return mark.line is None or at.line <= mark.line <= max(at.line, at.end_line)


def _place(view: object) -> At | None:
    if isinstance(view, Written):
        return view.declaration.at
    if isinstance(view, Element):
        # Everything from the first decorator to the name.
        definition = view.definition
        places = [definition.at, *(decorator.at for decorator in definition.decorators)]
        first, last = min(at.line for at in places), max(max(at.line, at.end_line) for at in places)
        return At(definition.at.source, first, 1, last, 1)
    at = getattr(view, "at", None)
    return at if isinstance(at, At) else None


def _raises(rule: Rule, view: object, context: Context, mark: Mark) -> bool:
    """Whether the rule has something to say there, though another finding may make it pointless."""
    fresh = Context(context.provides, context.oracle, context.project)
    found = rule.check(view, fresh)
    return any(_covers(fault.fault.at if isinstance(fault, Finding) else fault.at, mark) for fault in found)


def _could_raise(rule: Rule, view: object, context: Context, mark: Mark) -> bool:
    """Whether the rule has something to say there, or might have if more were known."""
    if not is_known(view):
        return True
    oracle = CuriousOracle(context.oracle)
    asking: Oracle = oracle
    if isinstance(view, Element):
        body = None if view.body is None else CuriousScope(view.body, oracle)
        view = replace(view, scope=CuriousScope(view.scope, oracle), body=body)
    return _raises(rule, view, Context(context.provides, asking, context.project), mark) or oracle.in_vain
