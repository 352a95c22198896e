"""`per-file-ignores`, `extend-select` and `paths` of `[tool.r4c]`."""

from pathlib import Path

import pytest

from resilience4cata_lint.cli import main
from resilience4cata_lint.engine import analyse
from resilience4cata_lint.options import Options, UsageError, load
from resilience4cata_lint.per_file import PerFile
from resilience4cata_lint.selection import Selection, selected
from tests.lint.folder import write

FAULT = "from resilience4cata import retry\n\n\n@retry(max_attempts=0)\ndef f() -> None: ...\n"


pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("tests", ["pkg/tests/test_a.py", "tests/deep/test_b.py"]),
        ("tests/", ["pkg/tests/test_a.py", "tests/deep/test_b.py"]),
        ("tests/**", ["tests/deep/test_b.py"]),
        ("./tests/*", ["tests/deep/test_b.py"]),
        ("test_*.py", ["pkg/tests/test_a.py", "tests/deep/test_b.py"]),
        ("**/test_*.py", ["pkg/tests/test_a.py", "tests/deep/test_b.py"]),
        ("pkg/**/a.py", ["pkg/a.py"]),
        ("**/pkg/**/test_a.py", ["pkg/tests/test_a.py"]),
        ("pkg/tests", ["pkg/tests/test_a.py"]),
        ("pkg/a.py", ["pkg/a.py"]),
        ("PKG", []),
    ],
)
def test_patterns(here: Path, pattern: str, fitting: list[str]) -> None:
    """They mean what those of `exclude` mean."""
    per_file = PerFile(Options(str(here), per_file_ignores=((pattern, ("VA",)),)))
    paths = ["pkg/a.py", "pkg/tests/test_a.py", "tests/deep/test_b.py", str(here.parent / "tests.py")]
    assert fitting == [path for path in paths if per_file.ignores(path, "R4C-VA-001")]


def test_rules() -> None:
    """Words are those of `select`, and several patterns add up."""
    table = (("a.py", ("VA-001",)), ("*.py", ("missing-fallback",)))
    per_file = PerFile(Options(str(Path.cwd()), per_file_ignores=table))
    codes = ["R4C-VA-001", "R4C-VA-002", "R4C-FB-002"]
    assert [True, False, True] == [per_file.ignores("a.py", code) for code in codes]
    assert [False, False, True] == [per_file.ignores("b.py", code) for code in codes]


def test_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """From any working folder, and in configuration files too."""
    write("pyproject.toml", '[tool.r4c.per-file-ignores]\n"tests" = ["VA"]\n"*.toml" = ["CFG-011"]\n')
    write("resilience4cata.toml", "[resilience4cata.defaults.retry]\ndelya = 1\n")
    write("tests/a.py", FAULT)
    write("src/a.py", FAULT)
    assert ["src/a.py"] == [d.at.source for d in analyse(["."], load(["."])).diagnostics]
    monkeypatch.chdir("tests")
    assert [] == analyse(["a.py"], load(["a.py"])).diagnostics


def test_unknown_word() -> None:
    """Refused even where nothing is found."""
    write("pyproject.toml", '[tool.r4c.per-file-ignores]\n"tests" = ["FBB"]\n')
    with pytest.raises(UsageError, match=r"no rule, family or name 'FBB'; did you mean 'FB'\?"):
        analyse(["."], load(["."]))


def test_extend_select() -> None:
    """It adds to what is on by default, the project's `ignore` still counts, and `--select` replaces all of it."""
    default = selected(Options("."), Selection())
    assert default == selected(Options(".", extend_select=("VA",), ignore=()), Selection())
    options = Options(".", select=("FB-001",), extend_select=("VA-001", "VA-002"), ignore=("VA-002",))
    assert {"R4C-FB-001", "R4C-VA-001"} == selected(options, Selection())
    assert {"R4C-DU-001"} == selected(options, Selection(select=("DU-001",)))


def test_paths(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What `r4c check` looks at if it is not told, from the project's folder wherever it runs."""
    write("pyproject.toml", '[tool.r4c]\npaths = ["src"]\n')
    write("src/a.py", FAULT)
    write("tools/a.py", FAULT)
    write("docs/index.md", "")
    runs = []
    for folder, arguments in ((".", []), ("docs", []), ("..", ["tools"])):
        monkeypatch.chdir(folder)
        code = main(["check", "--format", "concise", *arguments])
        runs.append((code, [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]]))
    assert [(1, ["src/a.py"]), (1, ["../src/a.py"]), (1, ["tools/a.py"])] == runs


def test_missing_path(capsys: pytest.CaptureFixture[str]) -> None:
    """A setting that is wrong is an error, not a clean run."""
    write("pyproject.toml", '[tool.r4c]\npaths = ["scr"]\n')
    write("src/a.py", FAULT)
    assert 2 == main(["check"])
    assert "r4c: error: no such file or folder: 'scr'; did you mean 'src'?\n" == capsys.readouterr().err
