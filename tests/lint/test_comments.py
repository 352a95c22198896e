"""Comments that silence findings: what is one, and which line it is about."""

import pytest

from resilience4cata.comments import marks, strays


def found(text: str, path: str = "a.py") -> list[str]:
    """Each mark: where it stands, its code, and the line it is about (`*` for the whole file, `?` if uncertain)."""
    return [
        f"{m.at.line}:{m.at.column}-{m.at.end_column} {m.code} {'*' if m.line is None else m.line}"
        + ("" if m.certain else "?")
        for m in marks(path, text.split("\n"))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()  # r4c: ignore[A]", ["1:20-21 A 1"]),
        ("f()  #r4c:ignore[A,B , C ]", ["1:18-19 A 1", "1:20-21 B 1", "1:24-25 C 1"]),
        ("# r4c: file-ignore[A]", ["1:20-21 A *"]),
        ("f()  # noqa  # r4c: ignore[A]  # type: ignore", ["1:28-29 A 1"]),
        ("f()  # r4c: ignore[A] # r4c: ignore[B]", ["1:20-21 A 1", "1:37-38 B 1"]),
        ("f()  # r4c: ignore", ["1:6-19  1"]),
        ("f()  # r4c: ignore[ , ]", ["1:6-24  1"]),
        ("漢 = 'é'  # r4c: ignore[A]", ["1:24-25 A 1"]),
        # No comments, or comments about something else.
        ("x = '# r4c: ignore[A]'", []),
        ('"""\n# r4c: ignore[A]\n"""', []),
        ("# write `# r4c: ignore[A]` there", []),
        ('# write "# r4c: ignore[A]" there', []),
        ("f()  # r4c: ignored[A]", []),
        ("f()  # r4c: ignore_this", []),
        ("f()  # r4c: something else", []),
        ("f()  # R4C: ignore[A]", []),
    ],
)
def test_python(text: str, expected: list[str]) -> None:
    """Real comments only, each code with its own place."""
    assert expected == found(text)


@pytest.mark.parametrize("broken", ["'", "(((", "f(]", "  x\n y", "\u00a7", "if x:\n\ty\n        z"])
def test_python_that_cannot_be_parsed(broken: str) -> None:
    """What cannot be parsed is a finding too, which can be silenced."""
    source = f"{broken}\nf()  # r4c: ignore[A]\n# r4c: file-ignore[B]"
    assert ["A", "B"] == [mark.code for mark in marks("a.py", source.split("\n"))]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.toml", "# r4c: ignore[A]\n\n# why\nb = 1", ["1:15-16 A 4"]),
        ("a.toml", "b = 1  # r4c: ignore[A]\nc = 2", ["1:22-23 A 1"]),
        ("a.toml", "b = '# r4c: ignore[A]'  # r4c: ignore[B]", ["1:39-40 B 1"]),
        ("a.toml", 'b = "\\"# r4c: ignore[A]"', []),
        ("a.toml", 'b = """\n# r4c: ignore[A]\n"""  # r4c: ignore[B]', ["3:20-21 B 3"]),
        ("a.toml", "# r4c: file-ignore[A]", ["1:20-21 A *"]),
        ("a.toml", "b = 1\n# r4c: ignore[A]", ["2:15-16 A 2"]),
        ("a.properties", "! r4c: ignore[A]\nb=1", ["1:15-16 A 2"]),
        ("a.properties", "  # r4c: ignore[A]\nb=1", ["1:17-18 A 2"]),
        ("a.properties", "b=1  # r4c: ignore[A]", []),
        ("a.properties", "b=1\\\n# r4c: ignore[A]", []),
        ("a.properties", "b=1\\\\\n# r4c: ignore[A]\nc=2", ["2:15-16 A 3"]),
        ("a.yaml", "b: 1  # r4c: ignore[A]", ["1:21-22 A 1?"]),
        ("a.yaml", "# r4c: ignore[A]\nb: 1", ["1:15-16 A 2"]),
        ("a.yaml", "b: it's\n# r4c: ignore[A]\nc: 1", ["2:15-16 A 3"]),
    ],
)
def test_configuration(path: str, text: str, expected: list[str]) -> None:
    """There also on a line of its own, for the next line that says something."""
    assert expected == found(text, path)


def stray(text: str, path: str = "a.py") -> list[str]:
    """Each comment that says nothing that is known: where its word stands, the word, and the comment."""
    found = strays(path, text.split("\n"))
    return [f"{s.at.line}:{s.at.column}-{s.at.end_column} {s.word} | {s.text}" for s in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()  # r4c: igonre[A]", ["1:13-19 igonre | # r4c: igonre[A]"]),
        ("f()  # noqa # r4c:noqa[A] # r4c: ignore[B]", ["1:19-23 noqa | # r4c:noqa[A]"]),
        ("# r4c: off", ["1:8-11 off | # r4c: off"]),
        ("# r4c: Ignore[A]", ["1:8-14 Ignore | # r4c: Ignore[A]"]),
        ("# r4c: ignore(A)", ["1:8-17 ignore(A) | # r4c: ignore(A)"]),
        ("# r4c: ignores[A]", ["1:8-15 ignores | # r4c: ignores[A]"]),
        ("# r4c ignore[A]", ["1:3-13 r4c ignore | # r4c ignore[A]"]),
        ("# R4C: file-ignore[A]", ["1:3-19 R4C: file-ignore | # R4C: file-ignore[A]"]),
        ("漢()  # r4c: igonre[A]", ["1:13-19 igonre | # r4c: igonre[A]"]),
        # What is known, no comment, or prose.
        ("# r4c: ignore[A]", []),
        ("# r4c: file-ignore[A]", []),
        ("# r4c: ignore", []),
        ("# r4c ignores this", []),
        ("# R4C-FB-002: why", []),
        ("# write `# r4c: noqa[A]` there", []),
        ("x = '# r4c: noqa[A]'", []),
        ('"""\n# r4c: noqa[A]\n"""', []),
        ("(((  # r4c: noqa[A]", ["1:13-17 noqa | # r4c: noqa[A]"]),
        ('x = """\n# r4c: noqa[A]', []),
    ],
)
def test_strays(text: str, expected: list[str]) -> None:
    """A comment that speaks to us and is no suppression; nothing where it is not certain to be a comment."""
    assert expected == stray(text)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.toml", "x = 1  # r4c: noqa[A]", ["1:15-19 noqa | # r4c: noqa[A]"]),
        ("a.toml", "x = '# r4c: noqa[A]'", []),
        ("a.yaml", "# r4c: noqa[A]\nx: 1", ["1:8-12 noqa | # r4c: noqa[A]"]),
        ("a.properties", "! r4c: noqa[A]", ["1:8-12 noqa | ! r4c: noqa[A]"]),
        (".env.production", "# r4c: noqa[A]", ["1:8-12 noqa | # r4c: noqa[A]"]),
    ],
)
def test_strays_in_configuration(path: str, text: str, expected: list[str]) -> None:
    """The same there."""
    assert expected == stray(text, path)
