"""Keys of single methods that their class guards: which of them miss, and what their values do to its policies."""

from __future__ import annotations

import pytest

from tests.lint.effective_project import diagnostics, found

pytestmark = pytest.mark.usefixtures("here")

CODE = """\
from resilience4cata import bulkhead, circuit_breaker, retry, timeout, unguarded


@retry(max_duration="5s")
@timeout("1s")
class Client:
    def charge(self) -> None: ...

    def refund(self) -> None: ...

    @staticmethod
    def fixed() -> None: ...

    @classmethod
    def made(cls) -> None: ...

    async def later(self) -> None: ...

    @bulkhead(max_concurrent=3)
    def held(self) -> None: ...

    def twice(self) -> None: ...

    def twice(self) -> None: ...

    def _private(self) -> None: ...

    @property
    def balance(self) -> int:
        return 1

    @unguarded
    def free(self) -> None: ...

    @timeout("2s")
    class Inner:
        def ask(self) -> None: ...
"""
BELOW = """\
from resilience4cata import circuit_breaker

from app import Client


class Plain(Client):
    def charge(self) -> None: ...

    def more(self) -> None: ...


@circuit_breaker()
class Guarded(Client):
    def charge(self) -> None: ...
"""
RIGHT = (
    *(f"app.Client#{name}" for name in ("charge", "refund", "fixed", "made", "later", "held", "twice")),
    *("app.Client.Inner#ask", "below.Plain#charge", "below.Plain#more"),
    *(f"below.Guarded#{name}" for name in ("charge", "refund", "fixed", "made", "later", "held", "twice")),
)


def key(id: str, policy: str = "timeout.value", value: str = '"2s"') -> str:
    """A file that sets one value for one instance."""
    return f'[resilience4cata.instances."{id}"]\n{policy} = {value}\n'


def said(toml: str, code: str = CODE) -> list[str]:
    """Code and message of what is found in the file."""
    every = diagnostics(code, toml, below=BELOW)
    return [f"{d.code} {d.message}" for d in every if d.at.source == "resilience4cata.toml"]


@pytest.mark.parametrize("id", RIGHT)
def test_right_key(id: str) -> None:
    """Every method that is guarded has an id, whether it is written, redefined or wrapped again for a subclass."""
    assert [] == said(key(id))


@pytest.mark.parametrize("id", RIGHT)
def test_policy_that_the_method_has_not(id: str) -> None:
    """A key adds no policy to a method of a class."""
    assert [f"R4C-CFG-010 {id.replace('#', '.')} declares no rate_limiter"] == said(
        key(id, "rate-limiter.permits", "3")
    )


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("app.Client#chrge", "R4C-CFG-009 app.Client has no 'chrge'"),
        ("app.Client.Inner#charge", "R4C-CFG-009 app.Client.Inner has no 'charge'"),
        ("below.Plain#moore", "R4C-CFG-009 below.Plain has no 'moore'"),
        ("below.Plain#held", "R4C-CFG-009 'held' of below.Plain is the one that it inherits from app.Client"),
        ("below.Plain#made", "R4C-CFG-009 'made' of below.Plain is the one that it inherits from app.Client"),
        ("app.Client#_private", "R4C-CFG-010 app.Client._private declares no policies"),
        ("app.Client#balance", "R4C-CFG-010 app.Client.balance declares no policies"),
        ("app.Client#free", "R4C-CFG-010 app.Client.free declares no policies"),
        ("app.Client#Inner", "R4C-CFG-009 no instance 'app.Client#Inner' is declared"),
        ("app.Client#Inner.ask", "R4C-CFG-009 no instance 'app.Client#Inner.ask' is declared"),
        ("app.Client#Inner/ask", "R4C-CFG-009 no instance 'app.Client#Inner/ask' is declared"),
    ],
)
def test_what_is_not_guarded(id: str, message: str) -> None:
    """A key of anything else misses."""
    assert [message] == said(key(id))


@pytest.mark.parametrize(
    ("id", "help"),
    [
        (
            "app.Client#Inner",
            "'app.Client.Inner' is a class: name one of its methods, or begin with 'app.Client.Inner/' for all of them",
        ),
        ("app.Client#Inner.ask", "did you mean 'app.Client.Inner#ask'?"),
        ("app.Client#Inner/ask", "did you mean 'app.Client.Inner#ask'?"),
        ("app.Client/Inner#ask", "did you mean 'app.Client.Inner#ask'?"),
    ],
)
def test_wrong_separator(id: str, help: str) -> None:
    """What a nested class is meant by is told in the words of `build()`."""
    told = f"no instance '{id}' is declared; {help}"
    assert [told] == [d.line.partition(": ")[2] for d in diagnostics(CODE, key(id))]


def test_value_that_is_none() -> None:
    """A value is judged as anywhere else."""
    assert ['R4C-CFG-012 "2" has no unit'] == said(key("app.Client#charge", value='"2"'))


TOO_LONG = "R4C-TB-001 timeout 9s is not shorter than max_duration 5s: one attempt may use up the time of all, on {}"


@pytest.mark.parametrize("id", [id for id in RIGHT if "Inner" not in id])
def test_value_against_the_policies_of_the_class(id: str) -> None:
    """What a key sets for one method meets what its class writes."""
    assert [TOO_LONG.format(id.replace("#", "."))] == said(key(id, value='"9s"'))


def test_place_and_words() -> None:
    """It is told at the value, and the method is shown."""
    (diagnostic,) = diagnostics(CODE, key("app.Client#charge", value='"9s"'))
    assert diagnostic.text == (
        'resilience4cata.toml:2:17: warning: [R4C-TB-001] instances."app.Client#charge".timeout.value:\n'
        "    timeout 9s is not shorter than max_duration 5s: one attempt may use up the time of all, "
        "on app.Client.charge\n"
        "    max_duration bounds all attempts and waits together\n"
        '    app.py:4:21: max_duration is "5s"\n'
        "    app.py:7:9: it counts for app.Client.charge"
    )


def test_what_the_class_has_itself_is_not_repeated() -> None:
    """A fault of the class is its own, and no method's; a key that leaves it as it is changes nothing."""
    code = CODE.replace('"1s"', '"6s"')
    assert ["app.py:5:10 TB-001"] == found(code, key("app.Client#charge", "retry.delay", '"1ms"'))
    assert ["app.py:5:10 TB-001"] == found(code, key("app.Client#charge", value='"1s"'))


def test_key_of_a_class_without_policies() -> None:
    """A key of a subclass tunes what that inherits, and several of its methods share the finding."""
    toml = '[resilience4cata]\n"below.Plain/timeout/value" = "9s"\n'
    assert [TOO_LONG.format("below.Plain.charge and 1 more")] == said(toml)
    assert ["app.py:4:21 TB-001"] == found(CODE, toml.replace("below.Plain", "app.Client"))


def test_call_of_a_builder() -> None:
    """What code sets for one method counts in the same way."""
    code = f"{CODE}\n\nfrom resilience4cata import Resilience\n"
    code += 'Resilience.builder().instance("app.Client#charge", timeout("9s"))\n'
    assert [] == found(code)
    assert ["resilience4cata.toml:2:17 TB-001"] == found(CODE, key("app.Client#charge", value='"9s"'))


def test_override_of_an_abstract_method() -> None:
    """It has the policies of what it implements, also those on a method of a protocol that does something."""
    head = (
        "from abc import ABC, abstractmethod\nfrom typing import Protocol\nfrom resilience4cata import retry, timeout\n"
    )
    policies = "    @retry(max_duration='5s')\n    @timeout('1s')\n"
    abstract = f"class Port(ABC):\n    @abstractmethod\n{policies}    def send(self) -> None: ...\n"
    protocol = f"class Port(Protocol):\n{policies}    def send(self) -> None:\n        print()\n"
    for port in (abstract, protocol):
        code = f"{head}{port}class Post(Port):\n    def send(self) -> None: ...\n"
        assert [TOO_LONG.format("app.Post.send")] == said(key("app.Post#send", value='"9s"'), code)


def test_other_name_of_a_method() -> None:
    """The class guards a method under each name that its body gives it."""
    code = CODE.replace("    async def later", "    paid = charge\n\n    async def later")
    assert [] == said(key("app.Client#paid"), code)
    assert ["R4C-CFG-009 app.Client has no 'payd'"] == said(key("app.Client#payd"), code)
