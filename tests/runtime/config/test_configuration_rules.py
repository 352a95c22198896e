"""CFG: what files and names get wrong, word for word."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context, Diagnostic
from resilience4cata.facts import (
    NOWHERE,
    UNKNOWN,
    At,
    Composed,
    ConfigFile,
    Declaration,
    Project,
    Ref,
    Slot,
    Template,
    Value,
    Written,
)
from tests.runtime.config.making import composed, files, function, method, policy, project


def diagnostics(views: Iterable[object], within: Project, front_end: str = "build") -> list[Diagnostic]:
    context = Context(FRONT_ENDS[front_end], project=within)
    return [finding.diagnostic() for finding in rules.check(views, context)]


def of_files(*sources: ConfigFile, within: Project | None = None) -> list[Diagnostic]:
    """What is said about files, their templates and the project that has nothing else."""
    within = within or project(sources=sources)
    return diagnostics((*sources, *within.templates, within), within)


def about_values(*sources: ConfigFile) -> list[Diagnostic]:
    """What is said about values, and nothing about instances and profiles that the project does not have."""
    return [d for d in of_files(*sources) if d.code not in ("R4C-CFG-005", "R4C-CFG-009")]


def short(found: Iterable[Diagnostic]) -> list[tuple[str, str, str]]:
    """Code without its beginning, place and line."""
    return [(d.code.removeprefix("R4C-"), d.place, d.line) for d in found]


def toml(text: str) -> list[tuple[str, str, str]]:
    return short(of_files(*files(a_toml=text)))


def properties(text: str) -> list[tuple[str, str, str]]:
    return short(of_files(*files(a_properties=text)))


SOURCES = files(
    a_toml="[resilience4cata.configs]\nexternal.retry.delay='1s'\nempty={}\n[resilience4cata.profiles.p.configs.only]\n",
    b_properties="resilience4cata.configs.slow.extends=external",
)


# ---------------------------------------------------------------- CFG-001


def config_of(*values: Value, certain: bool = True) -> Written:
    declaration = Declaration("retry", {"config": Slot(values, At("app.py", 3, 9, 3, 20), certain)}, At("app.py", 3, 2))
    return Written(declaration, element="acme.f")


@pytest.mark.parametrize("front_end", ["lint", "mypy", "build"])
def test_unknown_template(front_end: str) -> None:
    """The nearest name is suggested."""
    (found,) = diagnostics([config_of("externl")], project(sources=SOURCES), front_end)
    assert (
        'app.py:3:9: error: [R4C-CFG-001] @retry(config="externl") on acme.f:\n'
        "    no template named 'externl' found\n"
        "    did you mean 'external'?"
    ) == found.text


@pytest.mark.parametrize(
    "written",
    [
        config_of("external"),
        config_of("slow"),
        config_of("empty"),
        config_of("only"),
        config_of("external", "nope"),
        config_of("nope", certain=False),
        config_of(UNKNOWN),
        config_of(3),
        Written(policy("retry")),
    ],
)
def test_known_templates(written: Written) -> None:
    """Any template counts: empty, only in a profile, one of several."""
    assert [] == [d for d in diagnostics([written], project(sources=SOURCES)) if d.code == "R4C-CFG-001"]


@pytest.mark.parametrize(
    "within",
    [
        project(sources=SOURCES, known=False),
        project(sources=files(a_toml="x =")),
        project(sources=files(a_toml="[resilience4cata.nope.retry]\ndelay = '1s'")),
        Project(templates=(Template("nope", NOWHERE),), templates_closed=True),
    ],
)
def test_templates_that_may_exist(within: Project) -> None:
    """An unknown or broken source may hold it; one that only stands at the wrong level is reported there."""
    assert [] == diagnostics([config_of("nope")], within)


# ---------------------------------------------------------------- CFG-002, CFG-003


def test_unknown_parent() -> None:
    """The place is the value."""
    text = "configs.a.extends='exernal'\nconfigs.external={}\nprofiles.p.configs.b.extends='nowhere'"
    assert [
        ("CFG-002", "a.toml:2:19", "configs.a.extends: no template named 'exernal' found; did you mean 'external'?"),
        ("CFG-002", "a.toml:4:30", "profiles.p.configs.b.extends: no template named 'nowhere' found"),
    ] == toml(f"[resilience4cata]\n{text}")


def test_unknown_parent_where_others_may_exist() -> None:
    """Silent, if a source is not known."""
    sources = files(a_toml="[resilience4cata.configs]\na.extends='x'")
    assert [] == of_files(*sources, within=project(sources=sources, known=False))


CIRCLES = [
    ("a.extends='a'", ["a -> a"], 2),
    ("a.extends='b'\nb.extends='a'", ["a -> b -> a"], 2),
    ("c.extends='a'\na.extends='b'\nb.extends='a'", ["a -> b -> a"], 3),
    ("b.extends='c'\na.extends='b'\nc.extends='a'", ["b -> c -> a -> b"], 2),
    ("a.extends='a'\nb.extends='c'\nc.extends='b'", ["a -> a", "b -> c -> b"], 2),
    ("a.extends='b'\nb={}", [], 0),
]


@pytest.mark.parametrize(("text", "paths", "line"), CIRCLES)
def test_circles(text: str, paths: list[str], line: int) -> None:
    """Each circle once, from its first edge in the file; what merely leads into one is not part of it."""
    found = of_files(*files(a_toml=f"[resilience4cata.configs]\n{text}"))
    assert [f"templates extend each other in a circle: {path}" for path in paths] == [d.message for d in found]
    assert not paths or line == found[0].at.line


def test_circle_in_full() -> None:
    """The other edges are related."""
    (found,) = of_files(
        *files(a_properties="resilience4cata.configs.b.extends=c", b_toml="[resilience4cata.configs]\nc.extends='b'")
    )
    assert (
        "a.properties:1:35: error: [R4C-CFG-003] configs.b.extends:\n"
        "    templates extend each other in a circle: b -> c -> b\n"
        "    one of them has to stand on its own\n"
        "    b.toml:2:11: 'c' extends 'b' here"
    ) == found.text


def test_circle_in_a_profile() -> None:
    """A profile may close one; a base circle is not told again for it."""
    closed = "[resilience4cata]\nconfigs.a.extends='b'\nconfigs.b={}\nprofiles.p.configs.b.extends='a'"
    assert ["configs.a.extends"] == [d.subject for d in of_files(*files(a_toml=closed))]
    both = "[resilience4cata]\nconfigs.a.extends='b'\nconfigs.b.extends='a'\nprofiles.p.configs.c={}"
    assert 1 == len(of_files(*files(a_toml=both)))
    opened = "[resilience4cata]\nconfigs.a.extends='b'\nconfigs.b={}\nconfigs.c={}\nprofiles.p.configs.a.extends='c'"
    assert [] == of_files(*files(a_toml=opened))


# ---------------------------------------------------------------- CFG-004


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("My_Ext", "my-ext"),
        ("externalCall", "external-call"),
        ("-a--b-", "a-b"),
        ("a.b", "a-b"),
        ("a b", "a-b"),
        ("caf\u00e9", None),
        ("a/b", None),
        ("", None),
        ("--", None),
    ],
)
def test_malformed_names(name: str, suggestion: str | None) -> None:
    """Case and separators can be repaired, the rest only refused."""
    (found,) = [d for d in diagnostics([composed(name)], project()) if d.code == "R4C-CFG-004"]
    assert (f"malformed name '{name}'", "policies.py:1:5") == (found.message, found.place)
    assert ((suggestion,) if suggestion else ()) == found.suggestions
    assert f'resilience_policy("{name}")' == found.subject


def test_well_formed_names() -> None:
    """Nothing is said of these, nor of what is not known."""
    views: list[Composed] = [composed("a"), composed("external-call-2"), composed(UNKNOWN), composed(3)]
    assert [] == [d for d in diagnostics(views, project()) if d.code == "R4C-CFG-004"]


def test_malformed_names_in_files() -> None:
    """The place is the name."""
    assert [("CFG-004", "a.toml:1:26", "configs.My_Ext: malformed name 'My_Ext'; did you mean 'my-ext'?")] == toml(
        "[resilience4cata.configs.My_Ext]"
    )
    assert [("CFG-004", "a.properties:1:25", "configs.a.b: malformed name 'a.b'; did you mean 'a-b'?")] == properties(
        "resilience4cata.configs.a.b.retry.delay=1s"
    )


# ---------------------------------------------------------------- CFG-007, CFG-008


def test_repeated_keys() -> None:
    """The second is primary."""
    (found,) = of_files(*files(a_toml="[resilience4cata.defaults]\nretry.delay='1s'\nretry.delay='2s'"))
    assert (
        "a.toml:3:7: error: [R4C-CFG-007] defaults.retry.delay:\n"
        "    key is written twice\n"
        "    remove one of them\n"
        "    a.toml:2:7: first written here"
    ) == found.text


def test_unreadable_files() -> None:
    """Line, column and reason."""
    assert [("CFG-008", "a.toml:2:4", "configuration cannot be read: invalid value")] == toml("x=1\ny= \n")


# ---------------------------------------------------------------- CFG-011


@pytest.mark.parametrize(
    ("text", "place", "line"),
    [
        (
            "resilience4cata.configs.external.circuit-breaker.wait-in-opne=30s",
            "1:50",
            "configs.external.circuit-breaker.wait-in-opne: unknown key 'wait-in-opne'; did you mean 'wait-in-open'?",
        ),
        (
            "resilience4cata.external.retry.delay=1s",
            "1:1",
            (
                "external.retry.delay: unknown key 'external'; "
                "did you mean 'resilience4cata.configs.external.retry.delay'?"
            ),
        ),
        (
            "resilience4cata.configs.external.retry.max_attempts=3",
            "1:40",
            "configs.external.retry.max_attempts: unknown key 'max_attempts'; did you mean 'max-attempts'?",
        ),
        (
            "resilience4cata.defaults.timeout.xyz=3",
            "1:34",
            "defaults.timeout.xyz: unknown key 'xyz'; known here: value, offload, enabled",
        ),
        (
            "resilience4cata.defaults.bulkhead.name=x",
            "1:35",
            "defaults.bulkhead.name: unknown key 'name'; it is written in code only",
        ),
        (
            "resilience4cata.defaults.timeout.value.x=1",
            "1:40",
            "defaults.timeout.value.x: unknown key 'x'",
        ),
        (
            "resilence4cata.defaults.timeout.value=1s",
            "1:1",
            "resilence4cata.defaults.timeout.value: unknown key 'resilence4cata'; did you mean 'resilience4cata'?",
        ),
        ("resilience4cata.defaults.timeout=1s", "1:1", "defaults.timeout: 'timeout' cannot have a value of its own"),
        ("resilience4cata.a\\u0007b=1s", "1:17", "a\\x07b: unknown key 'a\\x07b'; known here: "),
    ],
)
def test_unknown_keys(text: str, place: str, line: str) -> None:
    """The outermost unknown part, as replaced by what was meant."""
    ((code, where, said),) = properties(text)
    assert ("CFG-011", f"a.properties:{place}") == (code, where)
    assert said.startswith(line) if line.endswith(": ") else line == said


def test_unknown_table_once() -> None:
    """Two keys below one unknown table are one finding, at the table."""
    text = "[resilience4cata.configs.x.circut-breaker]\na=1\nb=2\n[resilience4cata.external.retry]\nc=1"
    assert [
        (
            "CFG-011",
            "a.toml:1:28",
            "configs.x.circut-breaker.a: unknown key 'circut-breaker'; did you mean 'circuit-breaker'?",
        ),
        ("CFG-011", "a.toml:4:18", "external.retry.c: unknown key 'external'"),
    ] == [(c, p, line.partition("; known here")[0]) for c, p, line in toml(text)]


def test_missing_level_in_toml() -> None:
    """The part is replaced by the level and itself."""
    found = toml("[resilience4cata.external.retry]\ndelay='1s'\nmax-attempts=2")
    line = "external.retry.delay: unknown key 'external'; did you mean 'configs.external'?"
    assert [("CFG-011", "a.toml:1:18", line)] == found


def test_wrong_level_in_toml() -> None:
    """`tool` belongs to pyproject.toml."""
    line = "tool.resilience4cata.strict: unknown key 'tool'; only pyproject.toml has this level"
    assert [("CFG-011", "a.toml:1:2", line)] == toml("[tool.resilience4cata]\nstrict=true")


def test_too_short_in_full() -> None:
    """What may follow is shown."""
    (found,) = of_files(*files(a_toml="[resilience4cata]\ndefaults.timeout=1"))
    assert "defaults.timeout.<value | offload | enabled>" == found.expected
    (found,) = of_files(*files(a_toml="[resilience4cata]\nprofiles=1"))
    assert "" == found.expected


SLASHES = files(a_properties="external-call/retry/dely=1s\nacme.C/m/retry/delay=nonsense\nshared/retry/count=1s")


def test_slash_keys_of_others() -> None:
    """What is not known in the project is nobody's mistake."""
    assert [] == of_files(*SLASHES)


def test_slash_keys_of_ours() -> None:
    """A family and a class of the project: keys and values are judged."""
    within = project(method("acme.C.m", policy("retry")), sources=SLASHES)
    within = replace(within, composed=(composed("external-call"), composed(UNKNOWN)))
    key, value = of_files(*SLASHES, within=within)
    assert ("R4C-CFG-011", "a.properties:1:21", ("delay",)) == (key.code, key.place, key.suggestions)
    assert ("R4C-CFG-012", "a.properties:2:22") == (value.code, value.place)
    assert ("acme.C/m/retry/delay", '"nonsense" is not a duration') == (value.subject, value.message.split(":")[0])


def test_slashes_in_other_keys() -> None:
    """A slash alone makes no slash key."""
    ((code, place, _),) = properties("resilience4cata.configs.a/b/c.retry.dely=1s")
    assert ("CFG-011", "a.properties:1:37") == (code, place)


def test_slash_keys_of_functions() -> None:
    """The first segment may be a module."""
    sources = files(a_properties="acme.tools/f/timeout/value=0")
    within = project(function("acme.tools.f", policy("timeout")), sources=sources)
    assert ["R4C-CFG-012"] == [d.code for d in of_files(*sources, within=within)]


# ---------------------------------------------------------------- CFG-012


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
            "0 is out of range: 'max_attempts' must be a whole number, at least 1",
            (),
            None,
        ),
        ("defaults.retry.max-attempts=x", "\"x\" is no value for 'max_attempts'", (), "a whole number"),
        ("defaults.retry.enabled=True", "\"True\" is no value for 'enabled'", ("true",), "true or false"),
        ("defaults.retry.enabled=1", "\"1\" is no value for 'enabled'", (), "true or false"),
        ("defaults.retry.jitter=full", '"full" is no member of Jitter', ("FULL",), ""),
        ("defaults.retry.jitter=x", '"x" is no member of Jitter', (), "NONE | FULL | EQUAL"),
        ("defaults.retry.retry-on=int", "int in 'retry_on' is not an exception type", (), None),
        ("defaults.retry.retry-on=OSError, no path", "\"no path\" in 'retry_on' is not an exception type", (), None),
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
        ("defaults.retry.max-attempts='3'", "\"3\" is no value for 'max_attempts'"),
        ("defaults.retry.max-attempts=true", "True is out of range: 'max_attempts' must be a whole number, at least 1"),
        ("defaults.retry.delay=100", "100 has no unit"),
        ("defaults.retry.delay={}", "{} is no value for 'delay'"),
        ("defaults.retry.delay=['1s']", "[\"1s\"] is no value for 'delay'"),
        ("defaults.retry.delay=1979-05-27", '"1979-05-27" is not a duration'),
        ("defaults.retry.enabled='true'", "\"true\" is no value for 'enabled'"),
        ("defaults.retry.retry-on=[3]", "3 in 'retry_on' is not an exception type"),
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
