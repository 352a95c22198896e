"""The progress bar: for people, and only for those who wait."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from resilience4cata_lint.progress import Watched, unwatched, watched


class Clock:
    """Time that passes with each look at it."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_all_items_come_in_order() -> None:
    """Watching changes nothing."""
    watch = Watched(Terminal(), Clock(0.3))
    assert list(range(50)) == list(watch(range(50), "reading"))
    watch.close()


def test_nothing_is_drawn_before_a_second() -> None:
    """A run that is soon over shows nothing."""
    stream = Terminal()
    watch = Watched(stream, Clock(0.001))
    list(watch(range(900), "reading"))
    watch.close()
    assert "" == stream.getvalue()


def test_what_is_being_done_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a second there are words and a share, and nothing of it stays."""
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    watch = Watched(stream, Clock(0.3))
    list(watch(range(10), "reading"))
    watch.close()
    assert "reading" in stream.getvalue()
    assert "100%" in stream.getvalue()
    assert "\x1b[2K" == stream.getvalue().rpartition("\r")[0].rpartition("\r")[2].removesuffix("\x1b[?25h")


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_machines_see_none(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a service that records a terminal nor a terminal that cannot draw."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv(variable, value)
    with watched() as watch:
        assert watch is unwatched


def test_a_file_sees_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where standard error leads to a file, nothing is drawn into it."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with watched() as watch:
        assert watch is unwatched


def test_a_terminal_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where people look on, somebody watches."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with watched() as watch:
        assert isinstance(watch, Watched)


def test_what_draws_is_loaded_only_then() -> None:
    """Importing rich takes longer than most runs."""
    program = (
        "import io, sys; from resilience4cata_lint.progress import Watched;"
        "list(Watched(io.StringIO())(range(1000), 'reading')); assert 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
