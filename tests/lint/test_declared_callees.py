"""Callees that annotations tell: parameters, attributes, fields and variables of a class whose methods are retried."""

import pytest

from tests.lint.effective_project import found

pytestmark = pytest.mark.usefixtures("here")

CLIENT = """\
from abc import ABC, abstractmethod
from typing import Protocol

from resilience4cata import retry


class Client:
    @retry(max_attempts=3)
    def get(self, id: str) -> str:
        return id


class Base(ABC):
    @abstractmethod
    @retry(max_attempts=3)
    def get(self, id: str) -> str: ...


class Reader(Protocol):
    @retry(max_attempts=3)
    def get(self, id: str) -> str: ...


client: Client = eval("Client()")
"""
HEAD = """\
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Optional, Union
import client
from client import Base, Client, Reader
from resilience4cata import retry
"""
METHOD = "    @retry(max_attempts=2)\n    def find(self) -> str:\n        return self.c.get('1')\n"


def _service(init: str, decorator: str = "") -> str:
    return f"{decorator}class Service:\n{init}{METHOD}"


def _given(annotation: str, value: str = "c") -> str:
    return _service(f"    def __init__(self, c: {annotation} = None):\n        self.c = {value}\n")


def _function(parameter: str, body: str = "    return c.get('1')\n") -> str:
    return f"@retry(max_attempts=2)\ndef find({parameter}):\n{body}"


def _codes(code: str, **modules: str) -> list[str]:
    lines = found(HEAD + code, "", client=CLIENT, **modules)
    return [line.rpartition(" ")[2] for line in lines if "SRC" not in line]


@pytest.mark.parametrize(
    "code",
    [
        _given("Client"),
        _given("'Client'"),
        _given("client.Client"),
        _given("Optional[Client]"),
        _given("Client | None", "c or Client()"),
        _given("Client | None", "c if c is not None else Client()"),
        _given("Union[None, 'Client']"),
        _given("Annotated[Client, 'given']"),
        _service("    c: Client\n"),
        _service("    c: Final[Client]\n"),
        _service("    c: ClassVar[Client]\n"),
        _service("    c: 'Client'\n", "@dataclass(frozen=True)\n"),
        _service("    c: Client | None = None\n", "@dataclass\n"),
        _service("    def __init__(self, c):\n        self.c: Client = c\n"),
        "class Above:\n    c: Client\n" + _service("").replace("Service", "Service(Above)"),
        _function("c: Client"),
        _function("*, c: 'Client | None' = None"),
        _function("x", "    c: Client = x()\n    return c.get('1')\n"),
        "shared: Client = eval('Client()')\n" + _function("", "    return shared.get('1')\n"),
        "from client import client as shared\n" + _function("", "    return shared.get('1')\n"),
        "if TYPE_CHECKING:\n    from client import Client as Checked\n" + _function("c: 'Checked'"),
    ],
)
def test_declared(code: str) -> None:
    """The method of the class that is named is the one that is called."""
    assert ["NE-001"] == _codes(code)


@pytest.mark.parametrize(
    "code",
    [
        # What is abstract, or a protocol, says nothing of what is called in its place.
        _given("Base"),
        _given("Reader"),
        # One of several, or a collection of them.
        _given("Client | Base"),
        _given("list[Client]"),
        _given("type[Client]"),
        _function("*c: Client"),
        # A subclass that overrides the method may be what is given.
        "class Faked(Client):\n    def get(self, id): return ''\n" + _given("Client"),
        # Bound again, patched, or replaced by a decorator that nobody knows.
        _function("c: Client", "    c = input()\n    return c.get('1')\n"),
        _service("    c: Client\n    @property\n    def c(self): return 1\n"),
        _given("Client") + "Service.c = 1\n",
        "@eval('x')\nclass Other(Client): ...\n" + _given("Other"),
    ],
)
def test_silent(code: str) -> None:
    """What may be another method is not known."""
    assert [] == [code for code in _codes(code) if code == "NE-001"]


def test_protocol_beside_its_only_implementation() -> None:
    """Who implements a protocol need not say so, so that nobody knows how many do."""
    code = "class Only:\n    @retry(max_attempts=3)\n    def get(self, id: str) -> str: return id\n"
    assert [] == _codes(code + _given("Reader"))


def test_instance_entered_twice() -> None:
    """Rules that follow calls see through annotations, too."""
    code = "from resilience4cata import bulkhead\nclass Store:\n    @bulkhead(name='db')\n    def get(self): ...\n"
    code += "class Service:\n    def __init__(self, store: Store):\n        self.store = store\n"
    code += "    @bulkhead(name='db')\n    def find(self): return self.store.get()\n"
    assert ["IN-005"] == _codes(code)


def test_attempts_under_a_timeout_further_out() -> None:
    """So does the rule about attempts that a caller's timeout ends."""
    code = "from resilience4cata import timeout\nclass Store:\n    @timeout('3s')\n    @retry(max_attempts=2)\n"
    code += "    async def get(self): ...\n@timeout('5s')\nasync def find(store: Store): return await store.get()\n"
    assert ["TB-002"] == _codes(code)


def test_objects_outside_stay_unknown() -> None:
    """A subclass of a session may well have a timeout of its own, so that its annotation says nothing."""
    code = "import requests\nfrom resilience4cata import timeout\n"
    code += "@timeout('3s')\nasync def load(session: requests.Session): return session.get('x')\n"
    assert [] == _codes(code)
