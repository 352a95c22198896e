"""Rules about bodies and chains of calls, in forms that their fixtures do not show."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest

from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.rules import check

from .linking import linked

_HEAD = "from resilience4cata import *\n"
_CLASS_LEVEL = """
    import time
    @timeout("2s")
    class Client:
        async def get(self): time.sleep(1)
        @unguarded
        async def other(self): time.sleep(1)
    class Below(Client):
        async def more(self): time.sleep(1)
    """
_SHARED_POLICY = """
    import asyncio, time
    from acme.policies import careful
    @careful
    async def get():
        await asyncio.sleep(1)
        time.sleep(1)
    """
_POLICIES = {"acme": "", "acme.policies": _HEAD + 'careful = resilience_policy("careful", timeout("2s"))'}


def found(text: str, code: str, others: Mapping[str, str] | None = None) -> list[int]:
    """The lines of `acme.app` on which a rule reports something; the text begins on line 2."""
    files = {"acme.app": _HEAD + dedent(text).lstrip("\n"), **(others or {})}
    project = linked(files)
    context = Context(FRONT_ENDS["lint"], project.oracle, project.project)
    findings = check((*project.views, project.project), context)
    return [f.fault.at.line for f in findings if f.rule.code == f"R4C-{code}"]


@pytest.mark.parametrize(("text", "lines"), [(_CLASS_LEVEL, [5, 9]), (_SHARED_POLICY, [7])])
def test_blocking_call(text: str, lines: list[int]) -> None:
    """Class-level policies count for their methods and those of subclasses, composed ones wherever they are used."""
    assert lines == found(text, "TB-004", _POLICIES)


@pytest.mark.parametrize(
    "call",
    ["requests.get(1, timeout=2)", "requests.get(1, **options)", "socket.create_connection(1, 2)", "time.sleep(3)"],
)
def test_bounded_call(call: str) -> None:
    """A call with a limit of its own, or one that may have it, is bounded."""
    text = f"import requests, socket, time\n@timeout('2s')\ndef get(options):\n    {call}\n"
    assert [] == found(text, "TB-005")


def test_offloaded_by_configuration() -> None:
    """A default that code sets counts, too."""
    text = """
        import requests
        Resilience.builder().defaults(timeout(offload=True)).build()
        @timeout("2s")
        def get(): requests.get(1)
        """
    assert [] == found(text, "TB-005")


@pytest.mark.parametrize(
    ("handler", "lines"),
    [
        ("except Exception: log.error('no')", [6]),
        ("except: pass", [6]),
        ("except BaseException as error: return None", [6]),
        ("except (OSError, Exception): return []", [6]),
        ("except Exception as error: report(error)", []),
        ("except OSError: return None", []),
        ("except OSError: raise\n    except Exception: return None", []),
    ],
)
def test_swallowing(handler: str, lines: list[int]) -> None:
    """Every failure is swallowed, by handlers that do nothing else."""
    text = f"import requests\n@retry()\ndef get():\n    try: requests.get(1)\n    {handler}\n"
    assert lines == found(text, "NE-004")


def test_swallowing_in_a_loop() -> None:
    """What is skipped in a loop is a part of the work."""
    text = "@retry()\ndef get(a):\n    for b in a:\n        try: c(b)\n        except Exception: pass\n"
    assert [] == found(text, "NE-004")


@pytest.mark.parametrize(
    ("listed", "raised", "lines"),
    [
        ("OSError", "KeyError", [5]),
        ("(OSError, ConnectionError)", "KeyError", [5]),
        ("OSError", "ConnectionError", []),
        ("(OSError, KeyError)", "KeyError", []),
        ("Exception", "KeyError", []),
        ("CallNotPermittedError", "KeyError", []),
        ("LookupError", "KeyError", []),
        ("OSError", "unknown", []),
    ],
)
def test_converted(listed: str, raised: str, lines: list[int]) -> None:
    """All listed types are caught, and what is raised instead is none of them."""
    text = f"@retry(retry_on={listed})\ndef get():\n    try: work()\n    except OSError as e: raise {raised} from e\n"
    assert lines == found(text, "CL-008")


def test_unwrapped() -> None:
    """A handler of something else leaves the listed type alone."""
    text = "@retry(retry_on=OSError)\ndef get():\n    try: work()\n    except KeyError as e: raise ValueError from e\n"
    assert [] == found(text, "CL-008")


@pytest.mark.parametrize(
    ("definition", "lines"),
    [
        ("async def work(): ...", [2]),
        ("async def work(): yield 1", []),
        ("def work(): ...", []),
        ("@unknown\nasync def work(): ...", []),
    ],
)
def test_hidden_coroutine(definition: str, lines: list[int]) -> None:
    """What is returned is certainly a coroutine: no async generator, nothing that a decorator may have changed."""
    assert lines == found(f"@retry()\ndef get(): return work()\n{definition}\n", "AS-002")


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        ("await inner()", True),
        ("await asyncio.wait_for(inner(), 2)", False),
        ("return inner()", True),
        ("asyncio.create_task(inner())", False),
    ],
)
def test_retries_multiply_when_awaited(call: str, reported: bool) -> None:
    """A coroutine whose end nobody waits for here fails elsewhere."""
    text = f"import asyncio\n@retry()\nasync def outer(): {call}\n@retry()\nasync def inner(): ...\n"
    assert ([3] if reported else []) == found(text, "NE-001")


def test_retries_multiply_over_three_levels() -> None:
    """One finding for a chain, at its outermost end; the class-level policy of the middle one counts."""
    others = {
        "acme": "",
        "acme.middle": _HEAD
        + "from acme.inner import post as send\n@retry(max_attempts=2)\nclass M:\n    def go(self): send()\n",
        "acme.inner": _HEAD + "@retry(max_attempts=4)\ndef post(): ...\n",
    }
    text = "from acme.middle import M\n@retry(max_attempts=3)\ndef outer(): M().go()\n"
    project = linked({"acme.app": _HEAD + text, **others})
    context = Context(FRONT_ENDS["lint"], project.oracle, project.project)
    messages = [f.diagnostic().message for f in check((project.project,), context) if f.rule.code == "R4C-NE-001"]
    assert ["attempts multiply: 3 x 2 x 4 = 24 calls: outer -> M.go -> post"] == messages


def test_recursion_is_no_chain() -> None:
    """Functions that call themselves or each other have no end that could be outermost."""
    text = "@retry()\ndef one(): two()\n@retry()\ndef two(): one()\n@retry()\ndef three(): three()\n"
    assert [] == found(text, "NE-001")


def test_one_attempt_multiplies_nothing() -> None:
    """A retry that makes one attempt, or is switched off, is none."""
    text = "@retry()\ndef one(): two(), three()\n@retry(max_attempts=1)\ndef two(): ...\n"
    assert [] == found(f"{text}@retry(enabled=False)\ndef three(): ...\n", "NE-001")


def test_types_that_are_only_checked() -> None:
    """What is imported under TYPE_CHECKING has a name here as well, and annotations tell the class."""
    others = {"acme": "", "acme.inner": _HEAD + "class Inner:\n    @bulkhead(name='x')\n    def go(self): ...\n"}
    text = """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from acme.inner import Inner
        class Outer:
            def __init__(self, inner: Inner): self.inner = inner
            @bulkhead(name="x")
            def go(self): self.inner.go()
        """
    assert [7] == found(text, "IN-005", others)


@pytest.mark.parametrize(
    ("decorator", "reported"),
    [
        ("app.route('/a')", True),
        ("app.route(rule)", True),
        ("app.errorhandler(404)", True),
        ("app.url_value_preprocessor", False),
        ("main.command()", True),
        ("main.group", True),
        ("below.command()", True),
        ("plain.command()", False),
        ("unknown.thing('/a')", True),
        ("unknown.thing('a/b')", False),
        ("thing('/a')", False),
    ],
)
def test_registering(decorator: str, reported: bool) -> None:
    """Decorators that are known to register, and methods that are given a path."""
    before = (
        "import click\nfrom flask import Flask\napp = Flask('a')\n@click.group()\ndef main(): ...\n"
        "@main.group()\ndef below(): ...\ndef plain(): ...\n"
    )
    assert ([10] if reported else []) == found(f"{before}@retry()\n@{decorator}\ndef view(): ...\n", "LOC-008")


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("return circuit_breaker()(work)(1)", True),
        ("return circuit_breaker(config='external')(work)(1)", False),
        ("f = circuit_breaker()(work); return f", False),
        ("f = circuit_breaker()(work); return g(f)", False),
        ("f = circuit_breaker()(work); return (f(), f())", False),
        ("f = circuit_breaker()(work); return lambda: f()", False),
        ("global f; f = circuit_breaker()(work); return f()", False),
    ],
)
def test_state_for_each_call(body: str, reported: bool) -> None:
    """The guarded function is called in one place and goes nowhere else."""
    assert ([3] if reported else []) == found(f"def get(work):\n    {body}\n", "LOC-009")


@pytest.mark.parametrize(
    ("argument", "reported"),
    [
        ("self.limit", True),
        ("f'{self.limit}s'", True),
        ("limit", False),
        ("(lambda self: self.limit)(1)", False),
        ("datetime.now() - start", True),
        ("seconds(5)", False),
    ],
)
def test_evaluated_once(argument: str, reported: bool) -> None:
    """What exists only in a call, in whatever expression it stands."""
    text = f"from datetime import datetime\nclass A:\n    @timeout({argument})\n    def get(self): ...\n"
    assert ([4] if reported else []) == found(text, "LOC-010")


def test_evaluated_once_for_a_class() -> None:
    """A clock in the policy of a class is no better."""
    assert [3] == found("import time\n@timeout(time.time())\nclass A:\n    def get(self): ...\n", "LOC-010")


@pytest.mark.parametrize(("body", "reported"), [("return send()", True), ("with send(): return 1", True), ("1", False)])
def test_retry_by_hand(body: str, reported: bool) -> None:
    """The loop ends where nothing failed, also from within a `with`."""
    loop = f"    while True:\n        try:\n            {body}\n        except OSError: time.sleep(1)\n"
    assert ([5] if reported else []) == found(f"import time\n@retry()\ndef get(send):\n{loop}", "NE-002")


def test_class_is_guarded_in_place() -> None:
    """Only a function stays as it is when its guarded form is thrown away."""
    text = "def work(): ...\nclass A: ...\nretry()(work)\nretry()(A)\nretry()(unknown)\n"
    assert [4] == found(text, "LOC-015")


@pytest.mark.parametrize(
    ("imports", "reported"),
    [
        ("from acme.policies import careful as applied", True),
        ("from acme.tools import resilience_policy as make\napplied = make('applied', circuit_breaker())", True),
        ("from acme.policies import other as applied", False),
    ],
)
def test_policy_from_elsewhere(imports: str, reported: bool) -> None:
    """A composed policy may be imported, or made with what another module hands on; a function of theirs is none."""
    code = "def ask(): ...\ndef get(): return applied(ask)()\napplied(ask)\n"
    others = {
        "acme": "",
        "acme.tools": _HEAD + "__all__ = ['resilience_policy', 'circuit_breaker']",
        "acme.policies": _HEAD + "careful = resilience_policy('careful', circuit_breaker())\ndef other(f): return f",
    }
    line = 2 + len(imports.splitlines())
    head = "from acme.tools import circuit_breaker\n" if "make" in imports else ""
    text = f"{head}{imports}\n{code}"
    line += bool(head)
    assert ([line + 1] if reported else []) == found(text, "LOC-009", others)
    assert ([line + 2] if reported else []) == found(text, "LOC-015", others)


_SESSION = "import requests\nclass C:\n    def __init__(self): self._s = requests.Session()\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("from httpx import post as send\n@retry()\ndef f(): return send('x')", [4]),
        (_SESSION + "    @hedge()\n    def f(self): return self._s.patch('x', headers={'A': 'b'})", [6]),
        (_SESSION + "@retry()\nclass D(C):\n    def f(self): return self._s.post('x', json=order)", [7]),
        ("import requests\n@retry(max_attempts=1)\ndef f(): return requests.post('x')", []),
        ("import requests\n@retry()\ndef f(**options): return requests.post('x', **options)", []),
        ("import requests\n@retry()\ndef f(h): return requests.post('x', headers={'A': 'b', **h})", []),
        ("import requests\n@retry()\ndef f(idempotency_key): return requests.post('x', json=order)", []),
        ("import requests\n@retry()\ndef f():\n    def later(): return requests.post('x')\n    return later", []),
        ("import requests\n@retry()\ndef f(): return requests.put('x')", []),
        ("import mine as requests\n@retry()\ndef f(): return requests.post('x')", []),
    ],
)
def test_request_sent_again(text: str, lines: list[int]) -> None:
    """Requests of known clients alone, and only where no key can be among what is sent."""
    assert lines == found(text, "NE-003")


_ITERATORS = "import typing as t\nfrom collections.abc import Iterator as It\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("@retry()\ndef f(rows: 'It[int]'): return sum(rows)", [4]),
        ("@hedge()\nasync def f(s: t.Optional[t.TextIO]): return s.read()", [4]),
        ("class Mine(It): ...\n@retry()\ndef f(rows: Mine): return [*rows]", [5]),
        (
            "@retry()\nclass C:\n    def f(self, rows: It): list(rows)\n    @unguarded\n    def g(self, r: It): [*r]",
            [4],
        ),
        ("@retry()\nclass C:\n    @timeout('1s')\n    def f(self, rows: It): return list(rows)", [7]),
        ("import elsewhere\n@retry()\n@elsewhere.make\ndef f(rows: It): return list(rows)", []),
        ("@retry()\ndef f(rows: It | list[int]): return sum(rows)", []),
        ("@retry()\ndef f(rows: It): return sum(rows)\ndef sum(rows): return rows", []),
        ("@retry()\ndef f(rows): return sum(rows)", []),
        ("@retry(**OPTIONS)\ndef f(rows: It): return sum(rows)", []),
        ("@retry(enabled=False)\ndef f(rows: It): return sum(rows)", []),
    ],
)
def test_consumed_by_first_attempt(text: str, lines: list[int]) -> None:
    """What is annotated to be an iterator or a stream, under whatever name, and certainly run through."""
    assert lines == found(_ITERATORS + text, "NE-006")


_SLOW = "@timeout('2s')\n@retry(max_attempts=3, delay='500ms', jitter=Jitter.NONE)\nasync def slow(): ...\n"
_IN_FILE = """
from acme.slow import slow as it
class Client:
    @timeout("7s")
    async def get(self): return await self._get()
    async def _get(self):
        try: return await it()
        except OSError: raise
    """


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (_IN_FILE, [4]),
        (_SLOW + "@timeout('5s')\nasync def get(): return await slow()", [5]),
        (_SLOW + "@timeout('7500ms')\nasync def get(): return await slow()", []),
        (_SLOW + "@timeout('5s')\nasync def get(): return asyncio.create_task(slow())", []),
        (_SLOW + "@timeout('1s')\nasync def get(): return await slow()", []),
        (_SLOW + "@timeout()\nasync def get(): return await slow()", []),
        (_SLOW + "@timeout('5s')\nasync def mid(): await slow()\n@timeout('6s')\nasync def get(): await mid()", [5]),
        (_SLOW.replace("jitter", "max_duration='4s', jitter") + "@timeout('5s')\nasync def get(): await slow()", [3]),
        (_SLOW.replace("=3", "=8") + "@timeout('4s')\nasync def get(): return await slow()", [5]),
        (_SLOW.replace("=3", "=8") + "@timeout('5s')\nasync def get(): return await slow()", []),
        (_SLOW.replace("async ", "") + "@timeout('5s')\ndef get(): return slow()", []),
        (_SLOW.replace("async ", "") + "@timeout('5s', offload=True)\ndef get(): return slow()", [5]),
        (_SLOW.replace("'2s'", "'2s', enabled=False") + "@timeout('5s')\nasync def get(): return await slow()", []),
    ],
)
def test_attempts_under_a_timeout_further_out(text: str, lines: list[int]) -> None:
    """Only a timeout that interrupts ends them, the nearest one first, and only what is awaited is within it."""
    slow = {"acme": "", "acme.slow": _HEAD + _SLOW}
    assert lines == found(text, "TB-002", slow)


@pytest.mark.parametrize(
    ("inner", "reported"),
    [
        ("@retry()\ndef inner(): ...", True),
        ("@retry()\n@contextmanager\ndef inner(): yield 1", False),
        ("@retry()\ndef inner():\n    yield 1", False),
        ("@retry()\n@asynccontextmanager\nasync def inner(): yield 1", False),
    ],
)
def test_retry_that_guards_no_body(inner: str, reported: bool) -> None:
    """What makes a generator is not tried again when the generator fails; that it is no place for a policy is said."""
    head = "from contextlib import asynccontextmanager, contextmanager\n"
    text = f"{head}@retry()\ndef outer(): return inner()\n{inner}\n"
    assert ([3] if reported else []) == found(text, "NE-001")
    assert ([] if reported else [5]) == found(text, "LOC-003")
