"""Every mode of mypy says the same: cold, warm, from the cache, after a change and its reversal, in the daemon."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.mypy.running import Daemon, Result, copy_cache, mypy, write

FILES: Mapping[str, str] = {
    "policies.py": """
from typing import Final

from resilience4cata import resilience_policy, retry, timeout

DELAY: Final = "2s"
inner = resilience_policy("inner", retry(max_attempts=3, delay="100ms"))
external_call = resilience_policy("external-call", inner, timeout(DELAY))
quick = resilience_policy("quick", timeout("2s"))
""",
    "base.py": """
class Base:
    def fallback_here(self, x: int) -> int:
        return x
""",
    "app.py": """
from base import Base
from policies import external_call, quick
from resilience4cata import fallback, retry, timeout


class Client(Base):
    @fallback(method="fallback_here")
    def find(self, x: int) -> int:
        return x

    @external_call
    @quick
    def call(self) -> None: ...

    @timeout("1 s")
    def late(self) -> None: ...

    @retry(config="external")
    def configured(self) -> None: ...
""",
    "pyproject.toml": '[tool.r4c]\nconfig-files = ["resilience.properties"]\n',
    "resilience.properties": "resilience4cata.configs.external.retry.delay=200ms\n",
}
LATE = 'app.py:16:14:16:18: error: @timeout("1 s") on app.Client.late: "1 s" is not a duration'

Edit = tuple[str, str, str]
# An edit of one file, and the beginning of what is then said besides `LATE`.
EDITS: Mapping[str, tuple[Edit, str]] = {
    "value of a composed policy in another file": (
        ("policies.py", 'timeout("2s")', 'timeout("5s")'),
        "app.py:13:6:13:10: error: @quick on app.Client.call: composed policies disagree on timeout value",
    ),
    "constant behind it": (
        ("policies.py", 'DELAY: Final = "2s"', 'DELAY: Final = "3s"'),
        "app.py:13:6:13:10: error: @quick on app.Client.call: composed policies disagree on timeout value",
    ),
    "name of a fallback on a base class": (
        ("base.py", "fallback_here", "fallback_there"),
        'app.py:8:6:8:37: error: @fallback(method="fallback_here") on app.Client.find: no method named',
    ),
    "result of a fallback on a base class": (
        ("base.py", "-> int:\n        return x", "-> str:\n        return str(x)"),
        "app.py:8:6:8:37: error: @fallback(method=\"fallback_here\") on app.Client.find: 'fallback_here' returns str",
    ),
    "template in a configuration file": (
        ("resilience.properties", "configs.external.", "configs.externl."),
        'app.py:19:19:19:28: error: @retry(config="external") on app.Client.configured: no template named',
    ),
}

OPTIONS = {
    "default": (),
    "no-sqlite": ("--no-sqlite-cache",),
    "no-fixed-format": ("--no-fixed-format-cache",),
    "two-workers": ("-n", "2"),
}
SLOW_OPTIONS = {
    "no-sqlite-no-fixed-format": ("--no-sqlite-cache", "--no-fixed-format-cache"),
    "two-workers-no-fixed-format": ("-n", "2", "--no-fixed-format-cache"),
    "python-parser": ("--no-native-parser",),
    "no-local-partial-types": ("--no-local-partial-types",),
}


def edit(folder: Path, change: Edit) -> None:
    """Replace text in a file, in a way that mypy notices although the clock may not have moved."""
    name, old, new = change
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    before = path.stat().st_mtime
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, (before + 2, before + 2))


def revert(folder: Path, change: Edit) -> None:
    name, old, new = change
    edit(folder, (name, new, old))


def errors(result: Result) -> list[str]:
    return sorted(message for message in result.messages if ": error: " in message)


def assert_only_late(result: Result) -> None:
    found = errors(result)
    assert len(found) == 1, result.output
    assert found[0].startswith(LATE)


def assert_also(result: Result, expected: str) -> None:
    found = errors(result)
    assert len(found) == 2, result.output
    assert any(message.startswith(expected) for message in found), result.output
    assert any(message.startswith(LATE) for message in found)


def go_through(folder: Path, run: Callable[[], Result]) -> None:
    """Each edit and its reversal, with what is said after each step."""
    assert_only_late(run())
    assert_only_late(run())
    for change, expected in EDITS.values():
        edit(folder, change)
        assert_also(run(), expected)
        revert(folder, change)
        assert_only_late(run())


@pytest.fixture(scope="session")
def primed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], Path]:
    """Caches that hold typeshed and the library, one for each set of options, made when they are first needed."""
    made: dict[tuple[str, ...], Path] = {}

    def prime(options: tuple[str, ...]) -> Path:
        if options not in made:
            folder = tmp_path_factory.mktemp("primed")
            write(folder, {"imports.py": "import resilience4cata\n"})
            made[options] = folder / "cache"
            mypy(folder, *options, cache=made[options])
        return made[options]

    return prime


@pytest.mark.parametrize(
    "options",
    [
        *(pytest.param(options, id=name) for name, options in OPTIONS.items()),
        *(pytest.param(options, id=name, marks=pytest.mark.slow) for name, options in SLOW_OPTIONS.items()),
    ],
)
def test_incremental(options: tuple[str, ...], tmp_path: Path, primed: Callable[[tuple[str, ...]], Path]) -> None:
    """Caches of any format, and several processes, lose nothing and keep nothing that is stale."""
    cache = copy_cache(primed(options), tmp_path / "cache")
    folder = tmp_path / "project"
    write(folder, FILES)
    go_through(folder, lambda: mypy(folder, *options, cache=cache))


def test_users_from_the_cache_are_not_checked_again(tmp_path: Path, cache: Path) -> None:
    """Another comment in the policies is no other interface: what uses them comes from the cache, with its errors."""
    folder = tmp_path / "project"
    write(folder, FILES)
    own = tmp_path / "cache"
    assert_only_late(mypy(folder, cache=own))
    edit(folder, ("policies.py", "\nDELAY", "\n# Moved by a line.\nDELAY"))
    result = mypy(folder, "-v", cache=own)
    assert_only_late(result)
    assert "Cached module policies has same interface" in result.output
    assert "Parsing app.py" not in result.output


def test_daemon(tmp_path: Path, primed: Callable[[tuple[str, ...]], Path]) -> None:
    """`dmypy run` follows every edit, that of a configuration file included."""
    folder = tmp_path / "project"
    write(folder, FILES)
    with Daemon(folder, copy_cache(primed(()), tmp_path / "cache")) as daemon:
        go_through(folder, daemon.run)


def test_daemon_sees_what_moved(tmp_path: Path, primed: Callable[[tuple[str, ...]], Path]) -> None:
    """Where things stand is worked out anew when a file changes, and what was judged before is judged again."""
    program = """
from resilience4cata import resilience_policy, timeout


def outer() -> None:
    @timeout("1 s")
    def inner() -> None: ...


call = resilience_policy("call", timeout("2 s"))
"""
    folder = tmp_path / "project"
    write(folder, {"app.py": program})
    inner = '6:14:6:18: error: @timeout("1 s") on app.outer.<locals>.inner:'
    member = '10:42:10:46: error: timeout("2 s") in resilience_policy("call"):'
    with Daemon(folder, copy_cache(primed(()), tmp_path / "cache")) as daemon:
        assert_places([inner, member], daemon.run())
        edit(folder, ("app.py", "def outer", "class Outer:\n    pass\n\n\nasync def renamed"))
        inner = '10:14:10:18: error: @timeout("1 s") on app.renamed.<locals>.inner:'
        member = '14:42:14:46: error: timeout("2 s") in resilience_policy("call"):'
        assert_places([inner, member], daemon.run())
        edit(folder, ("app.py", 'resilience_policy("call", timeout("2 s"))', 'timeout("2 s")'))
        member = '14:16:14:20: error: timeout("2 s"):'
        assert_places([inner, member], daemon.run())


def assert_places(expected: list[str], result: Result) -> None:
    found = sorted(errors(result), key=lambda message: int(message.split(":")[1]))
    assert len(expected) == len(found), result.output
    for beginning, message in zip(expected, found, strict=True):
        assert message.startswith(f"app.py:{beginning}"), result.output
