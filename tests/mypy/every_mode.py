"""The full product of modes and edits, and random mixtures of edits: `make test-modes`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy import states
from tests.mypy.modes import OPTIONS, Cold, Primed, daemon, incremental, reworded
from tests.mypy.running import Daemon, copy_plugin, write

STEPS = 60
"""How long a random walk is; one more of another seed finds what this one does not."""


@pytest.mark.parametrize("options", OPTIONS)
def test_each_and_back(options: str, tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """With every set of options, each edit and its reversal gives what a cold run gives."""
    assert [] == incremental(OPTIONS[options], states.each_and_back(), tmp_path, primed, cold)


def test_each_and_back_in_the_daemon(tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """So it does in the daemon."""
    assert [] == daemon(states.each_and_back(), tmp_path, primed, cold)


@pytest.mark.parametrize("seed", [1, 2])
def test_mixtures(seed: int, tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """Edits may come in any order and several at once."""
    assert [] == incremental((), states.wandering(seed, STEPS), tmp_path, primed, cold)


@pytest.mark.parametrize("seed", [3, 4])
def test_mixtures_in_the_daemon(seed: int, tmp_path: Path, primed: Primed, cold: Cold) -> None:
    """In the daemon too."""
    assert [] == daemon(states.wandering(seed, STEPS), tmp_path, primed, cold)


def test_the_daemon_sees_other_rules(tmp_path: Path) -> None:
    """A release that is installed while the daemon runs, or an edit of a rule, starts it afresh."""
    plugin = copy_plugin(tmp_path / "copy")
    folder = tmp_path / "project"
    write(folder, {"app.py": 'from resilience4cata import timeout\n\na = timeout("1 s")\n'})
    with Daemon(folder, tmp_path / "cache", plugin) as running:
        (before,) = running.run().messages
        reworded(plugin)
        result = running.run()
    assert "Restarting: plugins changed" in result.output
    assert [before.replace("is not a duration", "is no length of time")] == result.messages
