"""What is extracted of whole modules: after a reload, in composed policies and variables, and of whom."""

from __future__ import annotations

import importlib

from resilience4cata.facts import Applied, At, Composed, NotAPolicy, Slot, Written

from ..live import Application


class TestReload:
    SOURCE = """
        from resilience4cata import retry

        @retry(max_attempts=-1)
        class Client:
            @retry(max_attempts=0)
            def call(self): ...

        @retry(max_attempts=-1)
        def load(): ...
        """

    def test_the_new_definition_replaces_the_old(self, app: Application) -> None:
        module = app.load("acme", self.SOURCE)
        old = (module.Client, module.load)
        assert ["R4C-VA-001"] * 3 == [d.code for d in app.diagnostics("acme")]
        app.write("acme.py", self.SOURCE.replace("=0", "=1").replace("=-1", "=2"))
        importlib.reload(module)
        assert () == app.diagnostics("acme")
        assert ["acme.Client", "acme.Client.call", "acme.load"] == sorted(app.elements("acme"))
        del old

    def test_policies_that_are_gone(self, app: Application) -> None:
        """The old class still lives, but nobody reaches it."""
        module = app.load("acme", self.SOURCE)
        old = module.Client
        app.write("acme.py", "class Client:\n    def call(self): ...\n")
        importlib.reload(module)
        assert {"acme.load"} == set(app.elements("acme"))
        del old

    def test_hidden_by_an_opaque_decorator(self, app: Application) -> None:
        """Neither is reachable: the one recorded last counts."""
        source = """
        from resilience4cata import retry
        kept = globals().get("kept", [])
        def opaque(function):
            kept.append(function)
            return lambda: function()

        @opaque
        @retry(max_attempts=0)
        def load(): ...
        """
        module = app.load("acme", source)
        app.write("acme.py", source.replace("=0", "=1"))
        importlib.reload(module)
        assert () == app.diagnostics("acme")
        assert 2 == len(module.kept)


def test_composed(app: Application) -> None:
    app.load(
        "policies",
        """
        from resilience4cata import resilience_policy, retry, timeout

        base = timeout("1s")
        inner = resilience_policy("inner", retry(max_attempts=3))
        outer = resilience_policy("outer", inner, base, timeout, 5, retry(delay="1s"))
        class Policies:
            slow = resilience_policy("slow", timeout("9s"))
        unused = retry(delay="7s")
        """,
    )
    app.load(
        "acme",
        """
        from policies import outer, Policies, outer as again

        @outer
        def load(): ...

        @Policies.slow
        def slow(): ...
        """,
    )
    extraction = app.extraction("acme", "policies")
    composed = {c.name.value: c for c in extraction.composed}
    outer, inner, slow = composed["outer"], composed["inner"], composed["slow"]
    assert ("policies.outer", "policies.inner", "policies.Policies.slow") == tuple(
        c.variable for c in (outer, inner, slow)
    )
    assert At("policies.py", 5, 9, 5, 79) == outer.at
    assert Slot(("outer",), At("policies.py", 5, 27, 5, 34)) == outer.name
    assert outer.members[0] == inner
    assert NotAPolicy("timeout", At("policies.py", 5, 49, 5, 56)) == outer.members[2]
    assert NotAPolicy("5", At("policies.py", 5, 58, 5, 59)) == outer.members[3]
    element = {e.definition.id: e for e in extraction.elements}["acme.load"]
    assert (Applied(outer, At("acme.py", 3, 2, 3, 7)),) == element.definition.decorators
    written = [v for v in extraction.views if isinstance(v, Written)]
    found = {(w.declaration.policy, *(s.value for s in w.declaration.slots.values()), w.within) for w in written}
    assert {
        ("timeout", "1s", ""),
        ("retry", 3, 'resilience_policy("inner")'),
        ("retry", "1s", 'resilience_policy("outer")'),
        ("timeout", "9s", 'resilience_policy("slow")'),
        ("retry", "7s", ""),
    } == found
    assert 3 == len([v for v in extraction.views if isinstance(v, Composed)])


def test_policies_in_variables_are_judged_where_they_are_made(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry, order, Layer
        shared = retry(max_attempts=0)

        @shared
        def one(): ...
        @shared
        def two(): ...
        @order(Layer.RETRY, Layer.FALLBACK)
        def three(): ...
        found = retry(delay="5")(len)
        """,
    )
    assert [("acme.py", 2, 29), ("acme.py", 8, 8), ("acme.py", 10, 21)] == [
        (d.at.source, d.at.line, d.at.column) for d in app.diagnostics("acme")
    ]
    three = app.elements("acme")["acme.three"].policies[0]
    assert (At("acme.py", 8, 2, 8, 36), At("acme.py", 8, 8, 8, 35)) == (
        three.policy.at,
        three.policy.slots["layers"].at,  # type: ignore[union-attr]
    )


def test_chosen_modules_only(app: Application) -> None:
    for name in ("one", "two"):
        app.load(name, "from resilience4cata import retry\n@retry(max_attempts=0)\ndef call(): ...")
    assert ["one.call"] == list(app.elements("one"))
    assert ["one.py"] == [d.at.source for d in app.diagnostics("one")]


def test_lazy_proxies_are_not_woken(app: Application) -> None:
    """A module full of proxies that work only within a request is looked at without asking them anything."""
    app.load(
        "acme",
        """
        from resilience4cata import retry, fallback

        class Proxy:
            @property
            def __class__(self): raise RuntimeError("working outside of request context")
            @property
            def __dict__(self): raise RuntimeError("working outside of request context")
            def __getattr__(self, name): raise RuntimeError("working outside of request context")
            def __eq__(self, other): raise RuntimeError("working outside of request context")
            def __repr__(self): raise RuntimeError("working outside of request context")
            __hash__ = None

        current = Proxy()

        @retry(name=current)
        @fallback(method="curent")
        def call(): ...

        class Client:
            current = current
            @fallback(method="curent")
            def call(self): ...
        """,
    )
    assert ["R4C-FB-002", "R4C-FB-002"] == [d.code for d in app.diagnostics("acme")]
