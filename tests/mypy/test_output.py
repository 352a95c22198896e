"""What comments on a line silence, and the other forms in which mypy shows its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mypy.running import CONFIGURATION, mypy, write

PROGRAM = """\
from resilience4cata import timeout

a = timeout("1 s"){}
b = timeout("1 s")  # r4c: ignore[R4C-DU-001]
"""
TEXT = 'timeout("1 s"): "1 s" is not a duration: blanks are not allowed, at character 2; did you mean \'1s\'?'
ERROR = f"app.py:3:13:3:17: error: {TEXT}  [R4C-DU-001]"
UNUSED = 'app.py:3: error: Unused "type: ignore" comment  [unused-ignore]'


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("", [ERROR]),
        ("  # r4c: ignore[R4C-DU-001]", []),
        ("  # r4c: ignore[R4C-VA-001, R4C-DU-001]", []),
        ("  # r4c: ignore[R4C-VA-001]", [ERROR]),
        ("  # r4c: ignore", [ERROR]),
        ("\n# r4c: file-ignore[R4C-DU-001]", []),
        ("  # type: ignore[R4C-DU-001]", []),
        # Another length: mypy takes a file of the same size and second for unchanged.
        ("  # type: ignore[R4C-CFG-001]", [UNUSED, ERROR]),
    ],
    ids=["none", "own", "several", "other", "bare", "file", "mypy's", "mypy's for another"],
)
def test_comments(comment: str, expected: list[str], tmp_path: Path, cache: Path) -> None:
    """Our comments and mypy's own silence the code that they name, and no other."""
    write(tmp_path, {"app.py": PROGRAM.format(comment)})
    errors = [message for message in mypy(tmp_path, cache=cache).messages if ": error: " in message]
    assert sorted(expected) == sorted(errors)


def test_json(tmp_path: Path, cache: Path) -> None:
    """As JSON an error has the place, the code and, as hint, its notes."""
    write(tmp_path, {"app.py": PROGRAM.format("")})
    (found,) = [json.loads(line) for line in mypy(tmp_path, "-O", "json", cache=cache).output.splitlines()]
    assert ("app.py", 3, 12, TEXT, "R4C-DU-001", "error") == tuple(
        found[key] for key in ("file", "line", "column", "message", "code", "severity")
    )


def test_pretty(tmp_path: Path, cache: Path) -> None:
    """The value is underlined, and nothing else."""
    write(tmp_path, {"app.py": PROGRAM.format("")})
    shown = mypy(tmp_path, "--pretty", cache=cache).output.splitlines()
    source = shown.index('    a = timeout("1 s")')
    assert "                ^~~~~" == shown[source + 1]


def test_one_rule_is_kept_for_a_module(tmp_path: Path, cache: Path) -> None:
    """A module's section may switch off the parent of all codes and keep one of them."""
    section = "\n[mypy-other]\ndisable_error_code = R4C\nenable_error_code = R4C-VA-001\n"
    other = 'from resilience4cata import bulkhead, timeout\n\na = timeout("1 s")\nb = bulkhead(max_concurrent=0)\n'
    write(tmp_path, {"app.py": PROGRAM.format(""), "other.py": other, "mypy.ini": CONFIGURATION + section})
    messages = mypy(tmp_path, cache=cache).messages
    found = sorted((message.partition(":")[0], message.rpartition("  ")[2]) for message in messages)
    assert [("app.py", "[R4C-DU-001]"), ("other.py", "[R4C-VA-001]")] == found
