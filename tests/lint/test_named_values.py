"""`(name := value)`: what is written there counts, and is reported where the whole of it stands, as `build()` does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resilience4cata_lint.engine import analyse
from resilience4cata_lint.options import load

from .folder import write

SHOP = """\
from resilience4cata import retry


@(guard := retry(max_attempts=3))
@(again := retry(max_attempts=4))
def twice() -> int:
    return 1


@retry(retry_on=(wanted := (OSError, KeyError)), abort_on=(refused := OSError))
def both() -> int:
    return 1


@(chosen := (retry(retry_on=OSError, abort_on=OSError)))
def named() -> int:
    return 1
"""
GIVEN = """\
from resilience4cata import retry


@retry(classifier=(judge := lambda error: True), **(more := {"max_attempts": "3"}))
def given() -> int:
    return 1
"""
EXPECTED = [
    (5, 3, "@retry() on shop.twice"),
    (10, 60, "@retry(retry_on=(OSError, KeyError), abort_on=OSError) on shop.both"),
    (15, 47, "retry(retry_on=OSError, abort_on=OSError)"),
]
BUILD = """\
import shop
from resilience4cata import DefinitionError, Resilience

try:
    Resilience.builder().build()
except DefinitionError as error:
    print([(d.at.line, d.at.column, d.subject) for d in error.diagnostics])
"""


pytestmark = pytest.mark.usefixtures("here")


def found() -> list[tuple[int, int, str]]:
    """The places that the linter reports, and what it says is there."""
    return [(d.at.line, d.at.column, d.subject) for d in analyse(["."], load(["."])).diagnostics]


def test_places_and_words() -> None:
    """A policy with a name stands where the name does; the running program says the same."""
    write("shop.py", SHOP)
    result = subprocess.run([sys.executable, "-c", BUILD], capture_output=True, text=True, check=True)
    assert (EXPECTED, f"{EXPECTED}\n") == (found(), result.stdout)


def test_what_gets_a_name_is_seen() -> None:
    """Functions without a name, and tables of options."""
    write("shop.py", GIVEN)
    expected = [
        (4, 20, "@retry(classifier=<lambda>) on shop.given"),
        (4, 78, '@retry(max_attempts="3") on shop.given'),
    ]
    assert expected == found()
