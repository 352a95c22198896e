"""What arguments are worth that are not written in place: names that `:=` binds, and sums of tuples."""

from __future__ import annotations

import pytest

from .effective_project import found

HEAD = "from typing import overload\n\nfrom resilience4cata import fallback, retry, timeout\n\n"

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('timeout(limit := "2 s")\n', ["DU-001"]),
        ('limit = "1s"\ntimeout((other := "2 s"))\ntimeout(other)\n', ["DU-001", "DU-001"]),
        ("retry(max_attempts=(n := 0))\nretry(max_attempts=n)\n", ["VA-001", "VA-001"]),
        ('print(late := "2 s")\ntimeout(late)\n', ["DU-001"]),
        ('print(late := "2 s")\nlate = "2s"\ntimeout(late)\n', []),
        ('late = "2s"\nprint(late := "2 s")\ntimeout(late)\n', []),
        ('print([late := text for text in ("2 s",)])\ntimeout(late)\n', []),
        ("def f(text: str) -> None:\n    print(late := text)\n    timeout(late)\n", []),
        ("BASE = (OSError,)\nretry(retry_on=BASE + (KeyError,), abort_on=KeyError)\n", ["CL-001"]),
        ("BASE = (OSError,)\nALL = (*BASE, KeyError) + ()\nretry(retry_on=ALL, abort_on=OSError)\n", ["CL-001"]),
        ("BASE = (OSError,)\nretry(retry_on=BASE + unknown(), abort_on=OSError)\n", []),
        ("BASE = [OSError]\nretry(retry_on=BASE + (KeyError,), abort_on=KeyError)\n", []),
        ('retry(max_attempts=1 + 0, delay="1" + " s")\n', []),
    ],
)
def test_values(code: str, expected: list[str]) -> None:
    """Only what can be nothing else counts."""
    assert expected == [line.partition(" ")[2] for line in found(HEAD + code)]


PRIVATE = """\
class _Mangled:
    def __priv(self) -> int:
        return 1

    @fallback(method="_Mangled__priv")
    def own(self) -> int:
        return 1


class Below(_Mangled):
    @fallback(method="_Mangled__priv")
    def inherited(self) -> int:
        return 1

    @fallback(method="_Mangled__prib")
    def misspelt(self) -> int:
        return 1

    @fallback(method="_Below__priv")
    def of_another(self) -> int:
        return 1
"""


def test_a_private_name_as_python_mangles_it() -> None:
    """`build()` finds it under that name, on the class itself and below it."""
    assert ["app.py:19:6 FB-002", "app.py:23:6 FB-002"] == found(HEAD + PRIVATE)


OVERLOADED = """\
class Client:
    @overload
    def ov(self, k: int) -> int: ...
    @overload
    def ov(self, k: str) -> int: ...
    @fallback(method="narrow")
    def ov(self, k: object) -> int:
        return 1

    def narrow(self, k: int | str) -> int:
        return 1

    @overload
    def any(self, k: int) -> int: ...
    @overload
    def any(self, k: str, *, more: bool) -> int: ...
    @fallback(method="both")
    def any(self, *args: object, **kwargs: object) -> int:
        return 1

    def both(self, k: int | str, more: bool = False) -> int:
        return 1

    @fallback(method="narrow")
    def plain(self, k: object) -> int:
        return 1
"""


def test_overloads_say_how_an_original_is_called() -> None:
    """Its implementation takes more than any call gives."""
    assert ["app.py:28:6 FB-003"] == found(HEAD + OVERLOADED)
