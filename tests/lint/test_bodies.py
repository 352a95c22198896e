"""What functions do: calls resolved, failures followed, names that go elsewhere."""

from __future__ import annotations

import pytest

from resilience4cata.facts import UNKNOWN, Body, Effect

from .linking import element, linked

_HEAD = "from resilience4cata import retry\n"
_OTHERS = {
    "acme": "",
    "acme.gateway": """
        class Gateway:
            def post(self, text): ...
            @property
            def name(self): ...
        class Loud(Gateway):
            def post(self, text): ...
        def send(text): ...
        shared = Gateway()
        """,
}


def body(text: str, name: str = "go") -> Body:
    """The body of a guarded function of `acme.app`."""
    project = linked({"acme.app": _HEAD + text, **_OTHERS})
    found = project.oracle.body(element(project, name).definition)
    assert found is not None
    return found


def callees(statement: str, *, before: str = "", parameters: str = "") -> list[str]:
    """What the calls in a function of `acme.app` call, "?" for what is not known."""
    found = body(f"{before}\n@retry()\ndef go({parameters}):\n    {statement}\n")
    return ["?" if call.callee is UNKNOWN else str(call.callee) for call in found.calls]


@pytest.mark.parametrize(
    ("before", "statement", "expected"),
    [
        ("import time as clock", "clock.sleep(1)", ["time.sleep"]),
        ("from acme import gateway as g", "g.send(1)", ["acme.gateway.send"]),
        ("from acme.gateway import shared", "shared.post(1)", ["acme.gateway.Gateway.post"]),
        (
            "from acme.gateway import Gateway",
            "Gateway().post(1)",
            ["acme.gateway.Gateway", "acme.gateway.Gateway.post"],
        ),
        ("import requests", "requests.Session().get(1)", ["requests.Session", "requests.Session().get"]),
        ("import requests\nsession = requests.Session()", "session.get(1)", ["requests.Session().get"]),
        (
            "import httpx",
            "with httpx.Client() as client: client.get(1)",
            ["httpx.Client", "httpx.Client().get"],
        ),
        ("import requests", "requests = object(); requests.get(1)", ["builtins.object", "builtins.object().get"]),
        ("session = make()", "session.get(1)", ["?"]),
        ("if True:\n    from time import sleep\nelse:\n    from trio import sleep", "sleep(1)", ["?"]),
    ],
)
def test_callees(before: str, statement: str, expected: list[str]) -> None:
    """Names are followed through imports and to where objects are made; what may be one of several is not known."""
    assert expected == sorted(callees(statement, before=before), key=lambda name: (len(name), name))


def test_parameter_hides_module() -> None:
    """A parameter may be anything, whatever the module is called."""
    assert ["?"] == callees("requests.get(1)", before="import requests", parameters="requests")


def test_method_through_self() -> None:
    """A method of the class or a base, unless a subclass has one of its own; a property is not called."""
    found = body(
        """
class Base:
    def kept(self): ...
    def replaced(self): ...
    @property
    def value(self): ...
class Client(Base):
    @retry()
    def go(self):
        self.kept()
        self.replaced()
        self.value()
        self.missing()
class Below(Client):
    def replaced(self): ...
"""
    )
    assert ["acme.app.Base.kept", UNKNOWN, UNKNOWN, UNKNOWN] == [call.callee for call in found.calls]


def test_attribute_made_once() -> None:
    """An attribute leads to a class if it is set in one place, to what a call makes."""
    found = body(
        """
from acme.gateway import Gateway
class Client:
    def __init__(self, given):
        self.own = Gateway()
        self.given = given
        self.either = Gateway()
    def reset(self):
        self.either = None
    @retry()
    def go(self):
        self.own.post(1)
        self.given.post(1)
        self.either.post(1)
"""
    )
    assert ["acme.gateway.Gateway.post", UNKNOWN, UNKNOWN] == [call.callee for call in found.calls]


def test_nested_functions_are_left_out() -> None:
    """What a nested function, a lambda or a class does happens at another time."""
    text = "def inner(): outer()\n    class Other: value = outer()\n    return lambda: outer()"
    assert [] == callees(text)


def test_arguments() -> None:
    """Keywords, the number of others, and parameters that are handed on as they are."""
    (call,) = body("@retry()\ndef go(lines, name):\n    name = 1\n    print(lines, name, file=name, *lines)\n").calls
    assert (("file",), 2, True, ("lines",)) == (call.keywords, call.positional, call.open, call.given)


def test_loops_and_tries() -> None:
    """Where a call stands: comprehensions are loops, and `else` is not protected by its `try`."""
    found = body(
        """
@retry()
def go(items):
    for item in first(items):
        try:
            second(item)
        except OSError:
            third(item)
        else:
            fourth([fifth(x) for x in items])
"""
    )
    places = {call.at.line: (call.loops, call.tries) for call in found.calls if call.at.column != 21}
    assert {5: ((), ()), 7: ((0,), (0,)), 9: ((0,), ()), 11: ((0,), ())} == places
    assert [(0, 1)] == [call.loops for call in found.calls if call.at.column == 21]


@pytest.mark.parametrize(
    ("handler", "effect"),
    [
        ("pass", Effect.SWALLOWED),
        ("log.info('no'); return None", Effect.SWALLOWED),
        ("return dict()", Effect.SWALLOWED),
        ("return Missing()", Effect.SWALLOWED),
        ("return self_made()", Effect.UNKNOWN),
        ("raise", Effect.RAISED_AGAIN),
        ("raise error", Effect.RAISED_AGAIN),
        ("raise Missing() from error", Effect.CONVERTED),
        ("raise Missing", Effect.CONVERTED),
        ("raise make(error)", Effect.CONVERTED),
    ],
)
def test_effects(handler: str, effect: Effect) -> None:
    """What a handler makes of a failure; a call in it may raise something itself, unless it only makes an object."""
    text = (
        f"class Missing(Exception): ...\n@retry()\ndef go():\n    try: work()\n    except OSError as error: {handler}\n"
    )
    (part,) = body(text).tries
    assert [effect] == [found.effect for found in part.handlers]


def test_effect_of_branches() -> None:
    """With two ways out of a handler nobody knows which one is taken."""
    text = "@retry()\ndef go():\n    try: work()\n    except OSError as error:\n        if error.errno: return 1\n"
    (part,) = body(f"{text}        raise KeyError from error\n").tries
    assert [Effect.UNKNOWN] == [found.effect for found in part.handlers]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("", "", True), ("log.info(1)", "", True), ("other()", "", False), ("", "other()", False), ("raise E", "", False)],
)
def test_all_of_it(before: str, after: str, expected: bool) -> None:
    """Nothing that may fail stands outside; a line in the log does not count."""
    lines = [before or "pass", "try: work()", "except OSError: tidy()", after or "pass"]
    (part,) = body("@retry()\ndef go():\n" + "\n".join(f"    {line}" for line in lines) + "\n").tries
    assert expected is part.all_of_it


def test_consumed() -> None:
    """Parameters that are run through or read, but for those that may begin again."""
    found = body(
        """
@retry()
def go(rows, lines, stream, rewound, bound, passed):
    for row in rows: ...
    [line for line in lines]
    stream.read()
    rewound.read(); rewound.seek(0)
    bound = list(bound); [x for x in bound]
    print(passed)
"""
    )
    assert frozenset({"rows", "lines", "stream"}) == found.consumed


@pytest.mark.parametrize(
    ("text", "consumed"),
    [
        ("return sorted(given, key=len)", True),
        ("return {a: b for a, b in zip(range(3), given)}", True),
        ("for index, row in enumerate(given, 1): ...", True),
        ("print(*given)", True),
        ("return list(other(given))", False),
        ("list = other\n    return list(given)", False),
        ("return lambda: list(given)", False),
        ("given = list(given)\n    return given", False),
    ],
)
def test_run_through(text: str, consumed: bool) -> None:
    """Built-in functions that run through what they are given, at once or with their own result."""
    assert consumed is ("given" in body(f"@retry()\ndef go(given):\n    {text}\n").consumed)


def test_returns_calls() -> None:
    """Whether nothing but the values of calls is returned."""
    only, mixed, nothing = (
        body(f"@retry()\ndef go(x):\n    {text}\n").returns_calls
        for text in ("return a() if x else b()", "if x: return 1\n    return a()", "a()")
    )
    assert (True, False, False) == (only, mixed, nothing)
