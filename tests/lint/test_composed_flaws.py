"""What is wrong with a composed policy, whoever uses it: told once, where it is made, and only if it is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.effective_project import diagnostics, found

HEAD = "from resilience4cata import *\n"
SLOW = "slow = resilience_policy('slow', timeout('3s'), retry(max_duration='2s'))\n"
LONG = "long = resilience_policy('long', timeout('3s'))\n"
BRIEF = "brief = resilience_policy('brief', retry(max_duration='2s'))\n"
USES = "class Client:\n    @{0}\n    def find(self): ...\n    @{0}\n    def send(self): ...\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SLOW, ["2:68"]),
        (SLOW + USES.format("slow"), ["2:68"]),
        (
            SLOW + "@slow\nclass Client:\n    def find(self): ...\nclass Other(Client):\n    def send(self): ...\n",
            ["2:68"],
        ),
        (SLOW + "wide = resilience_policy('wide', slow, bulkhead())\n" + USES.format("wide"), ["2:68"]),
        (SLOW + "good = resilience_policy('good', slow, timeout('1s'))\n" + USES.format("good"), ["2:68"]),
        (LONG + "both = resilience_policy('both', long, retry(max_duration='2s'))\n" + USES.format("both"), ["3:59"]),
        # Each of them is right by itself, and so it is their meeting that is wrong.
        (LONG + BRIEF + "both = resilience_policy('both', long, brief)\n" + USES.format("both"), ["4:8"]),
        ("limit = timeout('3s')\nlate = resilience_policy('late', limit, retry(max_duration='2s'))\n", ["3:60"]),
        # What an element adds is told there.
        (LONG + "class Client:\n    @long\n    @retry(max_duration='2s')\n    def find(self): ...\n", ["5:25"]),
        (LONG + BRIEF + "@long\n@brief\ndef find(): ...\n", ["5:2"]),
        (SLOW + "@slow\n@retry(max_duration='1s')\ndef find(): ...\n", ["2:68", "4:21"]),
        (SLOW + "@slow\n@retry(max_duration='9s')\ndef find(): ...\n", ["2:68"]),
        # Nobody knows its other policies.
        ("open = resilience_policy('open', *MORE, timeout('3s'), retry(max_duration='2s'))\n", ["2:75"]),
        ("loose = resilience_policy('loose', timeout('3s'), retry(max_duration='2s', **MORE))\n", ["2:70"]),
        ("off = resilience_policy('off', timeout('3s', enabled=False), retry(max_duration='2s'))\n", []),
    ],
)
def test_place(code: str, expected: list[str]) -> None:
    """Lines and columns of R4C-TB-001."""
    lines = [line.removeprefix("app.py:").split()[0] for line in found(HEAD + code, "") if line.endswith("TB-001")]
    assert expected == lines


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("'slow/timeout/value' = '1s'\n", []),
        ("'slow/timeout/value' = '9s'\n", ["app.py:2:68"]),
        ("[resilience4cata.instances.'app.Client#find']\ntimeout.value = '1s'\n", ["app.py:2:68"]),
    ],
)
def test_files_tune_it(toml: str, expected: list[str]) -> None:
    """The keys of its family count for all who use it; those of an instance for that one."""
    lines = found(HEAD + SLOW + USES.format("slow"), toml)
    assert expected == [line.split()[0] for line in lines if line.endswith("TB-001")]


def test_profile() -> None:
    """What a profile makes wrong is told at the profile's line, with the name of the composed policy."""
    toml = (
        "[resilience4cata.configs.far]\ntimeout.value = '1s'\n"
        "[resilience4cata.profiles.prod.configs.far]\ntimeout.value = '5s'\n"
    )
    code = "far = resilience_policy('far', timeout(config='far'), retry(max_duration='2s'))\n" + USES.format("far")
    (diagnostic,) = diagnostics(HEAD + code, toml)
    expected = (
        "timeout 5s is not shorter than max_duration 2s: one attempt may use up the time of all, "
        "on resilience_policy(\"far\"), with profile 'prod'"
    )
    assert ("resilience4cata.toml:4:17", expected) == (diagnostic.place, diagnostic.message)
