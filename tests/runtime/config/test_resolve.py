"""Effective settings, layer by layer."""

import pytest

from resilience4cata.config.layers import Surroundings, writes_of
from resilience4cata.config.origin import Effective, Layer, Origin, describe
from resilience4cata.config.resolve import element_id, locked_instances, resolve
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import (
    NOWHERE,
    UNKNOWN,
    At,
    Declaration,
    Element,
    Items,
    Member,
    Project,
    Ref,
    Slot,
    Template,
    Value,
)
from resilience4cata.records import replace
from tests.runtime.config.making import cls, composed, files, function, method, policy, project

SAMPLE = """
[resilience4cata.defaults.retry]
delay = "1ms"
multiplier = 3
[resilience4cata.configs.base.retry]
delay = "2ms"
max-attempts = 4
max-duration = "9s"
[resilience4cata.configs.external]
extends = "base"
retry.max-attempts = 5
[resilience4cata.profiles.prod.defaults.retry]
delay = "3ms"
[resilience4cata.profiles.prod.configs.base.retry]
max-duration = "8s"
[resilience4cata.profiles.eu.configs.external.retry]
max-attempts = 6
"""


def value(element: Element, within: Project, attribute: str, *profiles: str, of: str = "retry") -> Value:
    return resolve(element, within, profiles)[of, attribute].value


def values(element: Element, within: Project, *profiles: str) -> dict[str, Value]:
    wanted = ("delay", "max_attempts", "max_duration", "multiplier")
    found = resolve(element, within, profiles)
    return {name: found["retry", name].value for name in wanted}


def test_built_in_defaults() -> None:
    """Every setting of each declared policy, nothing of others, defaults as facts."""
    found = resolve(method("a.C.m", policy("retry")), project())
    assert {"retry"} == {name for name, _ in found}
    shown = {attribute: effective.value for (_, attribute), effective in found.items()}
    exception = ("builtins.Exception", "builtins.BaseException", "builtins.object")
    assert {
        "max_attempts": 3,
        "delay": "100ms",
        "backoff": Member("Backoff", "EXPONENTIAL"),
        "multiplier": 2,
        "max_delay": "10s",
        "jitter": Member("Jitter", "FULL"),
        "max_duration": "0",
        "retry_on": Ref("builtins.Exception", True, exception),
        "abort_on": Items(()),
        "classifier": None,
        "on_exhausted_result": Member("OnExhausted", "RETURN"),
        "budget": None,
        "enabled": True,
    } == shown
    assert {Layer.BUILT_IN} == {effective.origin.layer for effective in found.values()}


@pytest.mark.parametrize(
    ("written", "attribute", "expected"),
    [
        (policy("circuit_breaker", window_size=5), "minimum_calls", 5),
        (policy("circuit_breaker", window_size=50), "minimum_calls", 10),
        (policy("circuit_breaker", window_size=5, minimum_calls=7), "minimum_calls", 7),
        (policy("circuit_breaker", window_size=UNKNOWN), "minimum_calls", UNKNOWN),
        (policy("circuit_breaker", wait_in_open="7s"), "half_open_max_wait", "7s"),
        (policy("circuit_breaker"), "slow_call_duration", None),
        (policy("circuit_breaker", slow_call_rate_threshold=80), "slow_call_duration", "60s"),
        (policy("circuit_breaker", slow_call_duration="4s"), "slow_call_rate_threshold", 100),
        (policy("circuit_breaker", slow_call_duration=UNKNOWN), "slow_call_rate_threshold", UNKNOWN),
        (policy("retry", delay="30s"), "max_delay", "30s"),
        (policy("retry", delay="nonsense"), "max_delay", UNKNOWN),
        (policy("adaptive_limit", initial_limit=500), "max_limit", 500),
        (policy("adaptive_limit", initial_limit=500), "min_limit", 1),
        (policy("adaptive_limit", initial_limit=UNKNOWN), "max_limit", UNKNOWN),
    ],
)
def test_defaults_give_way(written: Declaration, attribute: str, expected: Value) -> None:
    """An unwritten default gives way to a written neighbour."""
    assert expected == value(method("a.C.m", written), project(), attribute, of=written.policy)


@pytest.mark.parametrize(
    ("config", "profiles", "expected"),
    [
        (None, (), ("1ms", 3, "0", 3)),
        ("base", (), ("2ms", 4, "9s", 3)),
        ("external", (), ("2ms", 5, "9s", 3)),
        ("external", ("prod",), ("3ms", 5, "8s", 3)),
        ("external", ("prod", "eu"), ("3ms", 6, "8s", 3)),
        (None, ("prod",), ("3ms", 3, "0", 3)),
        ("external", ("unknown",), ("2ms", 5, "9s", 3)),
        ("nowhere", (), (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        (UNKNOWN, (), (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
    ],
)
def test_files(config: Value, profiles: tuple[str, ...], expected: tuple[Value, ...]) -> None:
    """Defaults, templates root first, then the active profiles' tree over both."""
    written = policy("retry") if config is None else policy("retry", config=config)
    element = method("a.C.m", written)
    found = values(element, project(element, sources=files(a_toml=SAMPLE)), *profiles)
    assert expected == tuple(found.values())


def test_later_files_win() -> None:
    """Within one layer the later source counts."""
    first = "[resilience4cata.configs.x.retry]\ndelay='1s'\nmax-attempts=2"
    second = "resilience4cata.configs.x.retry.delay=2s\nresilience4cata.configs.x.extends=y\n"
    third = "resilience4cata.configs.y.retry.max-duration=3s"
    element = method("a.C.m", policy("retry", config="x"))
    within = project(element, sources=files(a_toml=first, b_properties=second, c_properties=third))
    assert ("2s", 2, "3s", 2) == tuple(values(element, within).values())


def test_a_profile_may_extend_otherwise() -> None:
    """`extends` in an active profile replaces the template's own."""
    other = "[resilience4cata.configs.other.retry]\ndelay='7ms'\n"
    text = f"{SAMPLE}{other}[resilience4cata.profiles.x.configs.external]\nextends='other'"
    element = method("a.C.m", policy("retry", config="external"))
    within = project(element, sources=files(a_toml=text))
    assert ("7ms", 5, "0", 3) == tuple(values(element, within, "x").values())


@pytest.mark.parametrize(
    "text",
    [
        "[resilience4cata.configs]\nx.extends='y'\ny.extends='x'",
        "[resilience4cata.configs]\nx.extends='x'",
        "[resilience4cata.configs]\nx.extends='nowhere'",
    ],
)
def test_templates_that_lead_nowhere(text: str) -> None:
    """A circle and an unknown parent leave everything open that the element does not write."""
    element = method("a.C.m", policy("retry", config="x", delay="1s"))
    within = project(element, sources=files(a_toml=text))
    assert ("1s", UNKNOWN, UNKNOWN, UNKNOWN) == tuple(values(element, within).values())


def test_unknown_sources() -> None:
    """Where a source is not known or broken, only what code writes is known."""
    element = method("a.C.m", policy("retry", delay="1s"))
    assert ("1s", UNKNOWN) == tuple(values(element, project(element, known=False)).values())[:2]
    broken = project(element, sources=files(a_toml="x = "))
    assert ("1s", UNKNOWN) == tuple(values(element, broken).values())[:2]


def test_code_defaults_and_templates() -> None:
    """What code gives as defaults and templates is weaker than what files say."""
    element = method("a.C.m", policy("retry", config="x"))
    template = Template("x", NOWHERE, (policy("retry", max_attempts=8, delay="8ms"), policy("timeout", value="1s")))
    sources = files(
        a_properties="resilience4cata.defaults.retry.multiplier=4\nresilience4cata.configs.x.retry.delay=9ms"
    )
    within = Project(
        elements=(element,),
        files=sources,
        templates=(template, *templates_of(sources)),
        templates_closed=True,
        defaults=(policy("retry", multiplier=5, max_duration="5s"),),
    )
    assert ("9ms", 8, "5s", 4) == tuple(values(element, within).values())


def test_class_and_method_levels() -> None:
    """Method beats class, direct beats composed, attribute by attribute."""
    bundle = composed("bundle", policy("retry", delay="1ms", max_attempts=11, max_duration="1s", multiplier=1.5))
    other = composed("other", policy("retry", max_duration="3s", multiplier=3))
    owner = cls("a.C", bundle, policy("retry", max_attempts=12))
    element = method("a.C.m", other, policy("retry", multiplier=4))
    within = project(owner, element)
    assert ("1ms", 12, "3s", 4) == tuple(values(element, within).values())
    layers = [Layer.CLASS_COMPOSED, Layer.CLASS_DIRECT, Layer.METHOD_COMPOSED, Layer.METHOD_DIRECT]
    found = resolve(element, within)
    assert layers == [
        found["retry", name].origin.layer for name in ("delay", "max_attempts", "max_duration", "multiplier")
    ]
    assert ("1ms", 12, "1s", 1.5) == tuple(values(owner, within).values())


@pytest.mark.parametrize(
    "element", [method("a.C._m", policy("bulkhead")), method("a.C.m", policy("bulkhead"), "resilience4cata.unguarded")]
)
def test_methods_that_the_class_does_not_guard(element: Element) -> None:
    """Private methods and unguarded ones have only what they write."""
    within = project(cls("a.C", policy("retry")), element)
    assert {"bulkhead"} == {name for name, _ in resolve(element, within)}


def test_family_and_class_keys() -> None:
    """A family's key beats what the composed policy says, and loses to what is written directly, at each level."""
    bundle = composed("bundle", policy("retry", delay="1ms", max_attempts=2), policy("timeout", value="1s"))
    text = (
        "bundle/retry/delay=9ms\nbundle/retry/max-attempts=9\nbundle/hedge/delay=1s\n"
        "a.C/retry/max-duration=7s\na.C/retry/max-attempts=7\na.C/bulkhead/max-concurrent=1\n"
    )
    owner = cls("a.C", bundle, policy("retry", max_attempts=3, max_duration="3s"))
    element = method("a.C.m", policy("bulkhead"))
    within = project(owner, element, sources=files(a_properties=text))
    assert ("9ms", 7, "7s", 2) == tuple(values(element, within).values())
    assert 25 == value(element, within, "max_concurrent", of="bulkhead")
    assert ("hedge", "delay") not in resolve(element, within)


def test_nested_composed_policies() -> None:
    """What the outer one writes beats what it brings along; keys reach their own family."""
    inner = composed("inner", policy("retry", delay="1ms", max_attempts=2, max_duration="2s"))
    outer = composed("outer", inner, policy("retry", max_attempts=3))
    text = "inner/retry/max-attempts=8\ninner/retry/delay=8ms\nouter/retry/max-duration=9s"
    element = method("a.C.m", outer)
    assert ("8ms", 3, "9s", 2) == tuple(values(element, project(element, sources=files(a_properties=text))).values())


def test_a_composed_policy_of_unknown_name() -> None:
    """Any family's keys may reach it."""
    element = method("a.C.m", composed(UNKNOWN, policy("retry", delay="1s")), policy("retry", max_attempts=2))
    assert ("1s", 2) == tuple(values(element, project(element)).values())[:2]
    within = project(element, sources=files(a_properties="x/retry/multiplier=3"))
    assert (UNKNOWN, 2) == tuple(values(element, within).values())[:2]


def test_an_open_template() -> None:
    """What a template in code may say beside what is seen is not known."""
    element = method("a.C.m", policy("retry", config="x", delay="1s"))
    template = Template("x", NOWHERE, (policy("retry", closed=False, max_attempts=4),))
    within = Project(elements=(element,), templates=(template,), templates_closed=True)
    assert ("1s", 4, UNKNOWN, UNKNOWN) == tuple(values(element, within).values())


def test_composed_policies_that_disagree() -> None:
    """What two of them give differently is not known, unless it is written directly."""
    one, two = (
        composed(n, policy("retry", delay=d, max_attempts=2, max_duration=d)) for n, d in (("a", "1s"), ("b", "2s"))
    )
    element = method("a.C.m", one, two, policy("retry", max_duration="3s"))
    assert (UNKNOWN, 2, "3s", 2) == tuple(values(element, project(element)).values())


@pytest.mark.parametrize(
    "element",
    [
        method("a.C.m", policy("retry", max_attempts=2), known=False),
        method("a.C.m", composed("x", UNKNOWN), policy("retry", max_attempts=2)),
        method("a.C.m", composed("x", closed=False), policy("retry", max_attempts=2)),
        method("a.C.m", policy("retry", max_attempts=2), bases=None),
        method("a.C.m", policy("retry", max_attempts=2, closed=False)),
    ],
)
def test_what_is_not_seen(element: Element) -> None:
    """Unknown decorators, members, bases and options leave open what is not written above them."""
    found = values(element, project(element))
    assert UNKNOWN is found["delay"]
    assert 2 == found["max_attempts"]


def test_an_uncertain_slot() -> None:
    """One that may not be written, or has several values, is not known."""
    certain = policy("retry", delay="1s", max_attempts=2)
    slots = dict(certain.slots)
    slots["delay"] = Slot(("1s",), NOWHERE, certain=False)
    slots["max_attempts"] = Slot((2, 3), NOWHERE)
    element = method("a.C.m", replace(certain, slots=slots))
    assert (UNKNOWN, UNKNOWN, "0", 2) == tuple(values(element, project(element)).values())


def test_inheritance() -> None:
    """Class level comes from bases too; a method's policies only from an abstract base, or when taken over."""
    base = cls("a.B", policy("retry", max_attempts=3, delay="3s"))
    sub = cls("a.C", policy("retry", max_attempts=4), bases=("a.B",))
    element = method("a.C.m", policy("retry", multiplier=9), bases=("a.B",))
    assert ("3s", 4, "0", 9) == tuple(values(element, project(base, sub, element)).values())
    abstract = method("a.B.m", policy("retry", max_duration="7s", multiplier=7), abstract=True)
    assert ("3s", 4, "7s", 9) == tuple(values(element, project(base, sub, element, abstract)).values())
    concrete = method("a.B.m", policy("retry", max_duration="7s"))
    assert "0" == value(element, project(base, sub, element, concrete), "max_duration")
    taking = method("a.C.m", policy("retry", multiplier=9), "resilience4cata.inherit_policies", bases=("a.B",))
    assert "7s" == value(taking, project(base, sub, taking, concrete), "max_duration")
    unknown = method("a.C._m", policy("retry"), "resilience4cata.inherit_policies", bases=None)
    assert UNKNOWN is value(unknown, project(unknown), "delay")


INSTANCES = """
resilience4cata.instances.payments.retry.delay=9s
resilience4cata.instances.payments.timeout.value=9s
resilience4cata.profiles.p.instances.payments.retry.delay=8s
resilience4cata.instances.free.retry.delay=7s
resilience4cata.instances.free.locked=true
a.C/m/retry/delay=6s
a.C/m/timeout/value=6s
"""


def test_instances() -> None:
    """Layer 8 outranks code; it is reached by the name, or by the id where there is no name."""
    within = project(sources=files(a_properties=INSTANCES))
    named = method("a.C.m", policy("retry", name="payments", delay="1s"), policy("timeout", value="1s"))
    assert "9s" == value(named, within, "delay")
    assert "8s" == value(named, within, "delay", "p")
    assert "6s" == value(named, within, "value", of="timeout")
    own = method("a.C.m", policy("retry", delay="1s"))
    assert "6s" == value(own, within, "delay")
    assert "1s" == value(method("a.C.m", policy("retry", name="free", delay="1s")), within, "delay")
    unknown = method("a.C.m", policy("retry", name=UNKNOWN, delay="1s", max_attempts=2))
    assert (UNKNOWN, 2) == (value(unknown, within, "delay"), value(unknown, within, "max_attempts"))


def test_instance_that_is_not_known() -> None:
    """It may be the element's own or a shared one, not another function's; a timeout shares none."""
    unknown = method("a.C.m", policy("retry", name=UNKNOWN, delay="1s"))
    for key, expected in (("a.C/m", UNKNOWN), ("instances.shared", UNKNOWN), ("a.C/n", "1s")):
        line = f"{key}/retry/delay=6s" if "/" in key else f"resilience4cata.{key}.retry.delay=6s"
        assert expected == value(unknown, project(sources=files(a_properties=line)), "delay")
    doubtful = Element(method("a.C.m", policy("timeout", value="1s")).definition, unknown.scope, classes_known=False)
    for name, expected in (("a.C/m", "6s"), ("a.C/n", "1s")):
        found = project(sources=files(a_properties=f"{name}/timeout/value=6s"))
        assert expected == value(doubtful, found, "value", of="timeout")


def test_provenance() -> None:
    """Each value says where it comes from and what it shadowed."""
    element = method("a.C.m", policy("retry", line=3, config="external", multiplier=9))
    found = resolve(element, project(element, sources=files(a_toml=SAMPLE)), ("eu",))
    attempts = found["retry", "max_attempts"]
    assert Origin(Layer.PROFILE_TEMPLATE, "external", At("a.toml", 17, 16, 17, 17), "eu") == attempts.origin
    assert [5, 4, 3] == [given.value for given in attempts.shadowed]
    assert "max_attempts=6 <- configs.external (eu profile, a.toml:17)" == describe(
        "max_attempts", attempts.origin, "6"
    )
    texts = [found["retry", name].origin.text for name in ("delay", "multiplier", "jitter", "config")]
    assert [
        "configs.base (a.toml:6)",
        "@retry on a.C.m (app.py:3)",
        "built-in default",
        "@retry on a.C.m (app.py:3)",
    ] == texts


def test_ids() -> None:
    """A method's and a function's own instance; a class has none."""
    assert "a.C#m" == element_id(method("a.C.m"))
    assert "a#f" == element_id(function("a.f"))
    assert element_id(cls("a.C")) is None


def test_locked() -> None:
    """Only what is locked with `true`."""
    text = "instances.a.b#c.locked=true", "instances.d.locked=false", "strict=true"
    lines = "\n".join(f"resilience4cata.{line}" for line in text)
    assert {"a.b#c"} == set(locked_instances(project(sources=files(a_properties=lines))))


def test_writes_are_in_order() -> None:
    """From the weakest to the strongest."""
    bundle = composed("x", policy("retry", delay="1s"))
    element = method("a.C.m", policy("retry", delay="2s"), bundle)
    writes = writes_of(element, Surroundings.of(project(element)))
    assert ["1s", "2s"] == [w.given.value for w in writes if w.given and w.attribute == "delay"]


def test_a_function_has_no_class() -> None:
    """The module's id is no class's."""
    element = function("a.f", policy("timeout", value="2s"))
    found = resolve(element, project(element))["timeout", "value"]
    assert Effective("2s", Origin(Layer.METHOD_DIRECT, "@timeout on a.f", At("app.py", 1, 10)), found.shadowed) == found
