"""CFG: names, templates and what they extend, word for word."""

import pytest

from resilience4cata.facts import NOWHERE, UNKNOWN, At, Composed, Declaration, Project, Slot, Template, Value, Written
from tests.runtime.config.judging import diagnostics, of_files, properties, toml
from tests.runtime.config.making import composed, files, policy, project

SOURCES = files(
    a_toml="[resilience4cata.configs]\nexternal.retry.delay='1s'\nempty={}\n[resilience4cata.profiles.p.configs.only]\n",
    b_properties="resilience4cata.configs.slow.extends=external",
)


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
    """The place is the name, which is quoted as the keys below it quote it."""
    assert [("CFG-004", "a.toml:1:26", "configs.My_Ext: malformed name 'My_Ext'; did you mean 'my-ext'?")] == toml(
        "[resilience4cata.configs.My_Ext]"
    )
    assert [
        ("CFG-004", "a.properties:1:25", "configs.\"a.b\": malformed name 'a.b'; did you mean 'a-b'?")
    ] == properties("resilience4cata.configs.a.b.retry.delay=1s")
