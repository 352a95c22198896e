"""The nine layers: each beats the one below, and says so."""

from typing import Any

import pytest

from resilience4cata.config.description import Description, description_of
from resilience4cata.config.environment import Names
from resilience4cata.config.origin import Layer, Origin
from resilience4cata.config.resolve import Resolver
from resilience4cata.config.sources import (
    ConfigSource,
    EnvironmentSource,
    FileSource,
    OptionsSource,
    PackageSource,
    in_precedence,
    load,
)
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import NOWHERE, At, ConfigFile, Override, Project, Template
from resilience4cata.records import replace
from tests.runtime.config.making import cls, composed, files, method, policy

ID = "acme.Client#find"


def stack(height: int) -> Project:
    """A project in which the first `height` layers above the built-in one give `delay`, each its own number."""
    bundle = composed("own-bundle", policy("retry", **at_most(height, 10)), line=30)
    class_bundle = composed("bundle", policy("retry", **at_most(height, 5)), line=20)
    owner = cls("acme.Client", class_bundle, policy("retry", line=40, config="t", **at_most(height, 7)), line=40)
    element = method("acme.Client.find", bundle, policy("retry", line=50, **at_most(height, 12)), line=50)
    lines = [
        (1, "resilience4cata.defaults.retry.delay"),
        (2, "resilience4cata.configs.t.retry.delay"),
        (3, "resilience4cata.profiles.prod.defaults.retry.delay"),
        (4, "resilience4cata.profiles.prod.configs.t.retry.delay"),
        (6, "bundle/retry/delay"),
        (8, "acme.Client/retry/delay"),
        (11, "own-bundle/retry/delay"),
        (13, f"resilience4cata.instances.{ID}.retry.delay"),
        (14, f"resilience4cata.profiles.prod.instances.{ID}.retry.delay"),
    ]
    text = "resilience4cata.configs.t.retry.multiplier=3\n" + "\n".join(
        f"{key}={number}ms" for number, key in lines if number <= height
    )
    sources = files(a_properties=text)
    overrides = (Override(ID, At("app.py", 90, 1), (policy("retry", line=90, **at_most(height, 15)),)),)
    return Project(
        elements=(owner, element),
        templates=templates_of(sources),
        files=sources,
        templates_closed=True,
        overrides=overrides,
    )


def at_most(height: int, number: int) -> dict[str, Any]:
    return {"delay": f"{number}ms"} if number <= height else {}


TEXTS = {
    0: "built-in default",
    1: "defaults (a.properties:2)",
    2: "configs.t (a.properties:3)",
    3: "defaults (prod profile, a.properties:4)",
    4: "configs.t (prod profile, a.properties:5)",
    5: 'resilience_policy("bundle") (app.py:1)',
    6: "bundle/retry/delay (a.properties:6)",
    7: "@retry on acme.Client (app.py:40)",
    8: "acme.Client/retry/delay (a.properties:7)",
    10: 'resilience_policy("own-bundle") (app.py:1)',
    11: "own-bundle/retry/delay (a.properties:8)",
    12: "@retry on acme.Client.find (app.py:50)",
    13: f"instances.{ID} (a.properties:9)",
    14: f"instances.{ID} (prod profile, a.properties:10)",
    15: f'builder.instance("{ID}") (app.py:90)',
}


@pytest.mark.parametrize(("height", "text"), TEXTS.items())
def test_each_layer_beats_the_one_below(height: int, text: str) -> None:
    """The strongest counts, all others are shadowed in order, and each says where it stands."""
    project = stack(height)
    found = Resolver.of(project, ("prod",)).resolve(project.elements[1])["retry", "delay"]
    assert ("100ms" if height == 0 else f"{height}ms", text) == (found.value, found.origin.text)
    below = [number for number in TEXTS if number < height]
    assert [TEXTS[number] for number in reversed(below)] == [given.origin.text for given in found.shadowed]
    layers = [given.origin.layer for given in found.shadowed]
    assert sorted(layers, reverse=True) == layers


def test_an_unwritten_attribute_hides_nothing() -> None:
    """A policy at every level that writes something else leaves the template's value."""
    project = stack(15)
    found = Resolver.of(project).resolve(project.elements[1])["retry", "multiplier"]
    assert (3, "configs.t (a.properties:1)") == (found.value, found.origin.text)


def test_locked() -> None:
    """A locked instance ignores layer 8, not 9."""
    project = replace(stack(14), locked=(ID,))
    found = Resolver.of(project, ("prod",)).resolve(project.elements[1])["retry", "delay"]
    assert "12ms" == found.value
    project = replace(stack(15), locked=(ID,))
    found = Resolver.of(project, ("prod",)).resolve(project.elements[1])["retry", "delay"]
    assert ("15ms", Layer.OVERRIDE, Layer.METHOD_DIRECT) == (
        found.value,
        found.origin.layer,
        found.shadowed[0].origin.layer,
    )


@pytest.mark.parametrize(
    ("lines", "locked"),
    [
        (("true",), True),
        (("false",), False),
        (("true", "false"), False),
        (("false", "true"), True),
    ],
)
def test_the_last_source_locks_or_unlocks(lines: tuple[str, ...], locked: bool) -> None:
    texts = {f"f{i}_properties": f"resilience4cata.instances.{ID}.locked={line}" for i, line in enumerate(lines)}
    project = stack(13)
    project = replace(project, files=(*project.files, *files(**texts)))
    found = Resolver.of(project).resolve(project.elements[1])["retry", "delay"]
    assert ("12ms" if locked else "13ms") == found.value


def test_both_spellings_of_an_instance() -> None:
    """With slashes and without they are one layer: the later one counts."""
    key = f"resilience4cata.instances.{ID}.retry.delay=1ms"
    slashes = "acme.Client/find/retry/delay=2ms"
    for first, second, expected in ((key, slashes, "2ms"), (slashes, key, "1ms")):
        project = stack(12)
        project = replace(project, files=files(a_properties=f"{first}\n{second}"), templates=(Template("t", At("")),))
        assert expected == Resolver.of(project).resolve(project.elements[1])["retry", "delay"].value


def test_a_class_key_of_a_class_that_writes_nothing() -> None:
    """It has what it inherits, and its key reaches that."""
    base = cls("acme.Base", policy("retry", delay="1ms"))
    element = method("acme.Sub.find", bases=("acme.Base",))
    sources = files(a_properties="acme.Sub/retry/delay=2ms\nacme.Sub/timeout/value=3s")
    project = Project(elements=(base, element), files=sources, templates_closed=True)
    found = Resolver.of(project).resolve(element)
    assert ("2ms", Layer.CLASS_KEY) == (found["retry", "delay"].value, found["retry", "delay"].origin.layer)
    assert ("timeout", "value") not in found


def test_lists_are_replaced() -> None:
    """A list of a stronger layer takes the place of a weaker one's, whole."""
    text = (
        "resilience4cata.configs.a.retry.retry-on=OSError, KeyError\n"
        "resilience4cata.configs.b.extends=a\n"
        "resilience4cata.configs.b.retry.retry-on=ValueError\n"
    )
    sources = files(a_properties=text)
    element = method("acme.C.m", policy("retry", config="b"))
    project = Project(elements=(element,), files=sources, templates=templates_of(sources), templates_closed=True)
    found = Resolver.of(project).resolve(element)["retry", "retry_on"]
    assert "retry_on=ValueError <- configs.b (a.properties:3)" == str(
        description_of(element, Resolver.of(project)).of("retry")["retry_on"]
    )
    assert 2 == len(found.shadowed)


class Own:
    """Somebody's own source."""

    def load(self) -> ConfigFile:
        return ConfigFile("own")


def test_precedence_of_sources() -> None:
    """Options beat the environment, which beats files and own sources in their order, which beat packages."""
    options, environment = OptionsSource({}), EnvironmentSource({})
    first, second, own, package = FileSource("a.toml"), FileSource("b.toml"), Own(), PackageSource("acme", "c.toml")
    given: list[ConfigSource] = [options, first, environment, own, package, second]
    assert (package, first, own, second, environment, options) == in_precedence(given)


def test_options_beat_environment_beat_files() -> None:
    """The same key everywhere, in one resolution."""
    element = method("acme.C.m", policy("retry"))
    key, variable = "resilience4cata.defaults.retry.delay", "RESILIENCE4CATA_DEFAULTS_RETRY_DELAY"
    sources: list[ConfigSource] = [OptionsSource({key: "3ms"}), EnvironmentSource({variable: "2ms"}, Names())]
    (file,) = files(a_properties=f"{key}=1ms")
    loaded = [file, *(load(source) for source in in_precedence(sources))]
    texts = []
    for height in (3, 2, 1):
        project = Project(elements=(element,), files=tuple(loaded[:height]), templates_closed=True)
        texts.append(str(description_of(element, Resolver.of(project)).of("retry")["delay"]))
    assert [
        "delay=3ms <- defaults (-X)",
        "delay=2ms <- defaults (env)",
        "delay=1ms <- defaults (a.properties:1)",
    ] == texts


def test_description() -> None:
    """All of it, printed."""
    bundle = composed("external-call", policy("timeout", value="2s"), policy("bulkhead", max_concurrent=5, name="pool"))
    element = method("acme.Client.find", bundle, policy("retry", line=9, config="external", max_attempts=4), line=9)
    text = (
        "resilience4cata.configs.external.retry.delay=50ms\n"
        "resilience4cata.profiles.prod.configs.external.retry.delay=30ms\n"
        "external-call/timeout/value=3s\n"
        "resilience4cata.order=RETRY, FALLBACK, BULKHEAD, TIMEOUT"
    )
    sources = files(a_properties=text)
    project = Project(elements=(element,), files=sources, templates=templates_of(sources), templates_closed=True)
    found = description_of(element, Resolver.of(project, ("prod",)))
    assert isinstance(found, Description)
    assert ("retry", "bulkhead", "timeout") == found.layers
    lines = str(found).splitlines()
    assert ["acme.Client#find", "  retry -> bulkhead -> timeout -> the function", "  retry"] == lines[:3]
    assert "    max_attempts=4 <- @retry on acme.Client.find (app.py:9)" in lines
    assert "    delay=30ms <- configs.external (prod profile, a.properties:2)" in lines
    assert "    jitter=FULL <- built-in default" in lines
    assert "    retry_on=Exception <- built-in default" in lines
    assert "  bulkhead (instance 'pool')" in lines
    assert "    value=3s <- external-call/timeout/value (a.properties:3)" in lines
    assert not any("classifier" in line or "config=" in line for line in lines)
    assert ["50ms", "100ms"] == [value for value, _ in found.of("retry")["delay"].shadowed]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("FALLBACK, TIMEOUT, RETRY", "fallback timeout retry"),
        ("TIMEOUT", "fallback retry timeout"),
        ("TIMEOUT, FALLBACK", "timeout retry fallback"),
    ],
)
def test_order(order: str, expected: str) -> None:
    """Layers that are not named keep their places."""
    element = method("acme.C.m", policy("timeout"), policy("retry"), policy("fallback"))
    sources = files(a_properties=f"resilience4cata.order={order}")
    project = Project(elements=(element,), files=sources, templates_closed=True)
    assert expected == " ".join(description_of(element, Resolver.of(project)).layers)


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (Origin(Layer.DEFAULTS, "", At("env X")), "defaults (env)"),
        (Origin(Layer.TEMPLATE, "external", At("-X resilience4cata.x"), "prod"), "configs.external (prod profile, -X)"),
        (Origin(Layer.OVERRIDE, "payments", At("a.py", 3, 1)), 'builder.instance("payments") (a.py:3)'),
        (Origin(Layer.PROFILE_DEFAULTS, "", NOWHERE, "p"), "defaults (p profile)"),
        (Origin(Layer.METHOD_COMPOSED, "x", At("a.py", 3, 1)), 'resilience_policy("x") (a.py:3)'),
        (Origin(Layer.INSTANCE, "payments", At("a.toml", 3, 1)), "instances.payments (a.toml:3)"),
        (Origin(Layer.CLASS_KEY, "a.C/retry/delay"), "a.C/retry/delay"),
    ],
)
def test_origin_in_words(origin: Origin, expected: str) -> None:
    """Layer, name, profile and place."""
    assert expected == origin.text
