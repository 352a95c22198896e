"""What keys mean, in properties files and in TOML."""

import pytest

from resilience4cata.config import grammar
from resilience4cata.config.sources import read
from resilience4cata.config.tree import is_near_prefix, quoted, slash_meaning
from resilience4cata.facts import At, Empty, Extends, Global, Items, Key, Meaning, Setting, Unrecognised
from resilience4cata.schema import POLICIES

KEYS = (
    "adaptive-limit",
    "bulkhead",
    "circuit-breaker",
    "fallback",
    "hedge",
    "order",
    "rate-limiter",
    "retry",
    "timeout",
)


def properties(line: str) -> Key | None:
    """The only key of a properties file."""
    keys = read("a.properties", f"{line}=x".encode()).keys
    assert len(keys) < 2
    return keys[0] if keys else None


def meaning(line: str) -> Meaning | None:
    key = properties(line)
    return key.meaning if key is not None else None


def toml(text: str, path: str = "a.toml") -> list[Key]:
    file = read(path, text.encode())
    assert file.broken is None
    return list(file.keys)


def test_every_attribute_of_every_policy_has_its_keys() -> None:
    """The schema is the grammar: what can be set can be set everywhere, and nothing else can."""
    for schema in POLICIES.values():
        for attribute in schema.attributes.values():
            key = f"resilience4cata.defaults.{schema.key}.{attribute.key}"
            expected = Setting("defaults", "", schema.name, attribute.name)
            assert (meaning(key) == expected) is attribute.configurable, key
    assert set(KEYS) == set(grammar.policy_keys())


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("defaults.retry.max-attempts", Setting("defaults", "", "retry", "max_attempts")),
        ("configs.external.timeout.value", Setting("template", "external", "timeout", "value")),
        ("configs.retry.retry.delay", Setting("template", "retry", "retry", "delay")),
        ("configs.My.Ext.retry.delay", Setting("template", "My.Ext", "retry", "delay")),
        ("configs.slow.extends", Extends("slow")),
        ("profiles.active", Global("profiles.active")),
        ("profiles.test.configs.external.retry.delay", Setting("template", "external", "retry", "delay", "test")),
        ("profiles.test.configs.slow.extends", Extends("slow", "test")),
        ("profiles.test.defaults.retry.delay", Setting("defaults", "", "retry", "delay", "test")),
        ("profiles.test.instances.x.retry.delay", Setting("instance", "x", "retry", "delay", "test")),
        ("instances.payments.retry.delay", Setting("instance", "payments", "retry", "delay")),
        ("instances.a.b.C#m.timeout.value", Setting("instance", "a.b.C#m", "timeout", "value")),
        ("instances.a.retry.C#m.timeout.value", Setting("instance", "a.retry.C#m", "timeout", "value")),
        ("instances.payments.locked", Global("instances.payments.locked")),
        ("instances.a.b.C#m.locked", Global("instances.a.b.C#m.locked")),
        ("enabled", Global("enabled")),
        ("order", Global("order")),
        ("strict", Global("strict")),
        ("events.per-call", Global("events.per-call")),
        ("fallback.when-disabled", Global("fallback.when-disabled")),
        ("offload.max-workers", Global("offload.max-workers")),
        ("classification.unwrap", Global("classification.unwrap")),
        ("classification.bypass", Global("classification.bypass")),
        ("budgets.partners.ttl", Global("budgets.partners.ttl")),
        ("budgets.partners.min-per-second", Global("budgets.partners.min-per-second")),
        ("budgets.partners.percent", Global("budgets.partners.percent")),
    ],
)
def test_known_keys(key: str, expected: Meaning) -> None:
    """The whole grammar."""
    assert expected == meaning(f"resilience4cata.{key}")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("external-call/timeout/value", Setting("family", "external-call", "timeout", "value")),
        ("acme.pay.Client/timeout/value", Setting("family", "acme.pay.Client", "timeout", "value")),
        ("acme.pay.Client/charge/timeout/value", Setting("instance", "acme.pay.Client#charge", "timeout", "value")),
        ("external-call/timeout/valu", Unrecognised(2, ("value", "offload", "enabled"))),
        ("external-call/timeuot/value", Unrecognised(1, KEYS)),
        ("external-call/retry/name", None),
        ("a/b/c", Unrecognised(1, KEYS)),
        ("a/timeout", Unrecognised(2, ("value", "offload", "enabled"))),
        ("a.C/m/timeout", Unrecognised(3, ("value", "offload", "enabled"))),
        ("a.C/m", Unrecognised(2, KEYS)),
        ("a.C/m/timout", Unrecognised(2, KEYS)),
        ("a/value", Unrecognised(1, KEYS, "a/timeout/value")),
        ("a.C/value", Unrecognised(1, KEYS, "a.C/timeout/value")),
        ("a.C/m/value", Unrecognised(2, KEYS, "a.C/m/timeout/value")),
        ("a/timeout/value/x", Unrecognised(3)),
        ("a.C/m/timeout/value/x", Unrecognised(4)),
        ("a.C/m/n/timeout/value", Unrecognised(2, KEYS)),
        ("a/b/c/timeout/value", Unrecognised(1, KEYS)),
        ("a.C\\#m/timeout/value", Unrecognised(0, (), "a.C/m/timeout/value")),
        ("a.C\\#m/timeout", Unrecognised(0)),
        ("resilience4cata/defaults/retry/delay", Unrecognised(0, (), "resilience4cata.defaults.retry.delay")),
        ("resilience4cata/retry", Unrecognised(0)),
        ("/timeout/value", None),
        ("a//timeout/value", Unrecognised(1, KEYS)),
        ("https\\://example.org/timeout/value", None),
        ("some/cache/enabled", Unrecognised(1, KEYS)),
        ("instances/a/retry", None),
    ],
)
def test_slash_keys(key: str, expected: Meaning | None) -> None:
    """What cannot begin with a name of ours is left out; whose the rest is, the rules tell."""
    found = meaning(key)
    if key == "external-call/retry/name":
        assert isinstance(found, Unrecognised)
        assert 2 == found.index
    else:
        assert expected == found


@pytest.mark.parametrize(
    ("key", "index", "suggestion"),
    [
        ("external.retry.delay", 0, "resilience4cata.configs.external.retry.delay"),
        ("external.extends", 0, "resilience4cata.configs.external.extends"),
        ("payments.locked", 0, "resilience4cata.instances.payments.locked"),
        ("acme.C#m.timeout.value", 0, "resilience4cata.instances.acme.C#m.timeout.value"),
        ("C#m.timeout.value", 0, "resilience4cata.instances.C#m.timeout.value"),
        ("retry.delay", 0, "resilience4cata.defaults.retry.delay"),
        ("fallback.apply-on", 0, "resilience4cata.defaults.fallback.apply-on"),
        ("order.layers", 0, "resilience4cata.defaults.order.layers"),
        ("profiles.test.external.retry.delay", 2, "resilience4cata.profiles.test.configs.external.retry.delay"),
        ("profiles.test.retry.delay", 2, "resilience4cata.profiles.test.defaults.retry.delay"),
        ("configs.external.max-attempts", 2, "resilience4cata.configs.external.retry.max-attempts"),
        ("configs.external.delay", 2, None),
        ("defaults.max-attempts", 1, "resilience4cata.defaults.retry.max-attempts"),
        ("instances.x.max-attempts", 2, "resilience4cata.instances.x.retry.max-attempts"),
        ("config.external.retry.delay", 0, None),
        ("default.retry.delay", 0, None),
        ("configs.external.circut-breaker.wait-in-opne", 2, None),
        ("configs.external.circuit-breaker.wait-in-opne", 3, None),
        ("configs.external.circuit_breaker.wait-in-open", 2, None),
        ("configs.external.retry.delay.x", 4, None),
        ("configs.external.retry", 3, None),
        ("configs.external", 2, None),
        ("configs.external.extends.x", 3, None),
        ("configs.retry.delay", 1, None),
        ("configs", 1, None),
        ("defaults", 1, None),
        ("defaults.retry", 2, None),
        ("instances", 1, None),
        ("instances.x", 2, None),
        ("instances.x.retry", 3, None),
        ("instances.x.circut-breaker.minimum-calls", 2, None),
        ("instances.a.b.retry.dely", 4, None),
        ("instances.a.b.foo.bar", 3, None),
        ("profiles", 1, None),
        ("profiles.test", 2, None),
        ("profiles.active.x", 2, None),
        ("profiles.configs.x.retry.delay", 1, None),
        ("profiles.test.enabled", 2, None),
        ("profiles.test.profiles.x.defaults.retry.delay", 2, None),
        ("budgets", 1, None),
        ("budgets.x", 2, None),
        ("budgets.x.tll", 2, None),
        ("budgets.x.ttl.y", 3, None),
        ("enabled.x", 1, None),
        ("events", 1, None),
        ("events.per-cal", 1, None),
        ("events.per-call.x", 2, None),
        ("external-call/timeout/value", 0, None),
        ("My_Ext.retry.delay", 0, "resilience4cata.instances.My_Ext.retry.delay"),
        ("", 0, None),
        (".retry.delay", 0, None),
    ],
)
def test_unknown_keys(key: str, index: int, suggestion: str | None) -> None:
    """The outermost part that means nothing, and the whole key where a level is missing."""
    found = meaning(f"resilience4cata.{key}")
    assert isinstance(found, Unrecognised)
    assert (index, suggestion) == (found.index, found.suggestion)


@pytest.mark.parametrize(
    ("key", "candidates"),
    [
        ("defaults.x.y", KEYS),
        ("configs.x.y.z", (*KEYS, "extends")),
        ("instances.x.foo", (*KEYS, "locked")),
        ("instances.x.foo.bar", KEYS),
        ("defaults.timeout.x", ("value", "offload", "enabled")),
        ("defaults.timeout", ("value", "offload", "enabled")),
        ("budgets.x.y", ("ttl", "min-per-second", "percent")),
        ("classification.x", ("unwrap", "bypass")),
        ("classification", ("unwrap", "bypass")),
        ("profiles.test.x", ("defaults", "configs", "instances")),
        ("x", (
            "defaults", "configs", "instances", "profiles", "budgets",
            "enabled", "order", "strict", "events", "fallback", "offload", "classification",
        )),
        ("defaults.timeout.value.x", ()),
    ],
)  # fmt: skip
def test_candidates(key: str, candidates: tuple[str, ...]) -> None:
    """What could stand there."""
    found = meaning(f"resilience4cata.{key}")
    assert isinstance(found, Unrecognised)
    assert sorted(candidates) == sorted(found.candidates)


def test_known_ids_win() -> None:
    """The longest known instance id is taken before the policy is looked for."""
    path = ("instances", "a", "retry", "b", "timeout", "value")
    known = grammar.interpret(path, lambda p, i, level: "", {"a", "a.retry.b"})
    assert Setting("instance", "a.retry.b", "timeout", "value") == known
    assert Unrecognised(3, grammar.attribute_keys(POLICIES["retry"])) == grammar.interpret(
        path, lambda p, i, level: "", {"a"}
    )


@pytest.mark.parametrize("word", ["resilence4cata", "Resilience4Cata", "resilience-4cata", "resilience4cat"])
def test_near_prefixes(word: str) -> None:
    """A misspelt prefix would switch off a whole file."""
    assert is_near_prefix(word)
    assert Unrecognised(0, ("resilience4cata",)) == meaning(f"{word}.configs.x.retry.delay")


@pytest.mark.parametrize("word", ["resilience4cata", "resilience4j", "resilience", "r4c", "spring", ""])
def test_other_prefixes(word: str) -> None:
    """Other libraries have names of their own."""
    assert not is_near_prefix(word)


def test_what_is_not_ours_is_left_out() -> None:
    """A properties file may be shared."""
    assert () == read("a.properties", b"spring.datasource.url=x\nresilience4j.retry=3\nresilience4cataX=1\na=b").keys


def test_the_prefix_alone() -> None:
    """It says nothing."""
    assert Unrecognised(1) == meaning("resilience4cata")
    assert [Unrecognised(1)] == [key.meaning for key in toml("resilience4cata = 1")]


def test_places_in_properties() -> None:
    """Key, value and each part of the key are placed."""
    key = properties(r"  resilience4cata.configs.e\u0078t.retry.delay ")
    assert key is not None
    assert ("configs", "ext", "retry", "delay") == key.path
    assert "configs.ext.retry.delay" == key.text
    assert At("a.properties", 1, 3, 1, 47) == key.at
    assert [(19, 26), (27, 35), (36, 41), (42, 47)] == [(at.column, at.end_column) for at in key.parts_at]
    assert At("a.properties", 1, 49, 1, 50) == key.value_at


def test_places_in_toml() -> None:
    """The key is placed at its last part, each part where it stands."""
    (key,) = toml('[resilience4cata.instances."a.B#m"]\ntimeout = { value = "3s" }')
    assert Setting("instance", "a.B#m", "timeout", "value") == key.meaning
    assert 'instances."a.B#m".timeout.value' == key.text
    assert At("a.toml", 2, 13, 2, 18) == key.at
    assert At("a.toml", 2, 21, 2, 25) == key.value_at
    places = [(at.line, at.column, at.end_column) for at in key.parts_at]
    assert [(1, 18, 27), (1, 28, 35), (2, 1, 8), (2, 13, 18)] == places


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("[resilience4cata.external.retry]\ndelay = '1s'", "configs.external"),
        ("[resilience4cata.retry]\ndelay = '1s'", "defaults.retry"),
        ("[resilience4cata]\n'C#m'.timeout.value = '1s'", 'instances."C#m"'),
        ("[resilience4cata.configs.x]\nmax-attempts = 3", "retry.max-attempts"),
    ],
)
def test_repairs_in_toml(text: str, suggestion: str) -> None:
    """What replaces the part that stands there: a table's name takes a dot."""
    (key,) = toml(text)
    assert isinstance(key.meaning, Unrecognised)
    assert suggestion == key.meaning.suggestion


def test_pyproject() -> None:
    """Only `[tool.resilience4cata]` counts there, and a tree beside it is a mistake."""
    text = "[tool.resilience4cata.defaults.retry]\ndelay = '1s'\n[tool.other]\nx = 1\n[resilience4cata]\nstrict = true"
    first, second = toml(text, "sub/pyproject.toml")
    assert Setting("defaults", "", "retry", "delay") == first.meaning
    assert ("defaults.retry.delay", ("defaults", "retry", "delay")) == (first.text, first.path)
    assert Unrecognised(0, (), "tool.resilience4cata") == second.meaning
    assert [Unrecognised(1, ("resilience4cata",))] == [
        key.meaning for key in toml("[tool.resilence4cata]\nx = 1", "pyproject.toml")
    ]
    assert [] == toml("[tool.resilience]\nx = 1\n['a/timeout']\nvalue = 1", "pyproject.toml")
    assert [Setting("family", "a", "timeout", "value")] == [
        key.meaning for key in toml("[tool.resilience4cata]\n'a/timeout/value' = '1s'", "pyproject.toml")
    ]


def test_tool_outside_pyproject() -> None:
    """Elsewhere the level `tool` means nothing to us."""
    assert [Unrecognised(0)] == [key.meaning for key in toml("[tool.resilience4cata]\nstrict = true")]
    assert [] == toml("[tool.other]\nstrict = true\n[other]\nx = 1")
    assert [Unrecognised(0, ("resilience4cata",))] == [key.meaning for key in toml("[resilience_4cata]\nx = 1")]


def test_slash_keys_in_toml() -> None:
    """Quoted, at the top level or within the table."""
    text = (
        '"a.C/m/timeout/value" = "1s"\n"fam/timeout" = { value = "2s" }\n[other]\n"no/timeout" = 3\n'
        '[resilience4cata]\n"x/retry/delay" = "3s"'
    )
    keys = toml(text)
    assert [
        Setting("instance", "a.C#m", "timeout", "value"),
        Setting("family", "fam", "timeout", "value"),
        Setting("family", "x", "retry", "delay"),
    ] == [key.meaning for key in keys]
    assert ["a.C/m/timeout/value", "fam/timeout/value", "x/retry/delay"] == [key.text for key in keys]
    places = [[(at.column, at.end_column) for at in key.parts_at] for key in keys]
    assert [[(2, 5), (6, 7), (8, 15), (16, 21)], [(2, 5), (6, 13), (19, 24)], [(2, 3), (4, 9), (10, 15)]] == places


def test_slash_keys_in_toml_that_mean_nothing() -> None:
    """The part that is wrong is placed inside the quotes, or by the whole key where escapes are in the way."""
    (plain,) = toml("'fam/retry/dely' = '1s'")
    assert isinstance(plain.meaning, Unrecognised)
    assert ("fam", "retry", "dely") == plain.path
    assert At("a.toml", 1, 12, 1, 16) == plain.parts_at[plain.meaning.index]
    (escaped,) = toml('"fam/retry/\\u0064ely" = "1s"')
    assert {At("a.toml", 1, 1, 1, 22)} == set(escaped.parts_at)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[resilience4cata]", Empty()),
        ("[resilience4cata.configs]", Empty()),
        ("[resilience4cata.configs.x]", Empty("template", "x")),
        ("[resilience4cata.configs]\nx = {}", Empty("template", "x")),
        ("[resilience4cata.configs.x.retry]", Empty("template", "x")),
        ("[resilience4cata.profiles.p]", Empty("", "", "p")),
        ("[resilience4cata.profiles.p.configs.x]", Empty("template", "x", "p")),
        ("[resilience4cata.instances.x]", Empty("instance", "x")),
        ("[resilience4cata.defaults.retry]", Empty()),
    ],
)
def test_empty_tables(text: str, expected: Meaning) -> None:
    """A table without keys is no mistake, and it defines what it names."""
    assert [expected] == [key.meaning for key in toml(text)]


def test_tables_in_the_wrong_place() -> None:
    """A table where a value belongs, a value where a table belongs, an array of tables."""
    (table,) = toml("[resilience4cata.defaults]\nretry.delay = {}")
    assert Setting("defaults", "", "retry", "delay") == table.meaning
    assert Items((), "set") == table.value
    (inner,) = toml("[resilience4cata.defaults]\nretry.delay.x = 1")
    assert Unrecognised(3) == inner.meaning
    (value,) = toml("[resilience4cata]\nconfigs = 1")
    assert Unrecognised(1) == value.meaning
    (unknown,) = toml("[resilience4cata.confgs]")
    assert isinstance(unknown.meaning, Unrecognised)
    assert 0 == unknown.meaning.index
    (array,) = toml("[[resilience4cata.configs.x]]\nretry.delay = '1s'\n[[resilience4cata.configs.x]]\ny = 1")
    assert isinstance(array.meaning, Unrecognised)
    assert (2, ("configs", "x")) == (array.meaning.index, array.path)


@pytest.mark.parametrize(
    ("part", "expected"),
    [("a-b_1", "a-b_1"), ("a.b", '"a.b"'), ("", '""'), ('a"\\', '"a\\"\\\\"'), ("a\n", '"a\\u000a"')],
)
def test_quoted(part: str, expected: str) -> None:
    """A part as TOML writes it."""
    assert expected == quoted(part)


def test_slash_meaning_of_one_segment() -> None:
    """Nothing."""
    assert slash_meaning(("a",)) is None
