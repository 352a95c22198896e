"""A class of attrs with policies on its methods, and the errors that mypy's plugin for attrs and ours find in it."""

from __future__ import annotations

from collections.abc import Iterable

from tests.mypy.running import Result

HEAD = "import attrs\nfrom resilience4cata import fallback, retry, timeout\n"
ATTRS = """

@attrs.define
class Client:
    url: str
    limit: int = 3

    @fallback(method="_recnt")
    @retry(max_attempts=3)
    @timeout("2s")
    def find(self, key: str) -> int:
        return self.limit

    def _recent(self, key: str) -> int:
        return 0
"""
ATTRS_FOUND = (
    (
        "@fallback(method=\"_recnt\") on app.Client.find: no method named '_recnt' found; did you mean '_recent'?"
        "  [R4C-FB-002]"
    ),
    'Argument 1 to "Client" has incompatible type "int"; expected "str"  [arg-type]',
)


def assert_found(expected: Iterable[str], result: Result) -> None:
    """These are the texts of all errors, in any order."""
    errors = [message.partition(": error: ")[2] for message in result.messages if ": error: " in message]
    assert sorted(expected) == sorted(errors), result.output
