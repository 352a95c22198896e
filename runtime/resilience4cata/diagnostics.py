"""Rules, findings, and the one way to put a finding into words.

A rule is metadata and a pure function from a view (a record of `facts`) to faults. The engine (`rules.check`) turns
faults into findings; front ends turn findings into `Diagnostic`s, flat records whose words are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum, Flag, auto
from typing import Any, Final, NamedTuple

from .facts import At, NoTypes, Oracle, Project
from .records import dataclass, field
from .suggestions import certain

DOCUMENTATION: Final = "https://resilience4cata.readthedocs.io"


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


class Needs(Flag):
    """Kinds of facts that a rule cannot do without. A front end reports the rules whose needs it can provide."""

    DECLARATIONS = auto()  # attributes as written
    SCOPES = auto()  # the definitions around an element
    KINDS = auto()  # values that no type checker has refused before
    SYNTAX = auto()  # source that fails as soon as it is imported, or that leaves no trace at run time
    STUBS = auto()  # definitions for type checkers alone
    TYPES = auto()  # an oracle that knows real types
    BODIES = auto()  # what functions do
    CONSUMED = auto()  # which parameters functions run through
    CLASSES = auto()  # all subclasses within the project
    TEMPLATES = auto()  # every source of templates
    FILES = auto()  # configuration files with their places
    EFFECTIVE = auto()  # settings as they come out of all layers
    PROJECT = auto()  # the whole project at once
    SOURCES = auto()  # source files themselves
    PROCESS = auto()  # the one process that runs, with the profiles that are active in it


_COMMON: Final = Needs.DECLARATIONS | Needs.SCOPES | Needs.TEMPLATES | Needs.EFFECTIVE

FRONT_ENDS: Final[Mapping[str, Needs]] = {
    "lint": _COMMON
    | Needs.STUBS
    | Needs.KINDS
    | Needs.SYNTAX
    | Needs.BODIES
    | Needs.CONSUMED
    | Needs.CLASSES
    | Needs.FILES
    | Needs.PROJECT
    | Needs.SOURCES,
    "mypy": _COMMON | Needs.STUBS | Needs.TYPES | Needs.CONSUMED,
    "build": _COMMON | Needs.KINDS | Needs.TYPES | Needs.CLASSES | Needs.FILES | Needs.PROJECT | Needs.PROCESS,
}
"""What each front end can provide, at best."""


class Related(NamedTuple):
    """Another place that belongs to a finding, and what is there."""

    at: At
    text: str


class Action(Enum):
    """What an edit does to the source. The value says it to people, and is filled with the words of the `Fix`."""

    WRITE = "write '{text}' for '{word}'"  # in a text, a name, a key or a comment
    MEMBER = "write {text} for '{word}'"  # an expression in place of a text
    ARGUMENT = "name the argument '{text}', not '{word}'"
    CALL = "add ()"
    REFER = "remove ()"
    MOVE = "move it below the decorator that it stands above"  # `places` has that decorator
    REORDER = "write the policies as they run"  # `places` has the decorators in the right order
    DROP_ARGUMENT = "remove '{word}'"
    DROP_LAYERS = "remove {words}"
    INHERIT = "add @inherit_policies"
    DROP_SUPPRESSION = "remove what silences nothing"


class Offer(NamedTuple):
    """The edit that a rule offers; `is_safe` is None where it depends on how near the suggestion is."""

    action: Action
    is_safe: bool | None = None


class Fix(NamedTuple):
    """The edit that is offered for one finding, in its place.

    `words` are what stands there and goes, `text` is what comes instead. Where it is not safe, something else may have
    been meant.
    """

    action: Action
    is_safe: bool
    words: tuple[str, ...] = ()
    text: str = ""
    places: tuple[At, ...] = ()

    @property
    def applicability(self) -> str:
        """`safe` or `unsafe`."""
        return "safe" if self.is_safe else "unsafe"

    @property
    def title(self) -> str:
        """What it does, in lower case: `write 'find_fallback' for 'find_fallbak'`."""
        first = self.words[0] if self.words else ""
        return printable(self.action.value.format(text=self.text, word=first, words=", ".join(self.words)))


@dataclass(frozen=True, slots=True)
class Fault:
    """What a rule found. `message` is an English template, filled with `values`: lower-case start, no final stop.

    `suggestions` are complete replacements of what was written (each passes the check that failed), `help` says what to
    do where no replacement is certain, `expected` shows the signature or form that would be right. `severity` replaces
    the rule's own for this one case.

    The rest is for the edit that the rule offers: the `words` that it is about, the `rivals` among which the suggestion
    was chosen, further `places`, and whether it is `certain` that it is meant, where words do not tell.
    """

    at: At
    subject: str
    message: str
    values: Mapping[str, object] = field(default_factory=dict)
    suggestions: tuple[str, ...] = ()
    help: str = ""
    expected: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity | None = None
    words: tuple[str, ...] = ()
    rivals: Collection[str] = ()
    places: tuple[At, ...] = ()
    certain: bool | None = None


@dataclass(slots=True)
class Context:
    """What rules may ask beside their view. `memo` lets rules of one family share what they worked out."""

    provides: Needs
    oracle: Oracle = field(default_factory=NoTypes)
    project: Project = field(default_factory=Project)
    memo: dict[object, Any] = field(default_factory=dict)


Check = Callable[[Any, Context], "Iterable[Fault | Finding]"]
"""A check that ran other rules over something derived from its view may pass their findings on."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule: `views` are the types of records that it looks at, `why` the reason it exists (its docstring).

    `silences_element` marks the place errors that make all other findings on an element pointless; `subsumes` names
    codes that say less about the same spot. `fix` is the edit that it offers.
    """

    code: str
    name: str
    severity: Severity
    views: tuple[type, ...]
    check: Check
    why: str
    needs: Needs = Needs.DECLARATIONS
    on_by_default: bool = True
    silences_element: bool = False
    subsumes: frozenset[str] = frozenset()
    fix: Offer | None = None

    @property
    def family(self) -> str:
        return self.code.split("-")[1]

    @property
    def reported_by(self) -> tuple[str, ...]:
        """The front ends that can report it; `build()` is never asked for more than what is on by default."""
        able = (name for name, provided in FRONT_ENDS.items() if self.needs in provided)
        return tuple(name for name in able if self.on_by_default or name != "build")

    def url(self, language: str = "en") -> str:
        return f"{DOCUMENTATION}/{language}/rules/{self.code}.html"


def rule(
    code: str,
    name: str,
    *,
    view: type | tuple[type, ...],
    severity: Severity = Severity.ERROR,
    needs: Needs = Needs.DECLARATIONS,
    on_by_default: bool = True,
    silences_element: bool = False,
    subsumes: Iterable[str] = (),
    fix: Action | Offer | None = None,
) -> Callable[[Check], Rule]:
    """Make a check function a rule; its docstring says why the rule exists. `view` is what it looks at, or several."""

    def make(check: Check) -> Rule:
        why = " ".join((check.__doc__ or "").split())
        return Rule(
            code,
            name,
            severity,
            view if isinstance(view, tuple) else (view,),
            check,
            why,
            needs,
            on_by_default,
            silences_element,
            frozenset(subsumes),
            Offer(fix) if isinstance(fix, Action) else fix,
        )

    return make


class Diagnostic(NamedTuple):
    """A finding as users get it: plain data, the same words in every front end.

    `message` is the headline, `subject` says what it is about, `path`, `line` and `column` where (from 1, characters; 0
    if not known). `suggestions` are possible replacements, `help`, `expected` and `related` may be empty. `fix` is the
    edit that is offered, if one is.
    """

    code: str
    name: str
    severity: Severity
    subject: str
    message: str
    at: At
    suggestions: tuple[str, ...]
    help: str
    expected: str
    related: tuple[Related, ...]
    url: str
    fix: Fix | None = None

    @property
    def place(self) -> str:
        """`path:line:column`, as far as known."""
        return show_place(self.at)

    @property
    def suggestion(self) -> str:
        """The suggestions as a question, or the help, or nothing."""
        return did_you_mean_text(self.suggestions) or self.help

    @property
    def headline(self) -> str:
        """Subject and message on one line."""
        return f"{self.subject}: {self.message}" if self.subject else self.message

    @property
    def line(self) -> str:
        """Everything that fits on one line: subject, message, and what to do."""
        return "; ".join(filter(None, (self.headline, did_you_mean_text(self.suggestions), self.help)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What comes below the line: the expected form, and the related places."""
        notes = [f"expected: {self.expected}"] if self.expected else []
        return (*notes, *(f"{show_place(r.at)}: {r.text}" for r in self.related))

    @property
    def text(self) -> str:
        """The full text: place, severity and code, subject, and each further thing on a line of its own."""
        return self.marked("")

    def marked(self, mark: str) -> str:
        """The full text with a mark behind the code."""
        head = f"{self.place}: {self.severity.value}: [{self.code}]{mark}"
        question = did_you_mean_text(self.suggestions)
        body = [part for part in (self.message, question, self.help, *self.notes) if part]
        first = f"{head} {self.subject}:" if self.subject else head
        return "\n    ".join((first, *body))

    def as_dict(self) -> dict[str, object]:
        """The JSON form; `severity` as a word, places flattened."""
        at = self.at
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity.value,
            "path": at.source,
            "line": at.line,
            "column": at.column,
            "end_line": at.end_line,
            "end_column": at.end_column,
            "subject": self.subject,
            "message": self.message,
            "suggestion": self.suggestion or None,
            "suggestions": list(self.suggestions),
            "expected": self.expected or None,
            "related": [
                {"path": r.at.source, "line": r.at.line, "column": r.at.column, "text": r.text} for r in self.related
            ],
            "url": self.url,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault together with its rule and the element it concerns ("" for none)."""

    rule: Rule
    fault: Fault
    element: str = ""

    @property
    def severity(self) -> Severity:
        return self.fault.severity or self.rule.severity

    @property
    def sort_key(self) -> tuple[At, str, str]:
        return self.fault.at, self.rule.code, self.fault.subject

    def diagnostic(self, *, with_fix: bool = True) -> Diagnostic:
        """The finding in words. Whoever makes no edits can do `with_fix` False."""
        fault = self.fault
        return Diagnostic(
            code=self.rule.code,
            name=self.rule.name,
            severity=self.severity,
            subject=printable(fault.subject),
            message=printable(fault.message.format_map(fault.values)),
            at=fault.at,
            suggestions=fault.suggestions,
            help=printable(fault.help.format_map(fault.values)),
            expected=printable(fault.expected),
            related=fault.related,
            url=self.rule.url(),
            fix=self.fix if with_fix else None,
        )

    @property
    def fix(self) -> Fix | None:
        """The edit that is offered: none where two things may have been meant, or nobody knows what."""
        offer, fault = self.rule.fix, self.fault
        if offer is None or len(fault.suggestions) > 1:
            return None
        text = fault.suggestions[0] if fault.suggestions else fault.words[-1] if fault.words else ""
        if offer.action in _WRITES and (not fault.words or text == fault.words[0]):
            return None
        is_safe = fault.certain if fault.certain is not None else offer.is_safe
        if is_safe is None:
            is_safe = certain(fault.words[0], text, fault.rivals)
        return Fix(offer.action, is_safe, fault.words, text, fault.places)


_WRITES: Final = frozenset({Action.WRITE, Action.MEMBER, Action.ARGUMENT})


def printable(text: str) -> str:
    """The text with whatever could steer a terminal or hide its neighbours escaped, as Python escapes it."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def did_you_mean_text(suggestions: Iterable[str]) -> str:
    """`did you mean 'a' or 'b'?`, or nothing."""
    shown = " or ".join(f"'{s}'" for s in suggestions)
    return f"did you mean {shown}?" if shown else ""


def show_place(at: At) -> str:
    """`path:line:column`, leaving out what is not known."""
    parts = [printable(at.source), *(str(n) for n in (at.line, at.column) if n)]
    return ":".join(parts)


def in_order(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Sorted by place, then code; exact repetitions removed.

    Through its aliases an anchor of YAML is part of several keys. What is wrong at its place is said of the first one.
    """
    given = list(findings)
    if len(given) < 2:
        yield from given
        return
    kept: dict[tuple[At, str, str, str], Finding] = {}
    for finding in given:
        at, code, subject = finding.sort_key
        aliased = not finding.element and at.source.endswith((".yaml", ".yml"))
        kept.setdefault((at, code, "" if aliased else subject, finding.diagnostic().message), finding)
    yield from sorted(kept.values(), key=lambda f: f.sort_key)
