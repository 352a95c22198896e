"""Failures that do not come out of a `with` or an `except*`, and so reach no retry further out."""

from pathlib import Path

import pytest

from tests.lint.effective_project import found

HEAD = (
    "import contextlib, threading\n"
    "from contextlib import suppress\n"
    "from resilience4cata import circuit_breaker, retry\n"
    "lock = threading.Lock()\n"
    "@retry(max_attempts=2)\n"
    "def inner() -> int:\n"
    "    return 1\n"
    "@retry(max_attempts=3)\n"
    "def outer() -> int:\n"
)
MULTIPLIED = ["app.py:8:2 NE-001"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    return inner()\n", MULTIPLIED),
        ("    with suppress(Exception):\n        return inner()\n    return 0\n", []),
        ("    with contextlib.suppress(OSError, BaseException):\n        return inner()\n    return 0\n", []),
        ("    with suppress(*errors):\n        return inner()\n    return 0\n", []),
        ("    with lock, suppress((Exception,)):\n        return inner()\n    return 0\n", []),
        ("    with self.assertRaises(Exception) as caught:\n        inner()\n    return 0\n", []),
        ("    try:\n        return inner()\n    except* Exception:\n        print()\n    return 0\n", []),
        # Others than those that are named come out.
        ("    with suppress(KeyError):\n        return inner()\n    return 0\n", MULTIPLIED),
        ("    with lock:\n        return inner()\n", MULTIPLIED),
        ("    try:\n        return inner()\n    except* KeyError:\n        print()\n    return 0\n", MULTIPLIED),
        ("    try:\n        return inner()\n    except* Exception:\n        raise\n", MULTIPLIED),
        # What stands before and after it is not in it.
        ("    with suppress(Exception):\n        print()\n    return inner()\n", MULTIPLIED),
        ("    with inner(), suppress(Exception):\n        return 0\n", MULTIPLIED),
    ],
)
def test_retries_that_multiply(body: str, expected: list[str]) -> None:
    """An outer retry tries again only what it sees."""
    assert expected == found(HEAD + body)


@pytest.mark.parametrize(
    ("retried", "caught", "expected"),
    [
        ("KeyError", "KeyError", []),
        ("KeyError", "LookupError", []),
        ("(KeyError, IndexError)", "(IndexError, KeyError)", []),
        ("(KeyError, OSError)", "KeyError", MULTIPLIED),
        ("LookupError", "KeyError", MULTIPLIED),
        ("KeyError", "OSError", MULTIPLIED),
        ("Exception", "OSError", MULTIPLIED),
    ],
)
def test_failures_that_are_answered_on_the_way(retried: str, caught: str, expected: list[str]) -> None:
    """Attempts multiply over the failures that both retry: those that a handler in between keeps are none of them."""
    head = HEAD.replace("@retry(max_attempts=2)", f"@retry(max_attempts=2, retry_on={retried})")
    body = f"    try:\n        return inner()\n    except {caught}:\n        return 0\n"
    assert expected == found(head + body)


def test_certain_are_only_handlers() -> None:
    """What a context manager does is known by its name alone: nobody is told that the body swallows failures."""
    code = HEAD.replace("@retry(max_attempts=3)", "@circuit_breaker()")
    caught = "    try:\n        return int(input())\n    {} Exception:\n        print()\n    return 0\n"
    suppressed = "    with suppress(Exception):\n        return int(input())\n    return 0\n"
    assert ["app.py:12:12 NE-004"] == found(code + caught.format("except"))
    assert [[], []] == [found(code + caught.format("except*")), found(code + suppressed)]
