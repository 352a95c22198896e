"""Which policy a name means, over imports, re-exports, scopes and branches; and when nobody can say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from resilience4cata.facts import UNKNOWN, Foreign

from .linking import applied, composed, element, elements, linked, written


def policies(text: str, name: str = "f", **modules: str) -> list[str]:
    """The policies on the function `name` of `acme.app`; other modules by name with `__` for dots."""
    others = {module.replace("__", "."): dedent(content) for module, content in modules.items()}
    project = linked({"acme.app": dedent(text), **others})
    return applied(project, name) if any(id_.endswith(f".{name}") for id_ in elements(project)) else []


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from resilience4cata import retry", "retry()"),
        ("from resilience4cata import retry as again", "again()"),
        ("from resilience4cata import *", "retry()"),
        ("import resilience4cata", "resilience4cata.retry()"),
        ("import resilience4cata as r", "r.retry()"),
        ("import resilience4cata.policies", "resilience4cata.policies.retry()"),
        ("import resilience4cata.policies as p", "p.retry()"),
        ("from resilience4cata import policies", "policies.retry()"),
        ("from resilience4cata.policies import retry", "retry()"),
        ("from resilience4cata.policies.retry import retry", "retry()"),
        ("from resilience4cata.policies.retry import Retry", "Retry()"),
        ("from resilience4cata.policies import Retry", "Retry()"),
        ("if True:\n    from resilience4cata import retry", "retry()"),
        ("try:\n    from resilience4cata import retry\nexcept ImportError:\n    raise", "retry()"),
        ("from resilience4cata import retry as one\nagain = one\ntwice = again", "twice()"),
        ("import resilience4cata as r\nagain = r.retry", "again()"),
        ("from resilience4cata import retry\nfrom resilience4cata import retry", "retry()"),
        (
            "if x:\n    from resilience4cata import retry\nelse:\n    from resilience4cata.policies import retry",
            "retry()",
        ),
        ("from resilience4cata import retry\nshared = retry(max_attempts=2)", "shared"),
        ("from resilience4cata import retry\nclass Policies:\n    slow = retry()", "Policies.slow"),
    ],
)
def test_ours(imports: str, call: str) -> None:
    """However the library is imported, the decorator is ours."""
    assert ["retry"] == policies(f"{imports}\n\n@{call}\ndef f(): ...\n")


@pytest.mark.parametrize(
    "text",
    [
        "from tenacity import retry\n@retry()\ndef f(): ...",
        "def retry(): ...\n@retry()\ndef f(): ...",
        "class retry: ...\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\nfrom tenacity import retry\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\nretry = wrap(retry)\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\ndel retry\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\nif x:\n    retry = None\n@retry()\ndef f(): ...",
        "try:\n    from resilience4cata import retry\nexcept ImportError:\n    retry = None\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\nfor retry in x: ...\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\ndef make(retry):\n    @retry()\n    def f(): ...",
        "from resilience4cata import retry\ndef make():\n    retry = other\n    @retry()\n    def f(): ...",
        "from resilience4cata import retry\ndef make():\n    @retry()\n    def f(): ...\n    retry = 1",
        "from resilience4cata import retry\ndef make():\n    global retry\n    retry = 1\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\nclass C:\n    def retry(self): ...\n    @retry()\n    def f(self): ...",
        "from resilience4cata import *\nfrom tenacity import *\n@retry()\ndef f(): ...",
        "from resilience4cata import nothing\n@nothing()\ndef f(): ...",
        "from resilience4cata import retry\n@retry().other\ndef f(): ...",
        "from resilience4cata import retry\nfrom functools import partial\n@partial(retry)()\ndef f(): ...",
        "from resilience4cata import retry\n@(lambda f: f)\ndef f(): ...",
    ],
)
def test_not_ours(text: str) -> None:
    """What is shadowed, rebound or somebody else's is left alone."""
    assert [] == policies(text)


@pytest.mark.parametrize(
    "text",
    [
        # A method of that name is only bound when its definition has run.
        "from resilience4cata import retry\nclass C:\n    @retry()\n    def f(self): ...\n    def retry(self): ...",
        # A class body's names are not seen by the functions in it.
        (
            "from resilience4cata import retry\nclass C:\n    retry = 1\n"
            "    def g(self):\n        @retry()\n        def f(): ..."
        ),
        "from resilience4cata import retry\n@retry()\ndef f(): ...\nretry = None",
        "from resilience4cata import retry\ndef make():\n    @retry()\n    def f(): ...",
        "def make():\n    from resilience4cata import retry\n    @retry()\n    def f(): ...",
        "from resilience4cata import retry\nx = [retry for retry in y]\n@retry()\ndef f(): ...",
        "from resilience4cata import retry\ndef make():\n    def inner(retry): ...\n    @retry()\n    def f(): ...",
        "from tenacity import *\nfrom resilience4cata import *\n@retry()\ndef f(): ...",
        "retry = None\nfrom resilience4cata import retry\n@retry()\ndef f(): ...",
    ],
)
def test_what_does_not_shadow(text: str) -> None:
    """Scopes and the order of statements count as they do for Python."""
    assert ["retry"] == policies(text)


def test_re_exports() -> None:
    """Names are followed through modules of the project, over any number of hops."""
    chain = {
        "acme.one": "from resilience4cata import retry as again, timeout\nshared = again(max_attempts=2)\n",
        "acme.two": "from .one import *\n",
        "acme.three": "from acme import two\nfrom acme.two import again as repeat\n__all__ = ['repeat', 'two']\n",
        "acme": "from acme.three import *\n",
        "acme.app": dedent("""
            import acme
            import acme.one as first
            from acme import repeat
            from acme.two import shared

            @repeat(max_attempts=2)
            def a(): ...
            @acme.two.timeout("1s")
            def b(): ...
            @first.shared
            def c(): ...
            @shared
            def d(): ...
            """),
    }
    project = linked(chain)
    assert [["retry"], ["timeout"], ["retry"], ["retry"]] == [applied(project, name) for name in "abcd"]


def test_star_imports_respect_all() -> None:
    """`from x import *` binds what `__all__` lists, else what has no leading underscore."""
    listed = "from resilience4cata import retry, timeout\n__all__ = ['retry']\n"
    text = "from acme.x import *\n@retry()\ndef f(): ...\n@timeout()\ndef g(): ...\n"
    assert ["retry"] == policies(text, acme__x=listed)
    assert [] == policies(text, "g", acme__x=listed)
    hidden = "from resilience4cata import retry as _retry\n"
    assert [] == policies("from acme.x import *\n@_retry()\ndef f(): ...\n", acme__x=hidden)
    computed = "from resilience4cata import retry\n__all__ = other.__all__ + ['retry']\n"
    assert [] == policies("from acme.x import *\n@retry()\ndef f(): ...\n", acme__x=computed)


def test_circles_end() -> None:
    """Modules and names that lead back to themselves are unknown."""
    circle = {
        "acme.a": "from acme.b import *\nfrom acme.b import x\n",
        "acme.b": "from acme.a import *\nfrom acme.a import x\n",
    }
    text = "from acme.a import *\nfrom acme.b import x\nimport resilience4cata as r\ny = z\nz = y\n"
    project = linked({**circle, "acme.app": f"{text}@x\n@y\n@missing\n@r.retry()\ndef f(): ...\n"})
    assert ["retry"] == applied(project, "f")


def test_long_chains_end() -> None:
    """A thousand names that stand for one another do not exhaust the stack."""
    chain = "".join(f"a{i + 1} = a{i}\n" for i in range(1000))
    text = f"from resilience4cata import retry as a0\n{chain}@a1000()\n@a3()\ndef f(): ...\n"
    assert ["retry"] == policies(text)


def test_submodules_are_found_on_demand() -> None:
    """Modules that never name the library come from the loader."""
    project = linked(
        {
            "acme.app": (
                "import acme.defaults\nfrom resilience4cata import timeout\n@timeout(acme.defaults.SLOW)\ndef f(): ..."
            )
        },
        beside={"acme.defaults": "SLOW = '10s'\n", "acme": ""},
    )
    assert ("10s",) == written(project)[0].declaration.slots["value"].values


def test_two_files_of_one_name() -> None:
    """Where two files claim to be one module, its names are not known."""
    text = "from resilience4cata import retry\nshared = retry()\n"
    project = linked({"acme.app": "from acme.x import shared\n@shared\ndef f(): ...\n", "acme.x": text})
    assert ["retry"] == applied(project, "f")


FOREIGN = """
import abc, functools, contextlib
import typing as t
import resilience4cata as r
from functools import cached_property as cp
from typing_extensions import override
from resilience4cata import unguarded, inherit_policies as inherit
from resilience4cata.policies.recording import unguarded as free
from acme.own import local, Deco
from flask import Flask
app = Flask()

class C:
    @property
    @cp
    @abc.abstractmethod
    @functools.lru_cache(maxsize=1)
    @t.overload
    @override
    @unguarded
    @inherit
    @free
    @r.unguarded
    @local
    @Deco(1)
    @app.route("/x")
    @undefined
    @r.retry()
    def f(self): ...
"""


def test_foreign_decorators() -> None:
    """Decorators that are not ours go by their full names."""
    project = linked({"acme.app": FOREIGN, "acme.own": "def local(f): return f\nclass Deco: ...\n"})
    names = [d.name for d in element(project, "f").definition.decorators if isinstance(d, Foreign)]
    expected = [
        "builtins.property",
        "functools.cached_property",
        "abc.abstractmethod",
        "functools.lru_cache",
        "typing.overload",
        "typing.override",
        "resilience4cata.unguarded",
        "resilience4cata.inherit_policies",
        "resilience4cata.unguarded",
        "resilience4cata.unguarded",
        "acme.own.local",
        "acme.own.Deco",
        UNKNOWN,
        UNKNOWN,
    ]
    # Python 3.11 has no typing.override.
    assert expected == [name if name != "typing_extensions.override" else "typing.override" for name in names]


def test_composed_policies_across_modules() -> None:
    """A composed policy is the same wherever it is used, and its variable is where it is defined."""
    text = (
        "from acme.policies import external as ext\nimport acme.policies as p\n"
        "@ext\ndef f(): ...\n@p.external()\ndef g(): ...\n"
    )
    project = linked(
        {
            "acme.policies": "from resilience4cata import *\nexternal = resilience_policy('ext', retry())\n",
            "acme.app": text,
        }
    )
    (made,) = composed(project)
    assert "acme.policies.external" == made.variable
    uses = [element(project, name).policies[0] for name in "fg"]
    assert [(made, False), (made, True)] == [(use.policy, use.called_again) for use in uses]
