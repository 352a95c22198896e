"""Every mode of mypy says the same: cold, warm, from the cache, after a change and its reversal, in the daemon.

`every_mode.py` beside this file holds the full product; `make test-modes` runs it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy import states
from tests.mypy.modes import OPTIONS, Cold, Primed, daemon, incremental
from tests.mypy.running import Daemon, Result, mypy, write
from tests.mypy.states import ALWAYS, EDITS, PLAIN, Project


def test_every_edit_matters(cold: Cold) -> None:
    """Each edit is a fault, with exactly these errors, or leaves everything as it was; else it would prove nothing."""
    (always,) = cold(PLAIN)
    assert always.startswith(ALWAYS)
    for edit in EDITS:
        errors = [line for line in cold(frozenset({edit.name})) if ": error: " in line and line != always]
        assert len(edit.errors) == len(errors), (edit.name, errors)
        for beginning, error in zip(sorted(edit.errors), sorted(errors), strict=True):
            assert error.startswith(beginning), edit.name


@pytest.mark.parametrize(
    ("options", "step"), [("default", 1), ("no-sqlite", 9), ("no-fixed-format", 9), ("two-workers", 12)]
)
def test_incremental(options: str, step: int, tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """Caches of any format, and several processes, lose nothing and keep nothing that is stale."""
    assert [] == incremental(OPTIONS[options], states.each_after_the_other(step), tmp_path, primed, cold)


def test_daemon(tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """`dmypy run` follows every edit, that of a configuration file included."""
    assert [] == daemon(states.each_after_the_other(), tmp_path, primed, cold)


def test_users_from_the_cache_are_not_checked_again(tmp_path: Path, cache: Path) -> None:
    """Another comment in the policies is no other interface: what uses them comes from the cache, with its errors."""
    project = Project(tmp_path / "project")
    own = tmp_path / "cache"
    before = mypy(project.folder, cache=own)
    project.become(frozenset({"what only moves"}))
    result = mypy(project.folder, "-v", cache=own)
    assert before.messages == result.messages
    assert "Cached module policies has same interface" in result.output
    assert "Parsing app.py" not in result.output


def test_daemon_sees_what_moved(tmp_path: Path, primed: Primed) -> None:
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
    with Daemon(folder, primed.copy_to(tmp_path / "cache")) as daemon:
        assert_places([inner, member], daemon.run())
        program = program.replace("def outer", "class Outer:\n    pass\n\n\nasync def renamed")
        write(folder, {"app.py": program})
        inner = '10:14:10:18: error: @timeout("1 s") on app.renamed.<locals>.inner:'
        member = '14:42:14:46: error: timeout("2 s") in resilience_policy("call"):'
        assert_places([inner, member], daemon.run())
        write(folder, {"app.py": program.replace('resilience_policy("call", timeout("2 s"))', 'timeout("2 s")')})
        member = '14:16:14:20: error: timeout("2 s"):'
        assert_places([inner, member], daemon.run())


def test_daemon_follows_a_base_that_is_new(tmp_path: Path, primed: Primed) -> None:
    """What a class inherits since an edit is followed from then on, although its own file was never read again."""
    app = """
import further
from base import Base
from resilience4cata import fallback


class Client(Base):
    @fallback(method="absent")
    def find(self, x: int) -> int:
        return 1
"""
    place = '8:6:8:30: error: @fallback(method="absent") on app.Client.find: '
    missing, misfit = f"{place}no method named 'absent'", f"{place}'absent' returns str, but"
    method = "class Further:\n    def absent(self, x: int) -> {}:\n        raise OSError\n"
    steps: tuple[tuple[str, str, list[str]], ...] = (
        ("base.py", "from further import Further\n\n\nclass Base(Further):\n    pass\n", [missing]),
        ("further.py", method.format("int"), []),
        ("further.py", method.format("str"), [misfit]),
        ("further.py", "class Further:\n    pass\n", [missing]),
    )
    folder = tmp_path / "project"
    write(folder, {"app.py": app, "base.py": "class Base:\n    pass\n", "further.py": "class Further:\n    pass\n"})
    with Daemon(folder, primed.copy_to(tmp_path / "cache")) as daemon:
        assert_places([missing], daemon.run())
        for path, text, expected in steps:
            write(folder, {path: text})
            assert_places(expected, daemon.run())


def assert_places(expected: list[str], result: Result) -> None:
    errors = [message for message in result.messages if ": error: " in message]
    found = sorted(errors, key=lambda message: int(message.split(":")[1]))
    assert len(expected) == len(found), result.output
    for beginning, message in zip(expected, found, strict=True):
        assert message.startswith(f"app.py:{beginning}"), result.output
