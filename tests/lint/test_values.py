"""What an argument of a policy is worth."""

from __future__ import annotations

import pytest

from resilience4cata.facts import UNKNOWN, At, Interval, Items, Member, Ref, Slot, Unknown, Value
from resilience4cata.schema import AttributeKind
from resilience4cata_lint.extract import extract
from resilience4cata_lint.symbols import FileFacts

from .linking import IMPORTS, linked, slot_values, written

SECOND = 1_000_000_000
ERROR = ("builtins.Exception", "builtins.BaseException", "builtins.object")


def delay(value: str, before: str = "", **modules: str) -> tuple[Value, ...]:
    return slot_values(f"retry(delay={value})", "delay", before=before, **modules)


def retry_on(value: str, before: str = "", **modules: str) -> tuple[Value, ...]:
    return slot_values(f"retry(retry_on={value})", "retry_on", before=before, **modules)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'1s'", "1s"),
        ("'1' 's'", "1s"),
        ("f'1s'", "1s"),
        ("-3", -3),
        ("2.5", 2.5),
        ("10**3", UNKNOWN),
        ("'1' + 's'", UNKNOWN),
        ("f'{x}s'", UNKNOWN),
        ("True", True),
        ("None", None),
        ("b'1s'", UNKNOWN),
        ("compute()", UNKNOWN),
        ("lambda: 1", Ref("acme.app.<lambda>", False)),
        ("(lambda: 1)()", UNKNOWN),
        ("names[0]", UNKNOWN),
        ("undefined", UNKNOWN),
        ("10" + "0" * 400, 10**401),
        ("math.inf", float("inf")),
        ("float('nan')", float("nan")),
        ("float('-inf')", float("-inf")),
        ("float('many')", UNKNOWN),
        ("float(undefined)", UNKNOWN),
    ],
)
def test_literals(source: str, value: Value) -> None:
    """Literals are known, what is computed is not."""
    assert repr((value,)) == repr(delay(source, "import math"))


@pytest.mark.parametrize(
    ("arguments", "nanoseconds"),
    [
        ("", 0),
        ("seconds=2", 2 * SECOND),
        ("seconds=-2", -2 * SECOND),
        ("1", 86_400 * SECOND),
        ("0, 1, 2, 3, 4, 5, 6", ((6 * 7 * 24 + 5) * 3600 + 4 * 60 + 1) * SECOND + 3_000_000 + 2_000),
        ("milliseconds=1.5", 1_500_000),
        ("microseconds=1", 1_000),
        ("seconds=LIMIT", 7 * SECOND),
    ],
)
def test_timedelta(arguments: str, nanoseconds: int) -> None:
    """A timedelta with known arguments is exact."""
    before = "from datetime import timedelta as td\nimport datetime\nLIMIT = 7"
    assert (Interval(nanoseconds),) == delay(f"td({arguments})", before)
    assert (Interval(-nanoseconds),) == delay(f"-datetime.timedelta({arguments})", before)


@pytest.mark.parametrize(
    "arguments", ["x", "*x", "**x", "days=10**9", "seconds='1'", "years=1", "1, days=1", "days=1e300"]
)
def test_timedelta_that_is_not_known(arguments: str) -> None:
    """Anything that Python would refuse, or that nobody knows, is unknown."""
    assert (UNKNOWN,) == delay(f"timedelta({arguments})", "from datetime import timedelta")


@pytest.mark.parametrize(
    ("before", "source", "values"),
    [
        ("SLOW = '9s'", "SLOW", ("9s",)),
        ("from typing import Final\nSLOW: Final = '9s'", "SLOW", ("9s",)),
        ("SLOW: str = '9s'\nALIAS = SLOW", "ALIAS", ("9s",)),
        ("SLOW, FAST = '9s', '1s'", "FAST", ("1s",)),
        ("from acme.limits import SLOW", "SLOW", ("10s",)),
        ("from acme import limits", "limits.SLOW", ("10s",)),
        ("import acme.limits as l", "l.Limits.FAST", ("1s",)),
        ("from acme.again import *", "SLOW", ("10s",)),
        ("from acme.limits import Inner", "Inner.FAST", ("1s",)),
        ("SLOW = '9s'\nSLOW = '8s'", "SLOW", ("8s",)),
        ("SLOW = '9s'\nif x:\n    SLOW = '8s'", "SLOW", ("9s", "8s")),
        ("if x:\n    SLOW = '8s'\nelse:\n    SLOW = '9s'", "SLOW", ("8s", "9s")),
        ("try:\n    SLOW = '8s'\nexcept E:\n    SLOW = 9", "SLOW", ("8s", 9)),
        ("SLOW = '9s'\nif x:\n    SLOW = compute()", "SLOW", (UNKNOWN,)),
        ("SLOW = '9s'\ndef f():\n    global SLOW\n    SLOW = '8s'", "SLOW", (UNKNOWN,)),
        ("if x:\n    SLOW = '8s'\nelse:\n    SLOW = '8s'", "SLOW", ("8s",)),
        ("SLOW = '9s'\nSLOW += '8s'", "SLOW", (UNKNOWN,)),
        ("for SLOW in x: ...", "SLOW", (UNKNOWN,)),
        ("with x as SLOW: ...", "SLOW", (UNKNOWN,)),
        ("from acme.limits import TWICE", "TWICE", ("1s", "2s")),
        ("from acme.limits import Colour", "Colour.RED", (UNKNOWN,)),
        ("from acme.limits import Row", "Row.width", (UNKNOWN,)),
        ("from acme.limits import missing", "missing", (UNKNOWN,)),
        ("from settings import SLOW", "SLOW", (UNKNOWN,)),
        ("import settings", "settings.SLOW.value", (UNKNOWN,)),
        ("FAST = '1s'", "FAST if x else '2s'", ("1s", "2s")),
        ("", "'1s' if x else '1s'", ("1s",)),
        ("", "'1s' if x else compute()", ("1s", UNKNOWN)),
        ("", "('1s' if x else '2s') if y else 3", ("1s", "2s", 3)),
        ("", "1 if x else True", (1, True)),
    ],
)
def test_constants(before: str, source: str, values: tuple[Value, ...]) -> None:
    """Names bound once are worth what they are bound to, over modules; several alternatives stay several."""
    limits = (
        "import enum, typing\nSLOW = '10s'\nTWICE = '1s'\nTWICE = '2s'\n"
        "class Limits:\n    FAST = '1s'\nclass Inner(Limits): ...\n"
        "class Colour(enum.Enum):\n    RED = '1s'\nclass Row(typing.NamedTuple):\n    width: str = '1s'\n"
    )
    assert repr(values) == repr(
        delay(source, before, acme__limits=limits, acme__again="from acme.limits import SLOW\n")
    )


def test_local_variables() -> None:
    """Variables of a function are as good as those of a module; its parameters are not known."""
    text = (
        f"{IMPORTS}def make(given):\n    slow = '9s'\n    a = timeout(slow)\n"
        "    b = timeout(given)\n    c = timeout(late)\n    late = '1s'\n"
    )
    values = [w.declaration.slots["value"].values for w in written(linked(text))]
    assert [("9s",), (UNKNOWN,), (UNKNOWN,)] == values


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("Jitter.FULL", Member("Jitter", "FULL")),
        ("j.Jitter.NONE", Member("Jitter", "NONE")),
        ("Spread.EQUAL", Member("Jitter", "EQUAL")),
        ("WindowType.COUNT", Member("WindowType", "COUNT")),
        ("CHOSEN", Member("Jitter", "FULL")),
        ("'FULL'", "FULL"),
        ("Jitter.NOTHING", UNKNOWN),
        ("Jitter('full')", UNKNOWN),
        ("Other.FULL", UNKNOWN),
    ],
)
def test_members(source: str, value: Value) -> None:
    """Members of our enumerations, under whatever name."""
    before = (
        "import resilience4cata as j\n"
        "from resilience4cata.policies import Jitter as Spread\n"
        "from x import Other\nCHOSEN = Jitter.FULL"
    )
    assert (value,) == slot_values(f"retry(jitter={source})", "jitter", before=before)


OWN = """
    import asyncio, concurrent.futures, socket
    from asyncio import CancelledError
    from acme.errors import Broken, Base as Root
    from requests import Timeout
    import requests.exceptions
    def function(): ...
    @decorated
    class Replaced(Exception): ...
    class Local(Timeout): ...
    NET = (OSError, Broken)
    """
ERRORS = "class Base(Exception): ...\nclass Mixin: ...\nclass Broken(Mixin, Base, OSError): ...\n"
BROKEN = Ref(
    "acme.errors.Broken",
    True,
    ("acme.errors.Broken", "acme.errors.Mixin", "acme.errors.Base", "builtins.OSError", *ERROR),
)
OS_ERROR = Ref("builtins.OSError", True, ("builtins.OSError", *ERROR))
TIMEOUT = Ref("builtins.TimeoutError", True, ("builtins.TimeoutError", "builtins.OSError", *ERROR))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("Exception", Ref("builtins.Exception", True, ERROR)),
        ("OSError", OS_ERROR),
        ("IOError", OS_ERROR),
        ("socket.timeout", TIMEOUT),
        ("asyncio.TimeoutError", TIMEOUT),
        ("Broken", BROKEN),
        ("Root", Ref("acme.errors.Base", True, ("acme.errors.Base", *ERROR))),
        ("Timeout", Ref("requests.Timeout")),
        ("requests.exceptions.Timeout", Ref("requests.exceptions.Timeout")),
        ("Local", Ref("acme.app.Local", True)),
        ("Replaced", UNKNOWN),
        ("function", Ref("acme.app.function", False)),
        ("print", Ref("builtins.print", False)),
        ("(OSError, Broken)", Items((OS_ERROR, BROKEN))),
        ("[OSError]", Items((OS_ERROR,), "list")),
        ("{OSError}", Items((OS_ERROR,), "set")),
        ("NET", Items((OS_ERROR, BROKEN))),
        ("(Broken, *NET)", Items((BROKEN, OS_ERROR, BROKEN))),
        ("(Broken, *others)", Items((BROKEN,), closed=False)),
        ("(Broken, make())", Items((BROKEN, UNKNOWN))),
        ("(OSError if x else Broken, 1)", Items((UNKNOWN, 1))),
        ("()", Items(())),
        ("OSError | Broken", UNKNOWN),
        ("NET + (OSError,)", Items((OS_ERROR, BROKEN, OS_ERROR))),
        ("'OSError'", "OSError"),
    ],
)
def test_exceptions(source: str, value: Value) -> None:
    """Classes go by where they are defined, with all their bases; what cannot be followed may be anything."""
    assert (value,) == retry_on(source, OWN, acme__errors=ERRORS)


def test_cancellation() -> None:
    """The two cancellations go by the names that rules know."""
    found = retry_on(
        "(asyncio.CancelledError, CancelledError, concurrent.futures.CancelledError)", OWN, acme__errors=ERRORS
    )
    (items,) = found
    assert isinstance(items, Items)
    names = [ref.name for ref in items.items if isinstance(ref, Ref)]
    assert [*["asyncio.exceptions.CancelledError"] * 2, "concurrent.futures._base.CancelledError"] == names


def test_errors_of_the_library() -> None:
    """Our own exceptions have their bases."""
    (found,) = retry_on("CallNotPermittedError")
    assert isinstance(found, Ref)
    assert "resilience4cata.errors.CallNotPermittedError" == found.name
    assert found.ancestors is not None
    assert "resilience4cata.errors.RejectedError" in found.ancestors


def test_unknown_objects_are_no_values() -> None:
    """A name from outside is kept only where objects with names are expected."""
    before = "from settings import THING"
    assert (Ref("settings.THING"),) == slot_values("retry(classifier=THING)", "classifier", before=before)
    assert (Ref("settings.THING"),) == slot_values("fallback(THING)", "handler", before=before)
    for attribute in ("max_attempts", "delay", "jitter", "enabled", "name", "config"):
        assert (UNKNOWN,) == slot_values(f"retry({attribute}=THING)", attribute, before=before)


def declared(call: str, before: str = "") -> dict[str, tuple[Value, ...]]:
    (found,) = written(linked(f"{IMPORTS}{before}\nshared = {call}\n"))
    return {name: slot.values for name, slot in found.declaration.slots.items()}


def test_arguments_onto_attributes() -> None:
    """Positional arguments get the names that the policy gives them; unknown names are kept."""
    assert {"value": ("2s",)} == declared("timeout('2s')")
    assert {"handler": (Ref("builtins.print", False),), "method": ("x",)} == declared("fallback(print, method='x')")
    assert {"max_atempts": (3,)} == declared("retry(max_atempts=3)")
    assert {"value": ("2s",)} == declared("timeout('2s', '3s')")
    assert {} == declared("retry('x')")


def test_unset_is_not_written() -> None:
    """UNSET is the same as nothing; in one branch, the attribute is only perhaps written."""
    assert {} == declared("retry(delay=UNSET)")
    (found,) = written(linked(f"{IMPORTS}shared = retry(delay=UNSET if x else '1s')\n"))
    slot = found.declaration.slots["delay"]
    assert (("1s",), False) == (slot.values, slot.certain)


@pytest.mark.parametrize(
    ("call", "closed", "names"),
    [
        ("retry(delay='1s')", True, ["delay"]),
        ("retry(delay='1s', **options)", False, ["delay"]),
        ("retry(**{'delay': '1s', 'jitter': None})", True, ["delay", "jitter"]),
        ("retry(**{'delay': '1s', **more})", False, ["delay"]),
        ("retry(**{name: '1s'})", False, []),
        ("timeout(*args)", False, []),
        ("order(*layers)", True, ["layers"]),
    ],
)
def test_options(call: str, closed: bool, names: list[str]) -> None:
    """What may be written in `**options` leaves the declaration open."""
    (found,) = written(linked(f"{IMPORTS}shared = {call}\n"))
    assert (closed, names) == (found.declaration.closed, list(found.declaration.slots))


def test_layers() -> None:
    """`order` takes its layers as one attribute, which stands from the first to the last."""
    (found,) = written(linked(f"{IMPORTS}shared = order(Layer.RETRY, Layer.TIMEOUT, Layer.RETRY)\n"))
    retry, timeout = Member("Layer", "RETRY"), Member("Layer", "TIMEOUT")
    expected = Slot((Items((retry, timeout, retry)),), At("acme/app.py", 2, 16, 2, 55))
    assert {"layers": expected} == found.declaration.slots
    assert {"layers": (Items((retry,), closed=False),)} == declared("order(Layer.RETRY, *others)")
    assert {"layers": (Items(()),)} == declared("order()")


def test_places() -> None:
    """A declaration stands where its call does, an attribute where its value does."""
    (found,) = written(
        linked(f"{IMPORTS}shared = retry(\n    delay='1s',\n    retry_on=(\n        OSError,\n    ),\n)\n")
    )
    at = found.declaration.at
    slots = found.declaration.slots
    assert At("acme/app.py", 2, 10, 7, 2) == at
    assert At("acme/app.py", 3, 11, 3, 15) == slots["delay"].at
    assert At("acme/app.py", 4, 14, 6, 6) == slots["retry_on"].at


def test_every_attribute_kind_is_covered() -> None:
    """A new kind of attribute has to be thought about: whether it expects an object with a name."""
    assert 13 == len(AttributeKind)


def test_values_are_never_guessed() -> None:
    """A file that cannot be linked to anything still gives its own values."""
    found = extract("a.py", b"import resilience4cata as r\nx = r.retry(delay=y.z)\n", "", False)
    assert isinstance(found, FileFacts)
    assert isinstance(UNKNOWN, Unknown)
    assert "x" == found.sites[0].variable
