"""Suppressions: what they silence, and which of them are reported as unused or unknown."""

import pytest

from resilience4cata_lint.engine import analyse
from resilience4cata_lint.inputs import Stdin
from resilience4cata_lint.options import load
from tests.lint.folder import write

HEAD = "from resilience4cata import fallback, resilience_policy, retry, timeout\n"


pytestmark = pytest.mark.usefixtures("here")


def check(source: str, *paths: str) -> list[str]:
    """Line, column and code of what is found in a module below `HEAD`, whose lines are not counted."""
    write("a.py", HEAD + source)
    report = analyse(list(paths) or ["."], load(["."]))
    assert [] == report.failures
    return [f"{d.at.line - 1}:{d.at.column} {d.code.removeprefix('R4C-')}" for d in report.diagnostics]


def test_in_a_decorator_over_several_lines() -> None:
    """The comment may stand on any line of what is wrong."""
    source = "@retry(\n    max_attempts=\n    0,  # r4c: ignore[R4C-VA-001]\n)\ndef f() -> None: ...\n"
    assert [] == check(source)


def test_file_ignore() -> None:
    """For all of a file, wherever it stands, and for that file alone."""
    fault = "@retry(max_attempts=0)\ndef f() -> None: ...\n"
    write("b.py", HEAD + fault)
    assert ["1:21 VA-001"] == check(f"{fault}\n# r4c: file-ignore[R4C-VA-001]\n")


def test_file_ignore_in_configuration() -> None:
    """Keys that are unknown on purpose, all at once."""
    write(
        "resilience4cata.toml", "# r4c: file-ignore[R4C-CFG-011]\n[resilience4cata.defaults.retry]\ndelya = 1\nq = 2\n"
    )
    assert [] == check("")


def test_file_ignore_of_a_file_that_cannot_be_parsed() -> None:
    """The finding that it cannot be parsed is one like others."""
    assert [] == check("(((  # r4c: file-ignore[R4C-SRC-001]\n")


UNUSED = [
    # Nothing of ours on the line.
    ("x = 1  # r4c: ignore[R4C-FB-003]\n", "1:22"),
    ("# r4c: ignore[R4C-FB-003]\n", "1:15"),
    # A value that is known: no front end can know it better.
    ('@timeout("2s")  # r4c: ignore[R4C-DU-001]\ndef f() -> None: ...\n', "1:31"),
    ('LIMIT = "2s"\n@timeout(LIMIT)  # r4c: ignore[R4C-DU-001]\ndef f() -> None: ...\n', "2:32"),
    # A name that is there.
    ('@fallback(method="g")  # r4c: ignore[R4C-FB-002]\ndef f() -> int: ...\ndef g() -> int: ...\n', "1:38"),
    # Types that the linter knows for certain.
    ('@fallback(method="g")  # r4c: ignore[R4C-FB-004]\ndef f() -> int: ...\ndef g() -> int: ...\n', "1:38"),
    # A rule of the linter alone.
    ('partner = resilience_policy("partner", retry())  # r4c: ignore[R4C-CMP-005]\n', "1:64"),
    # A whole file without such a finding, of a rule that no one else knows.
    ("# r4c: file-ignore[R4C-CMP-005]\n", "1:20"),
]


@pytest.mark.parametrize(("source", "place"), UNUSED)
def test_unused(source: str, place: str) -> None:
    """What no front end could report is unused."""
    assert [f"{place} SUP-001"] == check(source)


NEEDED = [
    # The linter does not know the value, mypy may.
    ("from limits import LIMIT\n@timeout(LIMIT)  # r4c: ignore[R4C-DU-001]\ndef f() -> None: ...\n"),
    ("from options import options\n@retry(**options)  # r4c: ignore[R4C-VA-001]\ndef f() -> None: ...\n"),
    # A decorator of another distribution may be a policy.
    ("from vendor import guarded\n@guarded  # r4c: ignore[R4C-FB-002]\ndef f() -> None: ...\n"),
    # A base of another distribution may have the method, or another one.
    (
        "from vendor import Base\nclass C(Base):\n"
        '    @fallback(method="g")  # r4c: ignore[R4C-FB-002]\n    def f(self) -> int: ...\n'
    ),
    # Whether one type fits another is for mypy to say.
    (
        "from vendor import A, B\n"
        '@fallback(method="g")  # r4c: ignore[R4C-FB-004]\ndef f() -> A: ...\ndef g() -> B: ...\n'
    ),
    # Only mypy and build() know this rule.
    '@fallback(method="g")  # r4c: ignore[R4C-FB-007]\ndef f() -> int: ...\ndef g() -> int: ...\n',
    # The finding is there, though another one makes it pointless.
    (
        "class C:\n    @timeout('2 s')  # r4c: ignore[R4C-DU-001]\n    @property\n"
        "    def f(self) -> int: ...  # r4c: ignore[R4C-LOC-001]\n"
    ),
]


@pytest.mark.parametrize("source", NEEDED)
def test_needed_by_others(source: str) -> None:
    """What another front end might report is left alone."""
    assert [] == [found for found in check(source) if "SUP" in found]


def test_rules_about_the_whole_project() -> None:
    """Nothing is said about them where only a part is checked."""
    source = 'one = resilience_policy("one", retry())  # r4c: ignore[R4C-CMP-007]\n'
    assert [[], []] == [check(source, "a.py"), check(source, ".")]


def test_configuration() -> None:
    """Files alone are the same for every front end; what they have to do with code is not."""
    toml = "# r4c: ignore[{}]\n[resilience4cata.defaults.retry]\nmax-attempts = 3\n"
    results = []
    for code in ("R4C-CFG-011", "R4C-CFG-002", "R4C-CFG-99"):
        write("resilience4cata.toml", toml.format(code))
        report = analyse(["."], load(["."]))
        results.append([f"{d.at.line}:{d.at.column} {d.code}" for d in report.diagnostics])
    assert [["1:15 R4C-SUP-001"], [], ["1:15 R4C-SUP-002"]] == results


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        ("R4C-FB-02", "did you mean 'R4C-FB-002'?"),
        ("r4c-fb-002", "did you mean 'R4C-FB-002'?"),
        ("FB-002", "did you mean 'R4C-FB-002'?"),
        ("missing-fallback", "did you mean 'R4C-FB-002'?"),
        ("E501", "'r4c rule --all' lists the codes"),
        ("FB", "'r4c rule --all' lists the codes"),
    ],
)
def test_unknown(code: str, suggestion: str) -> None:
    """With the code that was meant, by whatever it was called."""
    write("a.py", f"{HEAD}x = 1  # r4c: ignore[{code}]\n")
    (diagnostic,) = analyse(["."], load(["."])).diagnostics
    assert ("R4C-SUP-002", f"no code '{code}'", suggestion) == (
        diagnostic.code,
        diagnostic.message,
        diagnostic.suggestion,
    )


def test_about_suppressions_themselves() -> None:
    """They are findings like others: they can be silenced, and are never unused."""
    assert [] == check("x = 1  # r4c: ignore[R4C-FB-003, R4C-SUP-001]\n# r4c: file-ignore[R4C-SUP-002]\n")


def test_in_what_is_only_context() -> None:
    """Files that were not asked about are not reported on."""
    write("pyproject.toml", "[project]\n")
    write("b.py", f"{HEAD}x = 1  # r4c: ignore[R4C-FB-003]\n")
    assert [] == check("", "a.py")


def test_standard_input() -> None:
    """What is not saved yet is judged as it is."""
    source = (
        f"{HEAD}@retry(max_attempts=0)  # r4c: ignore[R4C-VA-001]\ndef f() -> None: ...  # r4c: ignore[R4C-VA-002]\n"
    )
    report = analyse([], load(["."]), stdin=Stdin(source.encode(), "a.py"))
    assert ["R4C-SUP-001 3"] == [f"{d.code} {d.at.line}" for d in report.diagnostics]


def test_failures_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the linter fails, no suppression is called unused."""
    from resilience4cata_lint import link

    def fail(*_: object, **__: object) -> None:
        raise LookupError

    monkeypatch.setattr(link, "link", fail)
    write("a.py", f"{HEAD}x = 1  # r4c: ignore[R4C-FB-003]\n")
    assert [] == analyse(["."], load(["."])).diagnostics


@pytest.mark.parametrize(
    ("comment", "suggestion"),
    [
        ("# r4c: igonre[R4C-VA-001]", "did you mean 'ignore'?"),
        ("# r4c: noqa[R4C-VA-001]", "did you mean 'ignore'?"),
        ("# r4c: fileignore[R4C-VA-001]", "did you mean 'file-ignore'?"),
        ("# r4c ignore[R4C-VA-001]", "did you mean 'r4c: ignore'?"),
        ("# R4C: file-ignore[R4C-VA-001]", "did you mean 'r4c: file-ignore'?"),
        ("# r4c: off", "write 'ignore[…]' or 'file-ignore[…]' with codes, or begin the comment otherwise"),
    ],
)
def test_no_directive(comment: str, suggestion: str) -> None:
    """A comment that was meant to silence something is told, and silences nothing, in code and in configuration."""
    write("a.py", f"{HEAD}@retry(max_attempts=0)  {comment}\ndef f() -> None: ...\n")
    write("resilience4cata.toml", f"[resilience4cata.defaults.retry]\n{comment}\nmax-attempts = 2\n")
    found = [d for d in analyse(["."], load(["."])).diagnostics if d.code != "R4C-VA-001"]
    word = comment.partition("[")[0][2:].removeprefix("r4c: ")
    assert [("R4C-SUP-002", comment, f"no directive '{word}'", suggestion)] * 2 == [
        (d.code, d.subject, d.message, d.suggestion) for d in found
    ]
    assert ["1:21 VA-001"] == [
        d for d in check(f"@retry(max_attempts=0)  {comment}\ndef f() -> None: ...\n") if "VA" in d
    ]


def test_silencing_what_is_no_directive() -> None:
    """As other findings about comments."""
    assert [] == check("# r4c: off\n# r4c: file-ignore[R4C-SUP-002]\n")
