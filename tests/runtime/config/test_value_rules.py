"""CFG: values that do not fit their key or one another, word for word."""

import pytest

from resilience4cata.facts import Ref
from tests.runtime.config.judging import about_values, of_files, properties, toml
from tests.runtime.config.making import files


@pytest.mark.parametrize(
    ("line", "message", "suggestions", "expected"),
    [
        ("defaults.retry.delay=2s ", '"2s " is not a duration: blanks are not allowed, at character 3', ("2s",), None),
        ("defaults.retry.delay=1500", '"1500" has no unit', ("1500s", "1500ms"), None),
        ("defaults.retry.delay=-1s", '"-1s" is negative', (), None),
        ("defaults.timeout.value=0", "timeout cannot be zero", (), None),
        ("defaults.retry.delay=999999999d", '"999999999d" is longer than 2^63-1 nanoseconds', (), None),
        ("defaults.retry.delay=", "the value is empty", (), None),
        ("defaults.retry.retry-on=", "the value is empty", (), None),
        ("defaults.retry.delay=\\u0020", "the value is empty", (), None),
        ("configs.x.extends=", "the value is empty", (), None),
        ("enabled=", "the value is empty", (), None),
        (
            "defaults.retry.max-attempts=0",
            "0 is out of range: 'max-attempts' must be a whole number, at least 1",
            (),
            None,
        ),
        ("defaults.retry.max-attempts=x", "\"x\" is no value for 'max-attempts'", (), "a whole number"),
        ("defaults.retry.enabled=True", "\"True\" is no value for 'enabled'", ("true",), "true or false"),
        ("defaults.retry.enabled=1", "\"1\" is no value for 'enabled'", (), "true or false"),
        ("defaults.retry.jitter=full", '"full" is no member of Jitter', ("FULL",), ""),
        ("defaults.retry.jitter=x", '"x" is no member of Jitter', (), "NONE | FULL | EQUAL"),
        ("defaults.retry.retry-on=int", "int in 'retry-on' is not an exception type", (), None),
        ("defaults.retry.retry-on=OSError, no path", "\"no path\" in 'retry-on' is not an exception type", (), None),
        ("defaults.order.layers=RETRY, TIMEOT", '"TIMEOT" is no member of Layer', ("TIMEOUT",), ""),
        ("order=FALBACK", '"FALBACK" is no member of Layer', ("FALLBACK",), ""),
        ("strict=yes", "\"yes\" is no value for 'strict'", (), "true or false"),
        ("instances.x.locked=True", "\"True\" is no value for 'locked'", ("true",), ""),
        ("offload.max-workers=0", "0 is out of range: 'max-workers' must be a whole number, at least 1", (), ""),
        ("offload.max-workers=1.5", "\"1.5\" is no value for 'max-workers'", (), "a whole number, at least 1"),
        (
            "budgets.x.percent=200",
            "200 is out of range: 'percent' must be a number, at least 0 and at most 100",
            (),
            "",
        ),
        ("budgets.x.min-per-second=-1", "-1 is out of range: 'min-per-second' must be a number, at least 0", (), ""),
        ("budgets.x.min-per-second=x", "\"x\" is no value for 'min-per-second'", (), "a number, at least 0"),
        ("budgets.x.ttl=0", "'ttl' cannot be zero", (), ""),
        ("budgets.x.ttl=10 s", "\"10 s\" is no value for 'ttl'", ("10s",), ""),
        ("classification.unwrap=A, b c", "\"b c\" is no value for 'unwrap'", (), "dotted paths of exception types"),
        ("profiles.active=a,,b", "(\"a\", \"\", \"b\") is no value for 'active'", (), "names of profiles"),
    ],
)  # fmt: skip
def test_invalid_values(line: str, message: str, suggestions: tuple[str, ...], expected: str | None) -> None:
    """In the words of the rule for code, at the value, under the key."""
    (found,) = about_values(*files(a_properties=f"resilience4cata.{line}"))
    key = line.partition("=")[0]
    assert ("R4C-CFG-012", key, message) == (found.code, found.subject, found.message)
    assert suggestions == found.suggestions
    assert expected is None or expected == found.expected
    assert f"a.properties:1:{len('resilience4cata.') + len(key) + 2}" == found.place


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("defaults.retry.max-attempts='3'", "\"3\" is no value for 'max-attempts'"),
        ("defaults.retry.max-attempts=true", "True is out of range: 'max-attempts' must be a whole number, at least 1"),
        ("defaults.retry.delay=100", "100 has no unit"),
        ("defaults.retry.delay={}", "{} is no value for 'delay'"),
        ("defaults.retry.delay=['1s']", "[\"1s\"] is no value for 'delay'"),
        ("defaults.retry.delay=1979-05-27", '"1979-05-27" is not a duration'),
        ("defaults.retry.enabled='true'", "\"true\" is no value for 'enabled'"),
        ("defaults.retry.retry-on=[3]", "3 in 'retry-on' is not an exception type"),
        ("defaults.order.layers=[3]", "(3,) is no value for 'layers'"),
        ("defaults.circuit-breaker.failure-rate-threshold=nan", "nan is out of range"),
        ("configs.x.extends=3", "3 is no value for 'extends'"),
        ("strict='true'", "\"true\" is no value for 'strict'"),
        ("offload.max-workers=true", "True is no value for 'max-workers'"),
        ("profiles.active=[1]", "[1] is no value for 'active'"),
        ("budgets.x.ttl=3", "3 is no value for 'ttl'"),
    ],
)
def test_invalid_types(line: str, message: str) -> None:
    """TOML has types of its own."""
    (found,) = of_files(*files(a_toml=f"[resilience4cata]\n{line}"))
    assert "R4C-CFG-012" == found.code
    assert found.message.startswith(message), found.message


VALID = """
resilience4cata.defaults.retry.retry-on=OSError, acme.errors.Broken
resilience4cata.defaults.retry.abort-on=asyncio.CancelledError
resilience4cata.defaults.fallback.apply-on=OSError
resilience4cata.defaults.fallback.enabled=false
resilience4cata.defaults.bulkhead.max-wait=0
resilience4cata.defaults.circuit-breaker.failure-rate-threshold=0.5
resilience4cata.configs.x.order.layers=FALLBACK, RETRY
resilience4cata.configs.x.retry.classifier=acme.Classify
resilience4cata.configs.x.retry.budget=partners
resilience4cata.instances.x.locked=true
resilience4cata.enabled=true
resilience4cata.order=TIMEOUT, RETRY
resilience4cata.offload.max-workers=4
resilience4cata.budgets.partners.ttl=10s
resilience4cata.budgets.partners.percent=12.5
resilience4cata.profiles.active=prod, eu
resilience4cata.classification.bypass=MemoryError
"""


def test_valid_values() -> None:
    """A whole file of them; a fallback's table needs no target."""
    assert [] == about_values(*files(a_properties=VALID))


def test_pairs_keep_their_code() -> None:
    """Two values that contradict each other, at the later one, with the other related."""
    text = (
        "[resilience4cata.configs.x]\n"
        "circuit-breaker={window-type='COUNT', window-size=10, minimum-calls=20}\n"
        "retry={retry-on='OSError', abort-on='OSError'}"
    )
    first, second = of_files(*files(a_toml=text))
    assert ("R4C-VA-004", "configs.x.circuit-breaker.minimum-calls") == (first.code, first.subject)
    assert "'minimum_calls' is more than 'window_size': the window never holds that many calls" == first.message
    assert ["a.toml:2:51"] == [f"{r.at.source}:{r.at.line}:{r.at.column}" for r in first.related]
    assert ("R4C-CL-001", "configs.x.retry.abort-on", "a.toml:3:37") == (second.code, second.subject, second.place)


def test_pairs_in_different_tables() -> None:
    """Only what stands in one table is compared."""
    tables = "[resilience4cata.configs]\na.retry.delay='5s'\nb.retry.max-delay='1s'\n"
    text = f"{tables}[resilience4cata.defaults]\nretry.max-delay='1s'"
    assert [] == toml(text)


def test_a_list_of_its_own() -> None:
    """Cancellation in an allow list keeps its code as well."""
    ((code, place, _),) = properties("resilience4cata.defaults.retry.retry-on=asyncio.CancelledError")
    assert ("CL-003", "a.properties:1:41") == (code, place)


def test_reference_without_ancestors() -> None:
    """A path that nobody can resolve here is not judged."""
    assert (
        Ref("acme.Broken") == files(a_properties="resilience4cata.defaults.retry.retry-on=acme.Broken")[0].keys[0].value
    )


def test_anchors_that_several_keys_hold() -> None:
    """What is wrong in an anchor is said once, of the key where it stands, however many aliases there are."""
    text = (
        "resilience4cata:\n  configs:\n"
        "    zoo: &zoo\n"
        "      retry: {max-atempts: 3, delay: 5, jitter: ful}\n"
        "      circuit-breaker: {window-size: 3, minimum-calls: 9}\n"
        "    bar: *zoo\n"
        "    foo:\n      <<: *zoo\n"
        "  profiles: {prod: {configs: {zoo: *zoo}}}\n"
    )
    expected = [
        ("R4C-CFG-011", "configs.zoo.retry.max-atempts", "a.yaml:4:15"),
        ("R4C-CFG-012", "configs.zoo.retry.delay", "a.yaml:4:38"),
        ("R4C-CFG-012", "configs.zoo.retry.jitter", "a.yaml:4:49"),
        ("R4C-VA-004", "configs.zoo.circuit-breaker.minimum-calls", "a.yaml:5:56"),
    ]
    assert expected == [(d.code, d.subject, d.place) for d in of_files(*files(a_yaml=text))]
