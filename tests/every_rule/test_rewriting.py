"""Fixtures with other imports are the same programs, line by line."""

import pytest

from tests.every_rule.rewriting import REWRITINGS, rewritten, toolbox

SOURCE = """\
from resilience4cata import (
    Jitter,
    retry,
    timeout,
)


@retry(jitter=Jitter.FULL)
def wait(timeout: str, other: object) -> str:
    other.retry(retry=timeout)
    return timeout


@timeout("2s")
class Jitters:
    def retry(self) -> None:
        return None
"""


@pytest.mark.parametrize(
    ("name", "head", "uses"),
    [
        ("module", "import resilience4cata as r", ("@r.retry(jitter=r.Jitter.FULL)", '@r.timeout("2s")')),
        (
            "alias",
            "from resilience4cata import Jitter as own_Jitter, retry as again, timeout as own_timeout",
            ("@again(jitter=own_Jitter.FULL)", '@own_timeout("2s")'),
        ),
        ("re-export", "from .toolbox import Jitter, retry, timeout", ("@retry(jitter=Jitter.FULL)", '@timeout("2s")')),
    ],
)
def test_only_uses_change(name: str, head: str, uses: tuple[str, str]) -> None:
    """Decorators and values are renamed; attributes, parameters, keywords, methods and line numbers stay."""
    expected = SOURCE.split("\n")
    expected[0:5] = [head, "", "", "", ""]
    expected[7], expected[13] = uses
    rewriting = next(r for r in REWRITINGS if r.name == name)
    assert "\n".join(expected) == rewritten(SOURCE, rewriting)


def test_other_modules_stay() -> None:
    """A module that does not import from the library is not touched."""
    source = "from tenacity import retry\n"
    assert [source] * 3 == [rewritten(source, rewriting) for rewriting in REWRITINGS]


def test_toolbox() -> None:
    """The module for re-exports has what all modules of the package need."""
    assert toolbox([SOURCE, "from resilience4cata import order\n"]).splitlines() == [
        "from resilience4cata import Jitter, order, retry, timeout",
        "",
        '__all__ = ["Jitter", "order", "retry", "timeout"]',
    ]
