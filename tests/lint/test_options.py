"""`[tool.r4c]`: where it is looked for, what it may say, and how mistakes in it are reported."""

from pathlib import Path

import pytest

from resilience4cata_lint.options import Options, UsageError, load
from resilience4cata_lint.project import common_folder
from tests.lint.folder import write

pytestmark = pytest.mark.usefixtures("here")


def test_without_a_project(here: Path) -> None:
    """The folder that is checked stands for the project, with the configuration that lies in it."""
    write("a/resilience4cata.toml")
    assert Options(str(here / "a"), config_files=(str(here / "a" / "resilience4cata.toml"),)) == load(["a"])


def test_files_elsewhere(here: Path) -> None:
    """A whole path is a whole path."""
    elsewhere = (here.parent / "shared.toml").as_posix()
    write("pyproject.toml", f'[tool.r4c]\nconfig-files = ["{elsewhere}"]\n')
    assert (str(here.parent / "shared.toml"),) == load(["."]).config_files


def test_every_setting(here: Path) -> None:
    """Each key is read; files count from the project's folder."""
    write(
        "pyproject.toml",
        """
        [tool.r4c]
        config-files = ["resilience4cata.toml", "config/prod.properties"]
        exclude = ["generated"]
        templates = ["external"]
        select = ["FB"]
        ignore = ["FB-003"]
        """,
    )
    write("src/a.py")
    assert Options(
        root=str(here),
        is_project=True,
        config_files=(str(here / "resilience4cata.toml"), str(here / "config" / "prod.properties")),
        names_files=True,
        exclude=("generated",),
        templates=("external",),
        select=("FB",),
        ignore=("FB-003",),
    ) == load(["src/a.py"])


def test_default_configuration(here: Path) -> None:
    """Both default names beside the project's file, and its own tables."""
    write("pyproject.toml", "[tool.resilience4cata.defaults]\nretry = { max-attempts = 2 }\n")
    write("resilience4cata.toml")
    write("resilience4cata.properties")
    names = ("resilience4cata.toml", "resilience4cata.properties", "pyproject.toml")
    assert (tuple(str(here / name) for name in names), False) == (load(["."]).config_files, load(["."]).names_files)


def test_configuration_in_the_folder_that_is_checked(here: Path) -> None:
    """A folder may carry its own configuration without being a project."""
    write("pyproject.toml", '[project]\nname = "resilience4cata-user"\n')
    write("app/resilience4cata.properties")
    assert (str(here / "app" / "resilience4cata.properties"),) == load(["app"]).config_files


def test_nearest_project_of_the_common_folder(here: Path) -> None:
    """One run has one project: that above all the paths."""
    write("pyproject.toml", '[tool.r4c]\nexclude = ["outer"]\n')
    write("a/pyproject.toml", '[tool.r4c]\nexclude = ["inner"]\n')
    write("a/x/y.py")
    write("b/z.py")
    assert [("inner",), ("inner",), ("outer",), ("outer",)] == [
        load(paths).exclude for paths in (["a"], ["a/x/y.py"], ["a", "b"], ["b/z.py"])
    ]


def test_named_project(here: Path) -> None:
    """`--config` names another one."""
    write("pyproject.toml", '[tool.r4c]\nexclude = ["outer"]\n')
    write("a/pyproject.toml", '[tool.r4c]\nexclude = ["inner"]\n')
    options = load(["."], "a/pyproject.toml")
    assert (("inner",), str(here / "a")) == (options.exclude, options.root)


KNOWN = "baseline, config-files, exclude, extend-select, ignore, paths, per-file-ignores, select, templates"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.r4c]\nconfig-file = []\n", "unknown key 'config-file' in [tool.r4c]; did you mean 'config-files'?"),
        (
            "[tool.r4c]\nzzz = 1\n",
            f"unknown key 'zzz' in [tool.r4c]; known are: {KNOWN}",
        ),
        ('[tool.r4c]\nselect = "FB"\n', 'select in [tool.r4c] must be a list of texts, as in select = ["…"]'),
        ("[tool.r4c]\nignore = [1]\n", 'ignore in [tool.r4c] must be a list of texts, as in ignore = ["…"]'),
        ('[tool.r4c]\nexclude = [""]\n', 'exclude in [tool.r4c] must be a list of texts, as in exclude = ["…"]'),
        ("[tool.r4c]\nbaseline = 1\n", 'baseline in [tool.r4c] must be a path, as in baseline = "r4c-baseline.json"'),
        (
            "[tool.r4c]\nper-file-ignores = []\n",
            'per-file-ignores in [tool.r4c] must be a table, as in per-file-ignores = { "tests" = ["FB"] }',
        ),
        (
            '[tool.r4c.per-file-ignores]\n"tests" = "FB"\n',
            'per-file-ignores."tests" in [tool.r4c] must be a list of texts, as in per-file-ignores."tests" = ["…"]',
        ),
        ("[tool]\nr4c = 1\n", "tool.r4c must be a table"),
        (
            "[tool.r4c\n",
            "cannot be read as TOML: Expected ']' at the end of a table declaration (at line 1, column 10)",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    """Each names the file and what would be right."""
    write("pyproject.toml", text)
    with pytest.raises(UsageError) as caught:
        load(["."])
    assert f"pyproject.toml: {message}" == str(caught.value)


def test_mistakes_in_a_folder_further_up(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file outside of the working folder is named by its whole path."""
    write("pyproject.toml", "[tool]\nr4c = 1\n")
    (here / "below").mkdir()
    monkeypatch.chdir("below")
    with pytest.raises(UsageError) as caught:
        load(["."])
    assert f"{here.resolve() / 'pyproject.toml'}: tool.r4c must be a table" == str(caught.value)


def test_somebody_elses_broken_project_file(here: Path) -> None:
    """What never names the linter is not parsed, so it cannot stand in the way."""
    write("pyproject.toml", "[tool.other\n")
    assert Options(str(here), is_project=True) == load(["."])


def test_broken_project_file_that_may_configure_policies(here: Path) -> None:
    """It is read as configuration, where its fault has a place."""
    write("pyproject.toml", "[tool.resilience4cata\n")
    assert (str(here / "pyproject.toml"),) == load(["."]).config_files


def test_common_folder(here: Path) -> None:
    """Of files, their folders; of nothing, the working folder."""
    write("a/b/c.py")
    write("a/d/e.py")
    assert [str(here / "a"), str(here / "a" / "b"), str(here)] == [
        common_folder(paths) for paths in (["a/b/c.py", "a/d"], ["a/b/c.py"], [])
    ]
