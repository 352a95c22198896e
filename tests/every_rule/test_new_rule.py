"""The scaffold of a rule."""

from pathlib import Path

import pytest

from tests.every_rule.fixtures import Fixture
from tests.every_rule.new_rule import function, main
from tests.every_rule.pages import HEADINGS, Page


def make(folder: Path, *arguments: str) -> int:
    return main(arguments, folder / "rules", folder / "docs")


def test_makes_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new rule gets a fixture folder and two pages with all headings, and the function is printed."""
    assert 0 == make(tmp_path, "R4C-XX-001", "some-name")
    made = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert made == [
        "docs/en/rules/R4C-XX-001.md",
        "docs/es/rules/R4C-XX-001.md",
        "rules/R4C-XX-001/bad.py",
        "rules/R4C-XX-001/expected.toml",
        "rules/R4C-XX-001/fixed.py",
        "rules/R4C-XX-001/good.py",
    ]
    assert "def some_name(element: Element, context: Context) -> Iterator[Fault]:" in capsys.readouterr().out


@pytest.mark.parametrize("language", HEADINGS)
def test_pages_are_well_formed(tmp_path: Path, language: str) -> None:
    """The pages pass the test of headings as they are made."""
    make(tmp_path, "R4C-XX-001", "some-name")
    page = Page("R4C-XX-001", language, tmp_path / "docs")
    assert ("# R4C-XX-001: some-name", HEADINGS[language]) == (page.title, page.headings)


def test_expectations_can_be_read(tmp_path: Path) -> None:
    """The `expected.toml` that is made has every field."""
    make(tmp_path, "R4C-XX-001", "some-name")
    (finding,) = Fixture(tmp_path / "rules" / "R4C-XX-001").findings
    assert ("bad.py", "R4C-XX-001") == (finding.report.path, finding.report.code)


def test_function_is_python() -> None:
    """The printed function compiles."""
    compile(function("R4C-XX-001", "some-name"), "rule", "exec")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("XX-001", "some-name"),
            "'XX-001' is no code: write R4C, a family and three digits, such as R4C-FB-001\n",
        ),
        (("R4C-XX-001", "Some Name"), "'Some Name' is no name: write words in lower case, joined by '-'\n"),
    ],
)
def test_refuses_what_is_malformed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], error: str
) -> None:
    """Nothing is made for a malformed code or name."""
    assert (1, error, []) == (make(tmp_path, *arguments), capsys.readouterr().err, list(tmp_path.iterdir()))


def test_refuses_what_exists(tmp_path: Path) -> None:
    """A rule is begun only once, and what was written meanwhile stays."""
    make(tmp_path, "R4C-XX-001", "some-name")
    page = Page("R4C-XX-001", "en", tmp_path / "docs")
    page.path.write_text("mine", encoding="utf-8")
    assert (1, "mine") == (make(tmp_path, "R4C-XX-001", "some-name"), page.text)
