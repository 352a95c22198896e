"""CFG: keys that nobody knows, keys that are written twice, and files that cannot be read, word for word."""

import pytest

from resilience4cata.facts import UNKNOWN, At, Broken, ConfigFile
from resilience4cata.records import replace
from tests.runtime.config.judging import of_files, properties, toml
from tests.runtime.config.making import composed, files, function, method, policy, project


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


@pytest.mark.parametrize(
    ("path", "beside", "suggestions"),
    [
        # An ending, or a beginning, that files have in common makes none like another.
        ("a.toml", ("b.toml",), ()),
        ("conf/resilience4cata-prod.toml", ("resilience4cata-test.toml", "resilience4cata.toml"), ()),
        ("conf/resilence4cata.toml", ("pyproject.toml", "resilience4cata.toml"), ("conf/resilience4cata.toml",)),
        ("resilience_prod.toml", ("resilience-prod.toml",), ("resilience-prod.toml",)),
        ("resilience.toml", ("prod.toml", "resilience.yaml"), ("resilience.yaml",)),
    ],
)
def test_missing_file(path: str, beside: tuple[str, ...], suggestions: tuple[str, ...]) -> None:
    """What stands beside it may have been meant, word by word."""
    file = ConfigFile(path, broken=Broken(At(path), "does not exist", True, beside))
    (found,) = of_files(file)
    assert ("R4C-CFG-016", suggestions) == (found.code, found.suggestions)
