"""How paths are shown, and which module a file is."""

import os
from pathlib import Path

import pytest

from resilience4cata_lint.locate import Module, Modules, Shown

pytestmark = pytest.mark.usefixtures("here")


def make(*paths: str) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()


def named(path: str, *roots: str) -> tuple[str, bool, str]:
    """The module's name, whether it is a package, and its root relative to the working folder."""
    module = Modules(roots or (".",)).of(path)
    return module.name, module.is_package, os.path.relpath(module.root).replace(os.sep, "/")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/acme/__init__.py", ("acme", True, "src")),
        ("src/acme/users/client.py", ("acme.users.client", False, "src")),
        ("src/acme/users/__init__.pyi", ("acme.users", True, "src")),
        ("any/where/acme/__init__.py", ("acme", True, "any/where")),
    ],
)
def test_packages_are_found_upwards(path: str, expected: tuple[str, bool, str]) -> None:
    """As long as there is an `__init__.py`, whatever the folder above is called."""
    make("src/acme/__init__.py", "src/acme/users/__init__.py", "src/acme/users/client.py", "any/where/acme/__init__.py")
    make(path)
    assert expected == named(path)


@pytest.mark.parametrize(
    ("path", "roots", "expected"),
    [
        ("a.py", (".",), ("a", False, ".")),
        ("acme/ns/a.py", (".",), ("acme.ns.a", False, ".")),
        ("src/acme/ns/a.py", (".", "src"), ("acme.ns.a", False, "src")),
        ("src/acme/ns/a.py", (".", "src", "src/acme"), ("ns.a", False, "src/acme")),
        ("rules/R4C-FB-002/bad.py", (".",), ("bad", False, "rules/R4C-FB-002")),
        ("rules/R4C-FB-002/ns/bad.py", (".",), ("ns.bad", False, "rules/R4C-FB-002")),
        ("elsewhere/a.py", ("src",), ("a", False, "elsewhere")),
        ("__init__.py", (".",), None),
        ("with space.py", (".",), ("with space", False, ".")),
        ("a.b.py", (".",), ("a", False, ".")),
    ],
)
def test_namespace_packages_count_from_the_deepest_known_root(
    path: str, roots: tuple[str, ...], expected: tuple[str, bool, str] | None, here: Path
) -> None:
    """But never across a folder whose name cannot be imported."""
    make(path)
    # Python calls a package after its folder, also the working folder.
    assert (expected or (here.name, True, "..")) == named(path, *roots)


def test_file_of_a_module() -> None:
    """The first root that has it; a module before a package's `__init__`, code before stubs."""
    make("one/a/__init__.py", "one/a/b.py", "two/a/b.py", "two/c.pyi", "two/ns/d.py")
    modules = Modules(["one", "two"])
    names = ["a", "a.b", "c", "ns.d", "ns", "nothing", "a.b.c"]
    assert [
        "one/a/__init__.py",
        "one/a/b.py",
        "two/c.pyi",
        "two/ns/d.py",
        None,
        None,
        None,
    ] == [path and path.replace(os.sep, "/") for path in (modules.file_of(name, ["one", "two"]) for name in names)]


def test_module_is_a_value() -> None:
    """Modules compare by what they say."""
    assert Module("a", False, "/r") == Module("a", False, "/r")


def test_shown_below_the_working_folder(here: Path) -> None:
    """Relative, whichever way they were given."""
    shown = Shown()
    assert ["a/b.py"] * 4 == [shown(p) for p in ("a/b.py", "./a/b.py", str(here / "a" / "b.py"), "a/c/../b.py")]


def test_shown_outside_the_working_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative as it was given, absolute otherwise; within the project always relative."""
    make("project/sub/x.py")
    monkeypatch.chdir("project/sub")
    outside = str(here / "other.py")
    assert ("../../other.py", outside) == (Shown()("../../other.py"), Shown()(outside))
    assert "../pyproject.toml" == Shown(str(here / "project"))(str(here / "project" / "pyproject.toml"))
