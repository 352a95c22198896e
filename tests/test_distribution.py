"""The built wheel, installed into empty environments: what it holds, what it imports, what works with the extras."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from resilience4cata._version import __version__

ROOT = Path(__file__).parents[1]
PACKAGES = ("resilience4cata", "resilience4cata_mypy", "resilience4cata_lint")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"

# Prints the modules that importing the runtime adds to those of a bare interpreter.
IMPORTED_BY_RUNTIME = """
import sys
before = set(sys.modules)
import resilience4cata
added = set(sys.modules) - before
import json
print(json.dumps({"file": resilience4cata.__file__, "modules": sorted(added)}))
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command; a command that fails fails the test with everything it printed."""
    line = [str(part) for part in command]
    result = subprocess.run(line, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        pytest.fail(f"{' '.join(line)}\nexit {result.returncode}\n{result.stdout}{result.stderr}", pytrace=False)
    return result.stdout


class Environment:
    """An environment with nothing in it, not even pip."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=os.name != "nt")
        self.folder = folder
        self.scripts = folder / SCRIPTS

    def install(self, *arguments: str | Path) -> None:
        pip = (sys.executable, "-m", "pip", "--python", self.scripts / "python", "install", "--quiet")
        run(*pip, *arguments, cwd=self.folder)

    def python(self, code: str) -> str:
        """What the code prints, run isolated: no variables, no folder of the user's, no current folder on the path."""
        return run(self.scripts / "python", "-I", "-c", code, cwd=self.folder)

    def r4c(self, *arguments: str) -> str:
        return run(self.scripts / "r4c", *arguments, cwd=self.folder)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, so that this one is shown to be complete too."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel alone; taking nothing from an index shows that it needs nothing."""
    environment = Environment(tmp_path_factory.mktemp("bare"))
    environment.install("--no-index", wheel)
    return environment


@pytest.fixture(scope="session")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with the extras of both static front ends."""
    environment = Environment(tmp_path_factory.mktemp("full"))
    environment.install(f"{wheel}[lint,mypy]")
    return environment


def test_wheel_is_named_after_the_version(wheel: Path) -> None:
    """One version, for any Python 3 and any platform."""
    assert f"resilience4cata-{__version__}-py3-none-any.whl" == wheel.name


def test_wheel_holds_three_typed_packages_and_nothing_else(wheel: Path) -> None:
    """Tests, fixtures and tools stay outside."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {*PACKAGES, f"resilience4cata-{__version__}.dist-info"} == {name.split("/")[0] for name in names}
    assert [] == [package for package in PACKAGES if f"{package}/py.typed" not in names]


@pytest.mark.parametrize("language", ["en", "es"])
def test_wheel_holds_every_rule_page(wheel: Path, language: str) -> None:
    """The pages of the documentation are those that the linter shows offline."""
    folder = f"resilience4cata_lint/pages/{language}/"
    shipped = {name.removeprefix(folder) for name in zipfile.ZipFile(wheel).namelist() if name.startswith(folder)}
    written = {page.name for page in (ROOT / "docs" / language / "rules").iterdir()}
    assert written == shipped


def test_runtime_imports_only_the_standard_library(bare: Environment) -> None:
    """The runtime alone works without anything else, and loads neither asyncio nor the rules."""
    seen = json.loads(bare.python(IMPORTED_BY_RUNTIME))
    assert Path(seen["file"]).is_relative_to(bare.folder)
    modules: list[str] = seen["modules"]
    foreign = [m for m in modules if m.partition(".")[0] not in sys.stdlib_module_names | {"resilience4cata"}]
    assert [] == foreign
    late = [m for m in modules if m == "asyncio" or m.startswith(("asyncio.", "resilience4cata.rules"))]
    assert [] == late


def test_runtime_version(bare: Environment) -> None:
    """The metadata and the module name one version."""
    code = "import importlib.metadata as m; print(m.version('resilience4cata'))"
    assert __version__ == bare.python(code).strip()


def test_linter_answers_with_its_version(full: Environment) -> None:
    """`r4c` runs with the extra `lint`."""
    assert __version__ in full.r4c("--version")


def test_mypy_plugin_loads(full: Environment) -> None:
    """The plugin runs with the extra `mypy`: its entry point takes mypy's version and gives a class of plugin."""
    code = (
        "import mypy.plugin, mypy.version, resilience4cata_mypy as r\n"
        "print(issubclass(r.plugin(mypy.version.__version__), mypy.plugin.Plugin))"
    )
    assert "True" == full.python(code).strip()


def test_mypy_plugin_of_the_newest_version_known(full: Environment) -> None:
    """The plugin takes the version string of the newest mypy it was tried with."""
    full.python("import resilience4cata_mypy; resilience4cata_mypy.plugin('2.4.1')")
