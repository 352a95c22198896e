"""Keys of a nested class or its method with the wrong separator, told by `build()`; `test_tuned_methods` has the
linter's."""

from __future__ import annotations

import pytest

from ..live import Application

_CODE = """
    from resilience4cata import timeout

    class Outer:
        @timeout("2s")
        class Deep:
            def ask(self) -> None: ...
    """
_METHOD = "did you mean 'nested.Outer.Deep#ask'?"
_CLASS = "'nested.Outer.Deep' is a class: name one of its methods, or begin with 'nested.Outer.Deep/' for all of them"


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("Outer#Deep", _CLASS),
        ("Outer/Deep", _CLASS),
        ("Outer#Deep.ask", _METHOD),
        ("Outer#Deep/ask", _METHOD),
        ("Outer#Deep#ask", _METHOD),
        ("Outer.Deep/ask", _METHOD),
        ("Outer/Deep/ask", _METHOD),
    ],
)
def test_instance(name: str, help: str, app: Application) -> None:
    """The whole id is one name, and another is meant."""
    told = f"no instance 'nested.{name}' is declared; {help}"
    toml = f'[resilience4cata.instances."nested.{name}"]\ntimeout.value = "3s"\n'
    assert [f'r.toml:1:28 R4C-CFG-009 instances."nested.{name}".timeout.value: {told}'] == said(app, toml)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("Outer/Deep", f"no instance 'nested.Outer#Deep' is declared; {_CLASS}"),
        ("Outer/Deep.ask", "no instance 'nested.Outer#Deep.ask' is declared; begin with 'nested.Outer.Deep/ask/'"),
    ],
)
def test_key_with_slashes(key: str, told: str, app: Application) -> None:
    """The class around it stands before the slash, as a class without policies."""
    toml = f'[resilience4cata]\n"nested.{key}/timeout/value" = "3s"\n'
    assert [f"r.toml:2:2 R4C-CFG-009 nested.{key}/timeout/value: {told}"] == said(app, toml)


@pytest.mark.parametrize(
    "toml",
    [
        '[resilience4cata.instances."nested.Outer.Deep#ask"]\ntimeout.value = "3s"\n',
        '[resilience4cata]\n"nested.Outer.Deep/ask/timeout/value" = "3s"\n',
        '[resilience4cata]\n"nested.Outer.Deep/timeout/value" = "3s"\n',
    ],
)
def test_right_key(toml: str, app: Application) -> None:
    """Dots lead to the class, and one separator to its method."""
    assert [] == said(app, toml)


def said(app: Application, toml: str) -> list[str]:
    """Place, code and words of all that `build()` reports."""
    app.load("nested", _CODE)
    app.write("r.toml", toml)
    return [f"{d.place} {d.code} {d.line}" for d in app.diagnostics("nested", sources=("r.toml",))]
