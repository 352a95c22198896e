"""`r4c init` sets a project up, without changing anything that somebody wrote."""

import tomllib
from pathlib import Path

import pytest

from resilience4cata_lint.cli import main

PROJECT = """\
# A shop.
[project]
name = "shop"   # short

[tool.mypy]
strict = true
plugins = [
    "pydantic.mypy",  # for models
]

[tool.ruff]
line-length = 120
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def settings(folder: Path) -> dict[str, object]:
    tool: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    return tool


def test_a_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It writes a starter file and settings, and says what it did."""
    write(folder / "pyproject.toml", PROJECT)
    assert main(["init"]) == 0
    expected = (
        "resilience4cata.toml: written, with a template to start from\n"
        "pyproject.toml: added resilience4cata_mypy to the plugins of mypy\n"
        "pyproject.toml: added [tool.r4c]\n"
    )
    out = capsys.readouterr().out
    assert out.endswith(f"\n{expected}")
    # What is written is shown first.
    assert ["--- /dev/null", "+++ resilience4cata.toml"] == out.splitlines()[:2]
    assert ' plugins = [\n     "pydantic.mypy",  # for models\n+    "resilience4cata_mypy",\n ]\n' in out
    assert settings(folder) == {
        "mypy": {"strict": True, "plugins": ["pydantic.mypy", "resilience4cata_mypy"]},
        "ruff": {"line-length": 120},
        "r4c": {"config-files": ["resilience4cata.toml"]},
    }


def test_what_people_wrote_stays(folder: Path) -> None:
    """The project's file is the same but for what was added, comments and blanks included."""
    write(folder / "pyproject.toml", PROJECT)
    main(["init"])
    expected = (
        PROJECT.replace("  # for models\n", '  # for models\n    "resilience4cata_mypy",\n')
        + '\n[tool.r4c]\nconfig-files = ["resilience4cata.toml"]\n'
    )
    assert expected == (folder / "pyproject.toml").read_text(encoding="utf-8")


def test_a_second_run_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It finds nothing to do, and every file stays as it is."""
    write(folder / "pyproject.toml", PROJECT)
    main(["init"])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert main(["init"]) == 0
    assert capsys.readouterr().out == "nothing to do: the project is set up\n"
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_starter_is_correct(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it writes passes its own check."""
    write(folder / "pyproject.toml", PROJECT)
    main(["init"])
    assert main(["config", "check"]) == 0


def test_configuration_that_exists(folder: Path) -> None:
    """A configuration file is listed, not replaced."""
    write(folder / "pyproject.toml", "[project]\nname = 'shop'\n")
    write(folder / "resilience4cata.properties", "resilience4cata.defaults.retry.max-attempts=2\n")
    main(["init"])
    assert settings(folder) == {"r4c": {"config-files": ["resilience4cata.properties"]}}
    assert sorted(path.name for path in folder.iterdir()) == ["pyproject.toml", "resilience4cata.properties"]


def test_windows_line_ends(folder: Path) -> None:
    """The file keeps its line ends, and new lines get the same."""
    write(folder / "pyproject.toml", PROJECT.replace("\n", "\r\n"))
    main(["init"])
    written = (folder / "pyproject.toml").read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n")


def test_plugins_in_one_text(folder: Path) -> None:
    """mypy also takes its plugins in one text."""
    write(folder / "pyproject.toml", '[tool.mypy]\nplugins = "pydantic.mypy, attrs"\n')
    main(["init"])
    assert settings(folder)["mypy"] == {"plugins": "pydantic.mypy, attrs, resilience4cata_mypy"}


def test_a_dry_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It shows a diff and writes nothing."""
    write(folder / "pyproject.toml", '[project]\nname = "shop"\n')
    write(folder / "resilience4cata.toml", "")
    assert main(["init", "--dry-run"]) == 0
    expected = (
        "--- pyproject.toml\n+++ pyproject.toml\n@@ -1,2 +1,5 @@\n [project]\n"
        ' name = "shop"\n+\n+[tool.r4c]\n+config-files = ["resilience4cata.toml"]\n'
    )
    assert expected == capsys.readouterr().out
    assert (folder / "pyproject.toml").read_text(encoding="utf-8") == '[project]\nname = "shop"\n'


def test_files_that_it_leaves_to_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what to add to files of other tools."""
    write(folder / "pyproject.toml", "[tool.r4c]\n")
    write(folder / "resilience4cata.toml", "")
    write(folder / "mypy.ini", "[mypy]\nstrict = True\n")
    write(folder / ".pre-commit-config.yaml", "repos: [{repo: meta, hooks: [{id: identity}]}]\n")
    assert main(["init"]) == 0
    expected = (
        "mypy.ini: add 'resilience4cata_mypy' to 'plugins' under [mypy]\n"
        ".pre-commit-config.yaml: add the hooks 'r4c' and 'r4c-project' (see the guide on pre-commit)\n"
    )
    assert expected == capsys.readouterr().out


HOOKS = "repos:\n  - repo: https://example.org/a  # ours\n    rev: v1\n    hooks:\n      - id: a\n"


def test_hooks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are added where pre-commit is used, shown first, and found the next time."""
    write(folder / "pyproject.toml", "[tool.r4c]\n")
    write(folder / "resilience4cata.toml", "")
    write(folder / ".pre-commit-config.yaml", HOOKS)
    assert main(["init", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("--- .pre-commit-config.yaml\n+++ .pre-commit-config.yaml\n@@ -3,3 +3,18 @@\n")
    assert HOOKS == (folder / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert main(["init"]) == 0
    said = ".pre-commit-config.yaml: added the hooks r4c and r4c-project\n"
    assert shown + said == capsys.readouterr().out
    written = (folder / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert written.startswith(HOOKS)
    assert main(["init"]) == 0
    assert capsys.readouterr().out == "nothing to do: the project is set up\n"
    assert written == (folder / ".pre-commit-config.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no pyproject.toml in this folder: make one first (an empty file will do)"),
        ("[project\n", "cannot read pyproject.toml: "),
    ],
)
def test_no_project(folder: Path, capsys: pytest.CaptureFixture[str], text: str | None, message: str) -> None:
    """Without a project, or with one that cannot be read, it says so and writes nothing."""
    if text is not None:
        write(folder / "pyproject.toml", text)
    assert main(["init"]) == 2
    assert capsys.readouterr().err.startswith(f"r4c: error: {message}")
    assert [path.name for path in folder.iterdir()] == ([] if text is None else ["pyproject.toml"])


def test_project_further_up(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is in a folder of a project is told where to go."""
    write(folder / "pyproject.toml", "")
    (folder / "src" / "shop").mkdir(parents=True)
    monkeypatch.chdir(folder / "src" / "shop")
    assert main(["init", "--dry-run"]) == 2
    expected = (
        "r4c: error: there is no pyproject.toml in this folder, but there is ../../pyproject.toml: "
        "run 'r4c init' in that folder\n"
    )
    assert expected == capsys.readouterr().err


def test_an_empty_project(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file is a project, as the advice says."""
    write(folder / "pyproject.toml", "")
    assert main(["init"]) == 0
    assert settings(folder) == {"r4c": {"config-files": ["resilience4cata.toml"]}}
    assert capsys.readouterr().err == ""


def test_a_byte_order_mark_stays(folder: Path) -> None:
    """A file that an editor of Windows marked as UTF-8 is completed, and keeps its mark and its line ends."""
    (folder / "pyproject.toml").write_bytes(b'\xef\xbb\xbf[project]\r\nname = "shop"\r\n')
    assert main(["init"]) == 0
    expected = (
        b'\xef\xbb\xbf[project]\r\nname = "shop"\r\n\r\n[tool.r4c]\r\nconfig-files = ["resilience4cata.toml"]\r\n'
    )
    assert expected == (folder / "pyproject.toml").read_bytes()


def test_a_link_and_a_mode_are_kept(folder: Path) -> None:
    """A project's file that is a link stays one; its target keeps its mode."""
    (folder / "real").mkdir()
    target = folder / "real" / "pyproject.toml"
    write(target, "[project]\n")
    target.chmod(0o640)
    (folder / "pyproject.toml").symlink_to(target)
    main(["init"])
    assert (folder / "pyproject.toml").is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert "r4c" in target.read_text(encoding="utf-8")
