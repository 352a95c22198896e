"""Which files are found, read and left out."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from resilience4cata.facts import At, Unreadable
from resilience4cata_lint.discover import Excluded, Found, Walk, ignored_by_git
from resilience4cata_lint.files import read

pytestmark = pytest.mark.usefixtures("here")


def make(*paths: str) -> None:
    """Empty files; a path that ends with a slash is a folder."""
    for path in paths:
        target = Path(path)
        if path.endswith("/"):
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()


def found(*named: str, exclude: Sequence[str] = (), projects: bool = True) -> Found:
    """What a walk takes, with forward slashes."""
    walk = Walk(Excluded(exclude, os.curdir) if exclude else None, projects=projects)
    for path in named or (".",):
        walk.add(path)
    taken = walk.finish()
    for paths in (taken.files, taken.configurations, taken.deployments, taken.skipped):
        paths[:] = [path.replace(os.sep, "/") for path in paths]
    return taken


def test_python_files_in_the_order_of_paths() -> None:
    """Both kinds of Python files are found, and nothing else."""
    make("b.py", "a/c.pyi", "a/d.py", "a/e.txt", "a/f.pyc", "README.md")
    assert ["a/c.pyi", "a/d.py", "b.py"] == found().files


def test_folders_that_hold_no_code_of_the_project() -> None:
    """Hidden folders, caches, dependencies and environments are passed over."""
    make("a.py", ".hidden/b.py", "__pycache__/c.py", "node_modules/d.py", "lib/site-packages/e.py", ".git/f.py")
    make("myenv/pyvenv.cfg", "myenv/lib/g.py", "conda/conda-meta/", "conda/h.py")
    assert ["a.py"] == found().files


def test_built_folders_unless_they_are_packages() -> None:
    """`build` and `dist` are products of tools, but a package may be called so."""
    make("build/lib/a.py", "dist/b.py", "acme/build/__init__.py", "acme/build/steps.py")
    assert ["acme/build/__init__.py", "acme/build/steps.py"] == found().files


def test_named_folders_are_walked_whatever_they_are_called() -> None:
    """Who names a folder means it."""
    make(".hidden/a.py", "build/b.py")
    assert [".hidden/a.py", "build/b.py"] == found(".hidden", "build").files


def test_named_files_are_taken_though_excluded() -> None:
    """`exclude` is for what is found by walking."""
    make("generated/a.py", "b.py")
    assert ["b.py"] == found(exclude=["generated"]).files
    assert ["b.py", "generated/a.py"] == found(".", "generated/a.py", exclude=["generated"]).files


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("generated", ["a_pb2.py", "tools/old/c.py", "tools/new.py"]),
        ("*_pb2.py", ["generated/b.py", "tools/generated/d.py", "tools/new.py", "tools/old/c.py"]),
        ("tools/old", ["a_pb2.py", "generated/b.py", "tools/generated/d.py", "tools/new.py"]),
        ("tools/*", ["a_pb2.py", "generated/b.py"]),
        ("./tools/", ["a_pb2.py", "generated/b.py"]),
        ("tools/**/*.py", ["a_pb2.py", "generated/b.py"]),
        ("**/*_pb2.py", ["generated/b.py", "tools/generated/d.py", "tools/new.py", "tools/old/c.py"]),
        ("**/generated/**/*.py", ["a_pb2.py", "tools/new.py", "tools/old/c.py"]),
        ("tools**/*.py", ["a_pb2.py", "generated/b.py"]),
        ("/generated", ["a_pb2.py", "tools/generated/d.py", "tools/new.py", "tools/old/c.py"]),
    ],
)
def test_exclude(pattern: str, left: list[str]) -> None:
    """A pattern without a slash fits any name on the way, one with a slash the path from the project's folder."""
    make("a_pb2.py", "generated/b.py", "tools/old/c.py", "tools/generated/d.py", "tools/new.py")
    assert sorted(left) == found(exclude=[pattern]).files


def test_a_file_given_twice_is_found_once() -> None:
    """Overlapping paths and different spellings are one file."""
    make("a/b.py")
    assert ["a/b.py"] == found("a", ".", "a/b.py").files


def test_folder_named_like_a_file() -> None:
    """A folder called `x.py` is a folder."""
    make("x.py/y.py")
    assert ["x.py/y.py"] == found().files


def test_special_file_named_like_a_file() -> None:
    """A pipe would never end."""
    os.mkfifo("x.py")
    assert [] == found().files


def test_symlink_loop_ends() -> None:
    """A link to a folder above is not entered."""
    make("a/b.py")
    Path("a/loop").symlink_to("..")
    Path("a/self").symlink_to("self")
    assert ["a/b.py"] == found().files


def test_symlinked_folder_is_not_entered_twice() -> None:
    """Files are shown under their own path, whichever name comes first."""
    make("z/b.py")
    Path("a").symlink_to("z")
    Path("zz").symlink_to("z")
    assert ["z/b.py"] == found().files


def test_symlinked_folder_outside_is_entered_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a link brings in from elsewhere belongs to the tree."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "b.py").touch()
    Path("one").symlink_to(outside)
    Path("two").symlink_to(outside)
    assert ["one/b.py"] == found().files


def test_symlinked_file() -> None:
    """A link to a file of the tree is that file; a broken one is none."""
    make("a.py", "c/")
    Path("c/link.py").symlink_to("../a.py")
    Path("broken.py").symlink_to("nowhere.py")
    assert ["a.py"] == found().files


def test_kinds_of_named_files() -> None:
    """Configuration is told from Python, scripts by their first line, and the rest is not looked at."""
    make("a.toml", "b.properties", "README.md", "Makefile")
    Path("tool").write_text("#!/usr/bin/env python3\n", encoding="utf-8")
    result = found("a.toml", "b.properties", "README.md", "Makefile", "tool")
    assert (["tool"], ["a.toml", "b.properties"], ["README.md", "Makefile"]) == (
        result.files,
        result.configurations,
        result.skipped,
    )


def test_other_projects_are_left_out_of_the_context() -> None:
    """A folder with its own `pyproject.toml` is another project, unless all are wanted."""
    make("a.py", "pyproject.toml", "other/pyproject.toml", "other/b.py")
    assert ["a.py"] == found(projects=False).files
    assert ["a.py", "other/b.py"] == found().files


def test_unreadable_folder_is_reported_and_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is still found."""
    make("a.py", "closed/b.py")
    real = os.scandir

    def scandir(path: str | None = None) -> object:
        if path == "closed":
            raise PermissionError(13, "Permission denied", path)
        return real(path) if path is not None else real()

    monkeypatch.setattr(os, "scandir", scandir)
    result = found()
    assert (["a.py"], [Unreadable(At("closed"), "permission denied")]) == (result.files, result.unreadable)


def test_names_that_are_no_utf8() -> None:
    """Bytes that are no text are kept as they are."""
    try:
        Path(os.fsdecode(b"caf\xe9.py")).touch()
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert [b"caf\xe9.py"] == [os.fsencode(path) for path in found().files]


@pytest.mark.parametrize("size", [0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 21])
def test_read_gives_all_bytes(size: int) -> None:
    """Whatever the size is in relation to the chunks."""
    data = os.urandom(size)
    Path("a").write_bytes(data)
    assert data == read("a")


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "init.defaultBranch=main", *arguments], check=True, capture_output=True)


def test_git_decides_what_it_ignores() -> None:
    """Nested files, negation and tracked files count as git counts them."""
    git("init")
    make("a.py", "gen/b.py", "gen/kept.py", "sub/c_gen.py", "tracked_gen.py")
    Path(".gitignore").write_text("gen/*\n!gen/kept.py\ntracked_gen.py\n", encoding="utf-8")
    Path("sub/.gitignore").write_text("*_gen.py\n", encoding="utf-8")
    git("add", "--force", "tracked_gen.py")
    paths = ["a.py", "gen/b.py", "gen/kept.py", "sub/c_gen.py", "tracked_gen.py"]
    assert {"gen/b.py", "sub/c_gen.py"} == ignored_by_git(paths)


def test_git_and_links(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A path behind a link is asked about where it really is; git would refuse it."""
    git("init")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "b.py").touch()
    Path("link").symlink_to(outside)
    make("gen.py")
    Path(".gitignore").write_text("gen.py\n", encoding="utf-8")
    assert {"gen.py"} == ignored_by_git(["link/b.py", "gen.py"])


def test_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """No git, no repository: nothing is ignored."""
    make(".git/", "a.py")
    Path(".gitignore").write_text("a.py\n", encoding="utf-8")
    assert frozenset() == ignored_by_git(["a.py"])
    monkeypatch.setenv("PATH", "")
    assert frozenset() == ignored_by_git(["a.py"])
