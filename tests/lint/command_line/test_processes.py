"""Processes: Ctrl-C, streams that break or are closed, and what a start loads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .calls import FAULTY, in_shell, process, write


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_interrupt() -> None:
    """Ctrl-C ends the run with 130 and without a word."""
    with process("check", "-", stdin=subprocess.PIPE) as started:
        assert started.stdin is not None
        # It waits for its input, so it is certainly running.
        started.stdin.write(b"x")
        started.stdin.flush()
        _wait_until_reading(started.pid)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert (130, b"", b"") == (started.returncode, out, err)


def _wait_until_reading(pid: int) -> None:
    import time

    stat = Path(f"/proc/{pid}/wchan")
    for _ in range(500):
        if stat.exists() and "pipe" in stat.read_text(encoding="utf-8"):
            return
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_broken_pipe() -> None:
    """Nobody reads on: quiet."""
    write(
        "acme.py", FAULTY * 1 + "\n".join(f"def f{n}(): ...\nf{n} = retry(max_attempts=0)(f{n})" for n in range(3000))
    )
    with process("check") as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.read(1)
        started.stdout.close()
        assert b"" == started.stderr.read()
        started.wait(timeout=60)
    assert 1 == started.returncode


def test_ends_at_once_with_everything_said() -> None:
    """However much it has to say, and wherever that goes."""
    write("acme.py", FAULTY + "\n".join(f"@timeout('{n} s')\ndef f{n}(): ..." for n in range(3000)))
    command = [sys.executable, "-m", "resilience4cata_lint", "check", "--format", "concise", "--no-cache"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    # Those of the methods, one for each function, and the two lines that count them.
    assert (1, "", 2 + 3000 + 2) == (found.returncode, found.stderr, len(found.stdout.splitlines()))
    with Path("found.txt").open("wb") as file:
        subprocess.run(command, stdout=file, check=False)
    assert found.stdout == Path("found.txt").read_text(encoding="utf-8")


def test_start_is_light() -> None:
    """Neither the version nor a tree that never names us loads parsers, drawing or rules."""
    write("acme.py", "x = 1\n")
    code = (
        "import sys\nfrom resilience4cata_lint.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "heavy = ['libcst', 'rich', 'shutil', 'subprocess', 'tempfile', 'hashlib', 'tomllib', 'resilience4cata.rules',"
        " 'resilience4cata_lint.walk', 'resilience4cata_lint.symbols', 'resilience4cata_lint.baseline']\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    for arguments in (["--version"], ["check"]):
        result = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        assert "[]" == result.stdout.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="redirections of a Unix shell")
def test_closed_streams() -> None:
    """Without anybody to read it the report is dropped; the exit code stays."""
    write("acme.py", FAULTY)
    assert (1, "") == in_shell(">&-", "check", ".")
    assert (1, "") == in_shell("2>&-", "check", ".")
    assert (2, "r4c: error: standard input is closed\n") == in_shell("<&-", "check", "-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_no_fault_of_the_linter() -> None:
    write("acme.py", FAULTY)
    assert (2, "r4c: error: cannot write: No space left on device\n") == in_shell(">/dev/full", "check", ".")
