"""What the linter knows about types: what is certain from the names of built-in ones, and nothing else."""

from __future__ import annotations

import pytest

from resilience4cata.facts import Definition, Ref, TypeFact
from resilience4cata_lint.oracle import LintTypes

from .linking import IMPORTS, element, linked

BEFORE = "import typing as t\nfrom acme.m import *\n"


def facts(source: str, target: str) -> tuple[TypeFact, TypeFact]:
    """The facts of two annotations."""
    text = f"{BEFORE}{IMPORTS}@retry()\ndef f(source: {source}, target: {target}): ...\n"
    signature = element(
        linked({"acme.app": text, "acme.m": "class A: ...\nclass B(A): ...\n"}), "f"
    ).definition.signature
    assert signature is not None
    first, second = (parameter.type for parameter in signature.parameters)
    assert first is not None
    assert second is not None
    return first, second


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("str", "str", True),
        ("str", "int", False),
        ("bool", "int", True),
        ("int", "bool", False),
        ("int", "float", True),
        ("float", "int", False),
        ("int", "complex", True),
        ("str", "bytes", False),
        ("None", "str", False),
        ("str", "None", False),
        ("None", "None", True),
        ("str", "object", True),
        ("None", "object", True),
        ("object", "int", False),
        ("object", "str | None", False),
        ("object", "A", None),
        ("object", "OSError", False),
        ("int", "OSError", False),
        ("OSError", "str | None", False),
        ("FileNotFoundError", "IOError", True),
        ("Exception", "OSError", False),
        ("OSError", "KeyError | Exception", True),
        ("OSError", "A", None),
        ("A", "OSError", None),
        ("ExceptionGroup[OSError]", "OSError", None),
        ("list[A]", "list[A]", True),
        ("list[B]", "list[A]", None),
        ("list[A]", "list", True),
        ("list", "list[A]", None),
        ("list[A]", "tuple[A, ...]", False),
        ("tuple[A, ...]", "list[A]", False),
        ("t.List[A]", "list[A]", True),
        ("t.Dict[str, int]", "set[str]", False),
        ("tuple[int, str]", "tuple[int, int]", False),
        ("tuple[int]", "tuple[int, int]", False),
        ("tuple[int, B]", "tuple[int, A]", None),
        ("tuple[int, ...]", "tuple[int, int]", None),
        ("str", "str | None", True),
        ("str | None", "str", False),
        ("t.Optional[str]", "t.Union[None, str]", True),
        ("int", "str | bytes", False),
        ("int", "str | A", None),
        ("A", "A", True),
        ("B", "A", None),
        ("A", "B", None),
        ("A", "str", None),
        ("str", "A", None),
        ("str", "t.Any", None),
        ("t.Any", "str", None),
        ("str", "t.Iterable[str]", None),
        ("str", "T", None),
        ("t.Literal['a']", "str", None),
        ("t.Annotated[str, 1]", "int", False),
        ("Unknown", "str", None),
        ("list[Unknown]", "str", False),
    ],
)
def test_assignable(source: str, target: str, expected: bool | None) -> None:
    """Only certain differences count."""
    assert expected is LintTypes().assignable(*facts(source, target))


def test_without_handles_nothing_is_known() -> None:
    """Types of other front ends, or none at all."""
    assert None is LintTypes().assignable(TypeFact("str"), TypeFact("int"))


def test_looking_into_references() -> None:
    """Classes and functions of the project can be looked into, others cannot."""
    text = (
        f"{IMPORTS}class Own(FallbackHandler[int]):\n"
        "    def apply(self, context): return 1\ndef function(): ...\n"
        "@retry()\ndef f(): ...\n"
    )
    project = linked({"acme.app": text, "acme": "from acme.app import Own as Other\n"})
    scope = project.oracle.class_scope(Ref("acme.app.Own"))
    assert scope is not None
    apply = scope.lookup("apply")
    assert isinstance(apply, Definition)
    assert "acme.app.Own.apply" == apply.id
    function = project.oracle.definition(Ref("acme.app.function"))
    assert function is not None
    assert "acme.app.function" == function.id
    assert None is project.oracle.class_scope(Ref("acme.app.function"))
    assert None is project.oracle.class_scope(Ref("builtins.OSError"))
    assert None is project.oracle.definition(Ref("acme.app.nothing"))
    assert None is project.oracle.type_argument(
        Ref("acme.app.Own"), "resilience4cata.policies.fallback.FallbackHandler"
    )
    assert None is LintTypes().class_scope(Ref("acme.app.Own"))
    assert None is LintTypes().definition(Ref("acme.app.function"))
