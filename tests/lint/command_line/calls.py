"""What the tests of the command `r4c` share: a faulty module, and processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Final

FAULTY = """\
from resilience4cata import fallback, timeout


class User: ...


class UserClient:
    @timeout("2 s")
    @fallback(method="find_fallbak")
    def find(self, id: str) -> User:
        return User()

    def find_fallback(self, id: str) -> User:
        return User()
"""
MISSING_FALLBACK = """\
acme.py:9:6: error: [R4C-FB-002] [*] @fallback(method="find_fallbak") on acme.UserClient.find:
    no method named 'find_fallbak' found
    did you mean 'find_fallback'?
    expected: def find_fallbak(self, id: str[, error: Exception]) -> User
"""
COUNTED = "Found 1 error in 1 file (checked 1 file)\n[*] 1 fixable with --fix\n"
OUT_OF_ORDER = "out of order"

# Whoever runs the tests in the background has Ctrl-C ignored in all that it starts.
_CODE: Final = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from resilience4cata_lint.cli import command; command()"
)


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8", newline="")


def process(*arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    """`r4c` in a process whose streams are pipes."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", _CODE, *arguments], stdout=pipe, stderr=pipe, **more)


def in_shell(redirection: str, *arguments: str) -> tuple[int, str]:
    """Exit code and standard error of `r4c` in a process whose streams the shell has redirected."""
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-c", _CODE, *arguments]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    return result.returncode, result.stderr
