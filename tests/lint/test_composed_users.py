"""What goes wrong for those who use a composed policy, since nothing beside it helps: told once, where it is made."""

from __future__ import annotations

import pytest

from tests.lint.effective_project import diagnostics, found

pytestmark = pytest.mark.usefixtures("here")

HEAD = "from resilience4cata import *\n"
PROBING = "probing = resilience_policy('probing', circuit_breaker(half_open_max_wait='0'), bulkhead())\n"
ENDLESS = "endless = resilience_policy('endless', retry(max_attempts=5000))\n"
USES = "class Client:\n    @{0}\n    def find(self): ...\n    @{0}\n    def send(self): ...\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (PROBING + USES.format("probing"), ["2:75 TB-006"]),
        (ENDLESS + USES.format("endless"), ["2:59 VA-007"]),
        # Alone, it may be meant for those who add what is missing.
        (PROBING + ENDLESS, []),
        (PROBING + "@probing\nasync def find(): ...\n", ["3:2 TB-006"]),
        (
            PROBING + "@probing\nasync def find(): ...\n@probing\n@timeout('1s')\nasync def send(): ...\n",
            ["3:2 TB-006"],
        ),
        (ENDLESS + "@endless\n@retry(max_duration='1h')\ndef find(): ...\n", []),
        # Through another composed policy it is still the same one.
        (
            PROBING
            + "wide = resilience_policy('wide', probing, retry())\n"
            + "@probing\ndef find(): ...\n@wide\ndef send(): ...\n",
            ["2:75 TB-006"],
        ),
        (
            "many = retry(max_attempts=5000)\nlate = resilience_policy('late', many)\n" + USES.format("late"),
            ["3:8 VA-007"],
        ),
        # Each reason is told by itself.
        (
            PROBING.replace("bulkhead()", "timeout('1s')")
            + "@probing\ndef find(): ...\n@probing\ndef send(): ...\n@probing\nasync def ask(): ...\n",
            ["2:75 TB-006"],
        ),
        # What stands beside it is part of the reason: that is told there.
        (
            PROBING + "@probing\n@timeout('1s')\ndef find(): ...\n@probing\n@timeout('1s')\ndef send(): ...\n",
            ["3:2 TB-006", "6:2 TB-006"],
        ),
    ],
)
def test_place(code: str, expected: list[str]) -> None:
    """Lines, columns and codes."""
    lines = [line.removeprefix("app.py:") for line in found(HEAD + code)]
    assert expected == [line for line in lines if line.endswith(("TB-006", "VA-007"))]


def test_words() -> None:
    """The users are counted, and the first is shown."""
    (diagnostic,) = diagnostics(HEAD + ENDLESS + USES.format("endless"))
    assert diagnostic.text == (
        'app.py:2:59: warning: [R4C-VA-007] retry(max_attempts=5000) in resilience_policy("endless"):\n'
        "    5,000 attempts, and nothing bounds how long they take, on app.Client.find and 1 more\n"
        "    add max_duration\n"
        "    app.py:4:6: it counts for app.Client.find"
    )


def test_part_of_a_project() -> None:
    """Where others may use it that nobody sees, it is told where it is used."""
    lines = found(f"from common import endless\n{USES.format('endless')}", "", "app.py", common=HEAD + ENDLESS)
    assert ["app.py:3:6 VA-007", "app.py:5:6 VA-007"] == lines


def test_wrong_place_speaks_for_nobody() -> None:
    """What several share is told although one of them is told to stand in a wrong place."""
    code = HEAD + ENDLESS + "@endless\ndef rows():\n    yield 1\n" + USES.format("endless")
    assert ["app.py:2:59 VA-007", "app.py:3:2 LOC-003"] == found(code)
    toml = "[resilience4cata.configs.x]\nretry.max-duration = '1s'\ntimeout.value = '2s'\n"
    template = "@retry(config='x')\n@timeout(config='x')\ndef {}():\n    {}\n"
    code = HEAD + template.format("rows", "yield 1") + template.format("find", "return 1")
    expected = ["app.py:2:2 LOC-003", "app.py:3:2 LOC-003", "resilience4cata.toml:3:17 TB-001"]
    assert expected == found(code, toml)
