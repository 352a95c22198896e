"""Keys that name what stands in the code: instances, classes and dotted paths, as far as the linter can follow."""

from pathlib import Path

import pytest

from resilience4cata_lint.engine import analyse
from resilience4cata_lint.options import load
from tests.lint.folder import write


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    write("pyproject.toml")
    return here


def check(*paths: str) -> list[str]:
    """Place, code and words of each finding."""
    report = analyse(list(paths) or ["."], load(["."]))
    assert [] == report.failures
    return [f"{d.place} {d.code.removeprefix('R4C-')} {d.message}" for d in report.diagnostics]


CLIENT = """\
from resilience4cata import retry


class Client:
    @retry(max_attempts=2)
    def find(self, id: str) -> str: ...

    def other(self) -> None: ...
"""


def instance(id: str, table: str = 'retry = { delay = "1s" }') -> None:
    write("resilience4cata.toml", f'[resilience4cata.instances."{id}"]\n{table}\n')


def test_an_instance() -> None:
    """One that is there, one that is not, and a method without policies."""
    write("acme/__init__.py")
    write("acme/client.py", CLIENT)
    instance("acme.client.Client#find")
    assert [] == check()
    instance("acme.client.Client#fnd")
    assert ["resilience4cata.toml:1:28 CFG-009 acme.client.Client has no 'fnd'"] == check()
    instance("acme.client.Client#other")
    assert ["resilience4cata.toml:2:1 CFG-010 acme.client.Client.other declares no policies"] == check()
    instance("acme.client.Client#find", 'timeout = { value = "1s" }')
    assert ["resilience4cata.toml:2:1 CFG-010 acme.client.Client.find declares no timeout"] == check()


def test_only_for_the_whole_project() -> None:
    """A part of it may lack what the key means, and so may a project of which a file cannot be read."""
    write("acme/__init__.py")
    write("acme/client.py", CLIENT)
    instance("acme.client.Clint#find")
    assert ["resilience4cata.toml:1:28 CFG-009 no instance 'acme.client.Clint#find' is declared"] == check()
    assert [] == check("acme/client.py")
    write("acme/broken.py", "import resilience4cata\ndef (:\n")
    report = analyse(["."], load(["."]))
    assert ["error", "warning"] == sorted(d.severity.value for d in report.diagnostics)


@pytest.mark.parametrize(
    "source",
    [
        "from corp import guarded\n\n\n@guarded\nclass Client:\n    def find(self) -> None: ...\n",
        "from corp import guarded\n\n\nclass Client:\n    @guarded\n    def find(self) -> None: ...\n",
        (
            "from corp import guarded\nfrom resilience4cata import retry\n\n\n"
            "@guarded\nclass Client:\n    @retry(max_attempts=2)\n    def find(self) -> None: ...\n"
        ),
        (
            "from corp import Base\nfrom resilience4cata import retry\n\n\n"
            "class Client(Base):\n    @retry(max_attempts=2)\n    def find(self) -> None: ...\n"
        ),
        (
            "from corp import guarded\nfrom resilience4cata import retry\n\n\n"
            "@guarded\nclass Base: ...\n\n\nclass Client(Base):\n    @retry(max_attempts=2)\n    def find(self): ...\n"
        ),
    ],
)
def test_policies_of_others(source: str) -> None:
    """A decorator from outside may be a composed policy that the key tunes."""
    write("acme/__init__.py")
    write("acme/client.py", source)
    write("acme/also.py", CLIENT)
    instance("acme.client.Client#find", 'timeout = { value = "1s" }')
    assert [] == check()


USER = "from resilience4cata import retry\n\n\n@retry(config='x')\ndef f() -> None: ...\n"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("acme.errors.Broken", None),
        ("acme.errors.Nested.Inner", None),
        ("acme.errors.Borken", "'acme.errors.Borken' leads nowhere: 'acme.errors' has no 'Borken'"),
        ("acme.erors.Broken", "'acme.erors.Broken' leads nowhere: 'acme' has no 'erors'"),
        ("acme.dynamic.Anything", None),
        ("acme.stars.Broken", None),
        ("acme.stars.ValueEror", "'acme.stars.ValueEror' leads nowhere: 'acme.stars' has no 'ValueEror'"),
        ("requests.ConectionError", None),
        ("smtplib.SMTPConectError", "'smtplib.SMTPConectError' leads nowhere: 'smtplib' has no 'SMTPConectError'"),
        ("ValueEror", "'ValueEror' leads nowhere: there is no 'ValueEror'"),
        ("Broken", "'Broken' leads nowhere: there is no 'Broken'"),
    ],
)
def test_paths(path: str, said: str | None) -> None:
    """Into the project and the interpreter; nobody knows what third parties have."""
    write("acme/__init__.py")
    write("acme/errors.py", "class Broken(Exception): ...\n\n\nclass Nested:\n    class Inner(Exception): ...\n")
    write("acme/dynamic.py", "def __getattr__(name: str) -> object: ...\n")
    write("acme/stars.py", "from acme.errors import *\n")
    write("acme/user.py", USER)
    write("resilience4cata.yaml", f"resilience4cata:\n  configs:\n    x:\n      retry:\n        retry-on: {path}\n")
    assert ([] if said is None else [f"resilience4cata.yaml:5:19 CFG-017 {said}"]) == check()


def test_classes_of_the_project_are_known() -> None:
    """A list in a file is judged like one in code: a base of the denied type, a class that is no exception."""
    write("acme/__init__.py")
    write("acme/errors.py", "class Broken(Exception): ...\n\n\nclass Plain: ...\n")
    write("acme/user.py", USER)
    text = "[resilience4cata.configs.x.retry]\nretry-on = 'acme.errors.Plain'\n"
    write("resilience4cata.toml", text)
    assert ["resilience4cata.toml:2:12 CFG-012 Plain in 'retry-on' is not an exception type"] == check()


def test_a_listed_file_that_is_missing() -> None:
    """At the entry of the list, with what stands beside it; it is no reason to report anything else."""
    write("conf/production.toml")
    write("pyproject.toml", '[tool.r4c]\nconfig-files = [\n    "conf/prodution.toml",\n]\n')
    write("a.py", USER)
    report = analyse(["."], load(["."]))
    (found,) = report.diagnostics
    assert ("pyproject.toml:3:5", "R4C-CFG-016", ("conf/production.toml",)) == (
        found.place,
        found.code,
        found.suggestions,
    )
