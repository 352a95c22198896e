"""Rules about values, order, templates and instances, on code that their fixtures do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.effective_project import diagnostics, found


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


HEAD = "import resilience4cata as r\nfrom resilience4cata import Backoff as B, Jitter, Layer as L, timeout as limit\n\n"


def codes(code: str, toml: str | None = "", *, settings: str = "", **modules: str) -> list[str]:
    """What is found, as `line code`, below a head of three lines."""
    every = found(HEAD + code, toml, settings=settings, **modules)
    return [f"{line.split(':')[1]} {line.split()[-1]}" for line in every]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("backoff=FIXED, multiplier=2.5", ["6 VA-005"]),
        ("max_attempts=ONE, delay='1s', max_delay='2s'", ["6 VA-005", "6 VA-005"]),
        ("max_attempts=ONE, jitter=Jitter.NONE", []),
        ("max_attempts=1 if FIXED else 3, delay='1s'", []),
        ("backoff=B.FIXED if ONE else B.EXPONENTIAL, multiplier=2", []),
        ("delay='0s', jitter=Jitter.FULL, backoff=B.EXPONENTIAL", ["6 VA-007", "6 VA-005"]),
        ("max_attempts=1000", ["6 VA-007"]),
        ("max_attempts=1000, budget='x'", ["6 CFG-020"]),
        ("max_attempts=1000, **{'max_duration': '1s'}", []),
        ("jitter='Full'", ["6 VA-006"]),
    ],
)
def test_values(arguments: str, expected: list[str]) -> None:
    """Values that switch each other off, through aliases and constants, and those that nobody knows."""
    assert expected == codes(f"FIXED = B.FIXED\nONE = 1\n@r.retry({arguments})\ndef f() -> None: ...\n")


def test_table_with_values_without_effect() -> None:
    """A table in a file is judged as a call is; a template with one attempt may say how others are to wait."""
    toml = (
        "[resilience4cata.configs.x.retry]\nbackoff = 'FIXED'\nmultiplier = 3\n"
        "[resilience4cata.defaults.retry]\nmax-attempts = 1\ndelay = '1s'\n"
    )
    assert ["resilience4cata.toml:3:14 VA-005"] == found(HEAD + "@r.retry(config='x')\ndef f() -> None: ...\n", toml)


def test_attempts_without_end_under_a_template() -> None:
    """What gives the attempts is reported; a duration at any layer bounds them."""
    toml = "[resilience4cata.configs.x]\nretry.max-attempts = 5000\n"
    code = "@r.retry(config='x')\ndef f() -> None: ...\n"
    assert ["resilience4cata.toml:2:22 VA-007"] == found(HEAD + code, toml)
    assert [] == found(HEAD + code, toml + "[resilience4cata.defaults]\nretry.max-duration = '1m'\n")


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ("@r.order(L.RETRY, L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry()", ["4 OR-001"]),
        ("@r.order(*TWICE)\n@r.retry()", ["4 OR-001"]),
        ("@r.order(*THESE)\n@r.retry()", []),
        ("@r.order(L.TIMEOUT)\n@some", []),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@mine\n@r.retry()", []),
        ("@r.order(L.TIMEOUT, L.HEDGE)\n@mine", ["4 OR-003"]),
        ("@ordered\n@mine", []),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry(delay='5s')", []),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry(delay='5s', jitter=Jitter.EQUAL)", ["4 OR-002"]),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry(delay='5s', max_attempts=1)", ["6 VA-005"]),
    ],
)
def test_order(policies: str, expected: list[str]) -> None:
    """Orders through constants, composed policies, and policies of unknown origin."""
    lines = len(policies.splitlines())
    tail = (
        "TWICE = (L.RETRY, L.RETRY)\nimport os\nTHESE = tuple(L[name] for name in os.environ)\n"
        "mine = r.resilience_policy('mine', limit('1s'))\n"
        "ordered = r.resilience_policy('ordered', r.order(L.TIMEOUT, L.HEDGE))\n"
        "some = r.resilience_policy('some', *map(limit, os.environ))\n"
    )
    modules = {"policies": HEAD + tail}
    code = f"{policies}\nasync def f() -> None: ...\n"
    head = HEAD.removesuffix("\n") + "from policies import *\n"
    every = found(head + code, "", **modules)
    assert lines < 4
    assert expected == [f"{line.split(':')[1]} {line.split()[-1]}" for line in every]


def test_order_of_everything() -> None:
    """The key that orders all elements is judged where it stands, once."""
    toml = '[resilience4cata]\norder = ["BULKHEAD", "CIRCUIT_BREAKER", "FALLBACK"]\n'
    code = (
        HEAD + "@r.bulkhead()\n@r.retry()\ndef f() -> None: ...\n\n\n@r.bulkhead()\n@r.retry()\ndef g() -> None: ...\n"
    )
    assert ["resilience4cata.toml:2:9 OR-002"] * 4 == found(code, toml)


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ("@limit('1s')\n@r.retry()", ["5 OR-004"]),
        ("@r.retry()\n@limit('1s')", []),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry()", []),
        ("@limit('1s')\n@r.order(*UNKNOWN)\n@r.retry()", []),
        ("@limit('1s')\n@r.resilience_policy('x', r.retry())", []),
    ],
)
def test_written_order(policies: str, expected: list[str]) -> None:
    """Only what is written directly is compared, with the order that counts there."""
    code = f"{policies}\nasync def f() -> None: ...\n"
    assert expected == codes(code, settings='extend-select = ["OR-004"]\n')


@pytest.mark.parametrize(
    ("retry", "breaker", "expected"),
    [
        ("retry_on=r.errors.ResilienceError, delay='1s'", "wait_in_open='1m'", ["4 CL-006"]),
        ("retry_on=r.RejectedError", "", []),
        ("retry_on=r.RejectedError, delay='1s'", "", ["4 CL-006"]),
        ("retry_on=r.RejectedError, delay='1s', max_delay='1m', max_attempts=10", "wait_in_open='30s'", []),
        ("retry_on=r.RejectedError, abort_on=DENIED, delay='1s'", "", []),
        ("retry_on=(OSError, *MORE), delay='1s'", "wait_in_open='30s'", []),
        ("retry_on=r.RejectedError, delay='1s'", "enabled=False", []),
        ("retry_on=r.RejectedError, delay='1s'", "wait_in_open=UNKNOWN", []),
    ],
)
def test_retried_breaker(retry: str, breaker: str, expected: list[str]) -> None:
    """The whole back-off is compared with the breaker's wait, if both are known and one of them was written."""
    assert expected == codes(f"@r.retry({retry})\n@r.circuit_breaker({breaker})\ndef f() -> None: ...\n")


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ("@r.retry(abort_on=(IOError, KeyError))\n@limit('1s')", ["6 CL-007"]),
        ("@limit('1s')\n@r.circuit_breaker(ignore_on=socket.error)", ["7 CL-007"]),
        ("@r.retry(abort_on=DENIED)\n@limit()", ["6 CL-007"]),
        ("@r.retry(abort_on=(OSError, *MORE))\n@limit('1s')", []),
        ("@r.retry(abort_on=(OSError, asyncio.TimeoutError))\n@limit('1s')", []),
        ("@r.retry(abort_on=PermissionError)\n@limit('1s')", []),
        ("@r.retry(abort_on=OSError, retry_on=(KeyError, EOFError))\n@limit('1s')", []),
        ("@r.retry(abort_on=OSError, retry_on=SOME)\n@limit('1s')", []),
        ("@r.retry(abort_on=OSError, classifier=JUDGE)\n@limit('1s')", []),
        ("@r.retry(abort_on=OSError, max_attempts=1)\n@limit('1s')", []),
        ("@r.retry(abort_on=OSError)\n@limit('1s', enabled=False)", []),
        ("@r.order(L.TIMEOUT, L.RETRY)\n@limit('1s')\n@r.retry(abort_on=OSError)", []),
    ],
)
def test_denied_timeouts(policies: str, expected: list[str]) -> None:
    """Other names of OSError are it; whoever names a timeout, or allows none, is left alone."""
    code = f"import asyncio, socket\nDENIED = (OSError, KeyError)\n{policies}\nasync def f() -> None: ...\n"
    assert expected == [finding for finding in codes(code, toml=None) if "OR-004" not in finding]


def test_denied_timeouts_of_files() -> None:
    """The list that counts may stand in a file, and the timeout on the class."""
    toml = "[resilience4cata.configs.x]\nretry.abort-on = ['OSError']\n"
    code = "@limit('1s')\nclass C:\n    @r.retry(config='x')\n    def f(self) -> None: ...\n"
    assert ["resilience4cata.toml:2:18 CL-007"] == found(HEAD + code, toml)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@r.retry(config='used')\ndef f() -> None: ...", ["resilience4cata.toml:3:26 CFG-006"]),
        ("@r.retry(config='used')\ndef f() -> None: ...\nNAMES = ['other']", []),
        ("@r.retry(config=NAME)\ndef f() -> None: ...", []),
        ("@r.retry(**OPTIONS)\ndef f() -> None: ...", []),
        ("def g(it, name): return it.pipeline('p', config=name)\n@r.retry()\ndef f() -> None: ...", []),
        ("def g(it): return it.pipeline('p', config='other')\n@r.retry(config='used')\ndef f() -> None: ...", []),
    ],
)
def test_unused_template(code: str, expected: list[str]) -> None:
    """A template is unused only if no name is unknown and its own stands nowhere in quotes."""
    toml = "[resilience4cata.configs.used]\nretry.delay = '1s'\n[resilience4cata.configs.other]\nretry.delay = '2s'\n"
    assert expected == found(f"{HEAD}{code}\n", toml)


def test_unused_template_of_a_part() -> None:
    """Whoever checks one file does not see who else uses a template."""
    toml = "[resilience4cata.configs.other]\nretry.delay = '2s'\n"
    assert [] == found(HEAD + "@r.retry()\ndef f() -> None: ...\n", toml, "app.py", "resilience4cata.toml")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@r.bulkhead(name='slow')\ndef f() -> None: ...", ["app.py:4:18 IN-003"]),
        ("@r.bulkhead(name='slow')\ndef f() -> None: ...\n@r.bulkhead(name='slow')\ndef g() -> None: ...", []),
        ("@r.bulkhead(name='slow', config='slow')\ndef f() -> None: ...", []),
        ("@r.bulkhead(name='slow', **OPTIONS)\ndef f() -> None: ...", []),
        (
            "mine = r.resilience_policy('mine', r.bulkhead(name='slow'))\n@mine\ndef f() -> None: ...",
            ["app.py:4:52 IN-003"],
        ),
        ("mine = r.resilience_policy('mine', r.bulkhead(name='slow'))\n@mine\ndef f(): ...\n@mine\ndef g(): ...", []),
    ],
)
def test_name_of_a_template(code: str, expected: list[str]) -> None:
    """A name that two share, also through a composed policy, is a name."""
    toml = "[resilience4cata.configs.slow]\nbulkhead.max-wait = '1s'\n"
    assert expected == [line for line in found(f"{HEAD}{code}\n", toml) if "CFG-006" not in line]


def test_idle_key_of_a_class_with_other_methods() -> None:
    """A key counts if one method has no value of its own, an inherited one too."""
    toml = '["app.Client/bulkhead/max-concurrent"]\n'
    toml = '"app.Client/bulkhead/max-concurrent" = 3\n'
    all_own = "@r.bulkhead()\nclass Client:\n    @r.bulkhead(max_concurrent=2)\n    def f(self) -> None: ...\n"
    assert ["resilience4cata.toml:1:1 CFG-018"] == found(HEAD + all_own, toml)
    assert [] == found(f"{HEAD}{all_own}    def g(self) -> None: ...\n", toml)


def test_repeated_values_of_members() -> None:
    """Values are compared by what they mean; two composed policies that disagree give none."""
    one = "one = r.resilience_policy('one', limit('60s'), r.retry(jitter=Jitter.NONE, max_attempts=2))\n"
    code = f"{one}@one\n@limit('1m')\n@r.retry(jitter=Jitter.NONE, max_attempts=3)\ndef f() -> None: ...\n"
    assert ["6 CMP-006", "7 CMP-006"] == codes(code, settings='extend-select = ["CMP-006"]\n')


CHECKED = """from __future__ import annotations
import typing as t
from resilience4cata import fallback, retry
if t.TYPE_CHECKING:
    import errs
    from errs import Busy, Offline as Off, Busy as Twice, Busy as TimeoutError
else:
    Twice = OSError
"""
"""Eight lines of imports; `errs` has the exceptions Busy and Offline."""


@pytest.mark.parametrize(
    ("annotation", "absent"),
    [
        ("Off", "Off"),
        ("'Busy'", "Busy"),
        ("errs.Busy | None", "errs"),
        ("t.Optional[Busy]", "Busy"),
        ("OSError | Busy | Off", "Busy"),
        ("Busy = Busy()", "Busy"),
        ("Twice", ""),
        ("TimeoutError", ""),
        ("OSError", ""),
    ],
)
@pytest.mark.parametrize("base", ["", "(Base)"])
def test_absent_exception_types(annotation: str, absent: str, base: str) -> None:
    """The first name that is not there is told, on inherited targets too; what has another meaning there is fine."""
    method = f"    def later(self, x: int, error: {annotation}) -> int: return x\n"
    use = '    @fallback(method="later")\n    @retry()\n    async def find(self, x: int) -> int: return x\n'
    code = f"class Base:\n{method}class C{base}:\n{use}" if base else f"class C:\n{use}{method}"
    errs = "class Busy(Exception): ...\nclass Offline(Exception): ...\n"
    said = [d.message for d in diagnostics(CHECKED + code, None, errs=errs) if d.code == "R4C-FB-015"]
    name = f"'later' is not chosen by its exception: '{absent}' in the type of 'error' does not exist at run time"
    assert ([name] if absent else []) == said


@pytest.mark.parametrize(
    "head",
    [
        "if TYPE_CHECKING:\n    from errs import Busy\nfrom errs import *\n",
        "try:\n    from errs import Busy\nexcept ImportError:\n    from errs import Offline as Busy\n",
        "if TYPE_CHECKING:\n    from errs import Busy\nglobals()['Busy'] = OSError\n",
        "if not TYPE_CHECKING:\n    from errs import Busy\n",
    ],
)
def test_exception_types_that_may_be_there(head: str) -> None:
    """Where something else may bind the name, nothing is known."""
    imports = "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nimport resilience4cata as r\n"
    code = (
        f"{imports}{head}"
        "def later(x: int, error: Busy) -> int: return x\n@r.fallback(method='later')\ndef f(x: int) -> int: return x\n"
    )
    assert [] == found(code, None, errs="class Busy(Exception): ...\nclass Offline(Exception): ...\n")


ONE = "one = r.resilience_policy('one', limit('2s'), r.circuit_breaker(slow_call_duration='3s'))\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@one\ndef f() -> None: ...\n@one\ndef g() -> None: ...\n", ["4 TB-003"]),
        ("two = r.resilience_policy('two', one)\n@two\ndef f() -> None: ...\n", ["4 TB-003"]),
        ("@limit('9s')\n@one\ndef f() -> None: ...\n", ["4 TB-003"]),
        ("@limit('1s')\n@one\ndef f() -> None: ...\n", ["4 TB-003", "6 TB-003"]),
        ("two = r.resilience_policy('two', one, r.order(L.TIMEOUT, L.CIRCUIT_BREAKER))\n", ["4 TB-003"]),
    ],
)
def test_composed_policy_without_room(code: str, expected: list[str]) -> None:
    """It is told once, where it is made; what an element adds to it is told there."""
    assert expected == codes(ONE + code)


@pytest.mark.parametrize(
    "members",
    [
        "limit('2s'), r.circuit_breaker(slow_call_duration='1s')",
        "limit('2s', enabled=False), r.circuit_breaker(slow_call_duration='3s')",
        "limit(UNKNOWN), r.circuit_breaker(slow_call_duration='3s')",
        "limit('2s'), r.circuit_breaker(slow_call_duration='3s'), r.order(L.TIMEOUT, L.CIRCUIT_BREAKER)",
        "limit('2s'), r.circuit_breaker()",
        "limit('2s'), r.circuit_breaker(**OPTIONS)",
    ],
)
def test_composed_policy_with_room(members: str) -> None:
    """What is switched off, not known, or runs in another order contradicts nothing."""
    assert [] == codes(f"one = r.resilience_policy('one', {members})\n")


def test_composed_policy_that_a_file_tunes() -> None:
    """The file makes room; where it makes too little, that is told once as well."""
    code = f"{HEAD}{ONE}@one\ndef f() -> None: ...\n@one\ndef g() -> None: ...\n"
    assert [] == found(code, "'one/timeout/value' = '9s'\n")
    assert ["app.py:4:84 TB-003"] == found(code, "'one/timeout/value' = '1s'\n")
