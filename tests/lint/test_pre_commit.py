"""The hooks of this checkout under the real pre-commit, in a repository of somebody who uses them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lint.faulty_modules import POLICIES, USER

ROOT = Path(__file__).parents[2]
# What pre-commit needs to install a hook: it clones, and runs `pip install .`.
NEEDED = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "runtime", "mypy_plugin", "lint", "docs")

CLIENT = """\
from resilience4cata import fallback


class Client:
    @fallback(method="find_fallbak")
    def find(self, id: str) -> str:
        return id

    def find_fallback(self, id: str) -> str:
        return id
"""
CONFIGURATION = '[resilience4cata.configs.external]\nextends = "externl"\n'

pytestmark = pytest.mark.slow

_FINDING = re.compile(r"^(\S+): error: \[(R4C-\w+-\d+)\]", re.MULTILINE)


class Repository:
    """A git repository in a folder, and pre-commit in it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        own = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRE_COMMIT"))}
        author = {
            f"GIT_{who}_{what}": "r4c@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self._environment = {**own, **author, **nobody, "PRE_COMMIT_HOME": str(home), "NO_COLOR": "1"}
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet")

    def write(self, **files: str) -> None:
        """Write and stage modules and files; `__` in a name stands for the dot."""
        for name, text in files.items():
            path = self.folder / "acme" / name.replace("__", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git("add", ".")

    def git(self, *arguments: str) -> str:
        return self._run("git", *arguments, codes={0})

    def commit(self) -> str:
        self.git("add", ".")
        self.git("commit", "--quiet", "--no-verify", "--message", "state")
        return self.git("rev-parse", "HEAD").strip()

    def hook(self, name: str) -> tuple[str, list[str]]:
        """How the hook ended ("Passed", "Failed", "(no files to check)Skipped"), and what it found and where."""
        command = (sys.executable, "-m", "pre_commit", "run", name, "--color", "never")
        output = self._run(*command, codes={0, 1})
        ending = re.search(r"\.\.\.([^.\n]+)$", output, re.MULTILINE)
        assert ending is not None, output
        return ending[1], [f"{place} {code}" for place, code in _FINDING.findall(output)]

    def _run(self, *command: str, codes: set[int]) -> str:
        result = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert result.returncode in codes, result.stdout + result.stderr
        return result.stdout


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Path]:
    """This checkout as a repository with one commit, the commit, and a home for pre-commit's environments."""
    home = tmp_path_factory.mktemp("home")
    repository = Repository(tmp_path_factory.mktemp("hooks") / "resilience4cata", home)
    for name in NEEDED:
        source, target = ROOT / name, repository.folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(source, target)
    return repository.folder, repository.commit(), home


@pytest.fixture
def repository(hooks: tuple[Path, str, Path], tmp_path: Path) -> Repository:
    """A project whose faulty module is committed, and which uses the hooks."""
    folder, revision, home = hooks
    made = Repository(tmp_path / "user", home)
    made.write(__init____py="", policies__py=POLICIES, notes__txt="")
    hooks_used = ", ".join(f"{{id: {name}}}" for name in ("r4c", "r4c-fix", "r4c-project"))
    (made.folder / ".pre-commit-config.yaml").write_text(
        f"repos: [{{repo: '{folder.as_uri()}', rev: {revision}, hooks: [{hooks_used}]}}]\n",
        encoding="utf-8",
    )
    (made.folder / "pyproject.toml").write_text('[project]\nname = "acme"\n', encoding="utf-8")
    made.commit()
    return made


def test_changed_files(repository: Repository) -> None:
    """`r4c` finds what is wrong in them, the files around them being known, and passes when it is repaired."""
    repository.write(user__py=USER, client__py=CLIENT)
    expected = ["acme/client.py:5:6 R4C-FB-002", "acme/user.py:5:2 R4C-CMP-004"]
    assert ("Failed", expected) == repository.hook("r4c")
    repository.write(user__py=USER.replace("@long\n", ""), client__py=CLIENT.replace("bak", "back"))
    assert ("Passed", []) == repository.hook("r4c")


def test_other_files(repository: Repository) -> None:
    """`r4c` looks only at what changed; the committed fault is none of its business."""
    repository.write(client__py=CLIENT)
    repository.commit()
    repository.write(notes__txt="changed")
    assert ("(no files to check)Skipped", []) == repository.hook("r4c")
    repository.write(policies__py=f"{POLICIES}\n# The end.\n")
    assert ("Passed", []) == repository.hook("r4c")


def test_configuration_files(repository: Repository) -> None:
    """`r4c` takes them too."""
    repository.write(resilience4cata__toml=CONFIGURATION)
    assert ("Failed", ["acme/resilience4cata.toml:2:11 R4C-CFG-002"]) == repository.hook("r4c")


def test_whole_project(repository: Repository) -> None:
    """`r4c-project` finds what is wrong anywhere, whatever changed."""
    repository.write(client__py=CLIENT, other__py=POLICIES.replace("2s", "3s"))
    repository.commit()
    repository.write(notes__txt="changed")
    expected = ["acme/client.py:5:6 R4C-FB-002", "acme/policies.py:3:9 R4C-CMP-007"]
    assert ("Failed", expected) == repository.hook("r4c-project")
    repository.write(client__py=CLIENT.replace("bak", "back"), other__py="")
    assert ("Passed", []) == repository.hook("r4c-project")


def test_repairs(repository: Repository) -> None:
    """`r4c-fix` repairs the changed files and stops the commit; the next time there is nothing to do."""
    repository.write(client__py=CLIENT, resilience4cata__toml=CONFIGURATION.replace("externl", "missing"))
    left = ["acme/resilience4cata.toml:2:11 R4C-CFG-002"]
    assert ("Failed", left) == repository.hook("r4c-fix")
    assert CLIENT.replace("bak", "back") == (repository.folder / "acme" / "client.py").read_text(encoding="utf-8")
    repository.write(resilience4cata__toml="")
    assert ("Passed", []) == repository.hook("r4c-fix")
