"""Files that are named on the command line: none is passed over in silence, and none makes a project less whole."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from .calls import FAULTY, write

BROKEN = "def f(:\n"
HELP = "    mend it, or leave it out with 'exclude' in [tool.r4c]\n"
FOUND = f"broken.py:1:7: error: [R4C-SRC-001]\n    cannot be checked: invalid syntax\n{HELP}"


def counted(files: str) -> str:
    return f"Found 1 error in 1 file (checked {files})\n"


def test_a_syntax_error(run: Any) -> None:
    """Whoever names a file is told that it cannot be parsed, though it has nothing to do with the library."""
    write("broken.py", BROKEN)
    write("fine.py", "x = 1\n")
    assert (1, FOUND + counted("2 files"), "") == run("check", "broken.py", "fine.py")


def test_in_a_folder(run: Any) -> None:
    """What was only met on the way is nobody's business here, unless it is named as well."""
    write("broken.py", BROKEN)
    assert (0, "All checks passed.\n", "") == run("check")
    assert (1, FOUND + counted("1 file"), "") == run("check", ".", "./broken.py")


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        ("import resilience4cata\n".encode("utf-16"), "1:1", "invalid or missing encoding declaration"),
        (b"x = '\xe9'\n", "1:1", "invalid or missing encoding declaration"),
        (b"x = '\0'\n", "1:6", "source code cannot contain null bytes"),
        (b"# coding: nonsense\n", "1:1", "unknown encoding: nonsense"),
        (b"x = " + b"(" * 1000 + b")" * 1000, "1:205", "too many nested parentheses"),
    ],
    ids=["utf-16", "latin-1", "null", "encoding", "nesting"],
)
def test_other_reasons(run: Any, data: bytes, place: str, reason: str) -> None:
    """Bytes that are no source text are refused in the same words as in files that matter."""
    Path("broken.py").write_bytes(data)
    code, out, _ = run("check", "broken.py", "--format", "concise")
    assert (1, place) == (code, out.split(":", 1)[1].split(": ")[0])
    assert reason in out


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfx = 1\r\n",
        b"# coding: latin-1\nx = '\xe9'\n",
        b"x = '\\d'\n",
        b"",
        b"async def f(): return await g\n",
    ],
)
def test_sound_files(run: Any, data: bytes) -> None:
    """Marks, declared encodings and doubtful escapes are Python, and nothing is said about them."""
    Path("sound.py").write_bytes(data)
    assert (0, "All checks passed.\n", "") == run("check", "sound.py")


def test_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the one file that was asked about."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    assert (1, FOUND + counted("1 file"), "") == run("check", "-", "--stdin-filename", "broken.py")


def test_what_it_silences(run: Any) -> None:
    """The finding is one like others."""
    write("broken.py", f"{BROKEN}# r4c: file-ignore[R4C-SRC-001]\n")
    assert (0, "All checks passed.\n", "") == run("check", "broken.py")
    write("broken.py", BROKEN)
    assert (0, "All checks passed.\n", "") == run("check", "broken.py", "--ignore", "SRC")
    write("pyproject.toml", '[tool.r4c.per-file-ignores]\n"broken.py" = ["SRC"]\n')
    assert (0, "All checks passed.\n", "") == run("check", "broken.py")


def test_files_that_others_name(run: Any) -> None:
    """A hook is given all that changed, and passes over what is none of its business; the rest it reports."""
    write("broken.py", BROKEN)
    write("ours.py", f"import resilience4cata\n{BROKEN}")
    code, out, _ = run("check", "--skip-unrelated", "broken.py", "ours.py", "--format", "concise")
    assert (1, ["ours.py:2:7"]) == (code, [line.split(": ")[0] for line in out.splitlines()[:-1]])


def test_the_hooks_say_so() -> None:
    """Those that are given names."""
    import yaml

    hooks = yaml.safe_load((Path(__file__).parents[3] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    expected = {"r4c": True, "r4c-fix": True, "r4c-project": False}
    assert expected == {hook["id"]: "--skip-unrelated" in hook["entry"].split() for hook in hooks}


def test_a_newer_grammar(run: Any) -> None:
    """What a newer Python may know is refused in the name of this one."""
    write("new.py", "import resilience4cata\ntry: ...\nexcept ValueError, KeyError: ...\n")
    ours = ".".join(map(str, sys.version_info[:2]))
    reason = f", as Python {ours} reads it; run r4c with the Python of the project if that is newer; mend it"
    code, out, _ = run("check", "--format", "concise")
    assert (sys.version_info < (3, 14)) is (code == 1) is (reason in out)


# ---------------------------------------------------------------- whole projects

TWICE = """\
from resilience4cata import resilience_policy, retry

partner = resilience_policy("partner", retry(max_attempts={}))


@partner
def {}() -> int: ...
"""
KEYS = '[resilience4cata.configs.unused.retry]\ndelay = "1s"\n'


@pytest.fixture
def shop() -> None:
    """Two policies of one name, and configuration beside them."""
    write("shop/a.py", TWICE.format(2, "a"))
    write("shop/b.py", TWICE.format(3, "b"))
    write("resilience4cata.toml", KEYS)
    write("resilience.properties", "resilience4cata.defaults.retry.delay=1s\n")
    write("manage.py", FAULTY)
    write("README.md", "")


def codes(run: Any, *paths: str) -> set[str]:
    out = run("check", "--format", "concise", *paths)[1]
    return {line.split("[")[1][:11].rstrip("]") for line in out.splitlines() if "[R4C-" in line}


WHOLE = {"R4C-CMP-007"}
UNUSED = {"R4C-CFG-006"}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("beside", "more"),
    [
        ([], set()),
        (["shop/a.py"], set()),
        (["shop/a.py", "shop/b.py"], set()),
        (["./shop", "shop/"], set()),
        (["resilience4cata.toml", "resilience.properties"], UNUSED),
        (["README.md"], UNUSED),
        (["manage.py"], UNUSED | {"R4C-DU-001", "R4C-FB-002"}),
    ],
)
def test_nothing_is_lost(run: Any, beside: list[str], more: set[str]) -> None:
    """What a folder tells, it tells also with other paths beside it, in whatever order.

    Without a project, configuration is that of the folder around all paths.
    """
    assert WHOLE | more == codes(run, "shop", *beside) == codes(run, *reversed(beside), "shop")
    write("pyproject.toml", "[project]\n")
    assert WHOLE | UNUSED | more == codes(run, "shop", *beside) == codes(run, *reversed(beside), "shop")


@pytest.mark.usefixtures("shop")
def test_files_alone(run: Any) -> None:
    """Lists of files, as hooks give them, are never taken for all."""
    assert set() == codes(run, "shop/a.py", "shop/b.py", "resilience4cata.toml")


@pytest.mark.usefixtures("shop")
def test_what_belongs_elsewhere(run: Any) -> None:
    """Configuration of another project, or a part of a package, may have its users out of sight."""
    write("other/pyproject.toml", "")
    write("other/resilience4cata.toml", KEYS)
    assert set() == codes(run, "shop", "other/resilience4cata.toml")
    write("lib/__init__.py", "")
    write("lib/c.py", "")
    assert set() == codes(run, "shop", "lib/c.py")
    assert set() == codes(run, "shop", "lib/c.py", "./shop")
    assert WHOLE | UNUSED == codes(run, "shop", "lib", "lib/c.py")


def test_configuration_of_the_folder(run: Any) -> None:
    """That of the one folder is read, whatever is named beside it."""
    write("shop/resilience4cata.toml", "[resilience4cata.defaults.retry]\ndelya = 1\n")
    write("shop/a.py", "import resilience4cata\n")
    write("b.py", "")
    assert {"R4C-CFG-011"} == codes(run, "shop") == codes(run, "shop", "b.py")
