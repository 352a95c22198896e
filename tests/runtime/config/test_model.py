"""Resolution of random stacks of layers equals a reference that is too simple to be wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from resilience4cata.config.resolve import Resolver
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import NOWHERE, At, Element, Override, Project
from tests.runtime.config.making import cls, composed, files, method, policy

ID = "acme.C#m"
ATTRIBUTES = ("delay", "max_duration")
PROFILES = ("p", "q")
TEMPLATES = ("a", "b", "c")


class Write(NamedTuple):
    """One line of one of two files, or one value of code: what it sets, and where it stands."""

    place: str
    attribute: str
    number: int


PLACES = [
    "defaults",
    *(f"configs.{t}" for t in TEMPLATES),
    *(f"profiles.{p}.defaults" for p in PROFILES),
    *(f"profiles.{p}.configs.{t}" for p in PROFILES for t in TEMPLATES),
    "class-composed",
    "bundle/",
    "class-direct",
    "acme.C/",
    "method-composed",
    "own/",
    "method-direct",
    f"instances.{ID}",
    "acme.C/m/",
    *(f"profiles.{p}.instances.{ID}" for p in PROFILES),
    "override",
]
CODE = ("class-composed", "class-direct", "method-composed", "method-direct", "override")


class Stack(NamedTuple):
    """A random project. `extends` leads from each template to a later one, so that there is no circle."""

    writes: list[Write]
    extends: dict[str, str | None]
    config: str | None
    profiles: tuple[str, ...]
    locked: bool


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    """Stacks of all heights: where anything may be written, the lower layers would hardly ever count."""
    height = draw(st.integers(1, len(PLACES)))
    places = st.sampled_from(PLACES[max(0, height - 10) : height])
    write = st.builds(Write, places, st.sampled_from(ATTRIBUTES), st.integers(1, 99))
    extends = st.fixed_dictionaries(
        {"a": st.sampled_from(["b", "c", None]), "b": st.sampled_from(["c", None]), "c": st.none()}
    )
    return Stack(
        draw(st.lists(write, max_size=20)),
        draw(extends),
        draw(st.sampled_from([*TEMPLATES, None])),
        tuple(draw(st.permutations(PROFILES))[: draw(st.integers(0, 2))]),
        draw(st.booleans()),
    )


def project_of(stack: Stack) -> tuple[Project, Element]:
    """The stack as facts: keys in a file, the rest in code."""
    code: dict[str, dict[str, Any]] = {place: {} for place in CODE}
    lines = [f"resilience4cata.configs.{t}.timeout.value=1s" for t in TEMPLATES]
    lines += [f"resilience4cata.configs.{t}.extends={parent}" for t, parent in stack.extends.items() if parent]
    for write in stack.writes:
        key = write.attribute.replace("_", "-")
        if write.place in CODE:
            code[write.place][write.attribute] = f"{write.number}s"
        elif write.place.endswith("/"):
            lines.append(f"{write.place}retry/{key}={write.number}s")
        else:
            lines.append(f"resilience4cata.{write.place}.retry.{key}={write.number}s")
    chosen: dict[str, Any] = {"config": stack.config} if stack.config is not None else {}
    owner = cls(
        "acme.C", composed("bundle", policy("retry", **code["class-composed"])), policy("retry", **code["class-direct"])
    )
    element = method(
        "acme.C.m",
        composed("own", policy("retry", **code["method-composed"])),
        policy("retry", **code["method-direct"], **chosen),
    )
    sources = files(a_properties="\n".join(lines))
    overrides = (Override(ID, At("app.py", 1), (policy("retry", **code["override"]),)),)
    locked = (ID,) if stack.locked else ()
    return Project(
        elements=(owner, element),
        files=sources,
        templates=templates_of(sources),
        templates_closed=True,
        overrides=overrides,
        locked=locked,
    ), element


def reference(stack: Stack, attribute: str) -> str | None:
    """The value by going through the layers one by one; None if nobody gives any."""
    chain: list[str] = []
    name = stack.config
    while name is not None:
        chain.insert(0, name)
        name = stack.extends[name]
    layers = [["defaults"], *([f"configs.{t}"] for t in chain)]
    for profile in stack.profiles:
        layers += [[f"profiles.{profile}.defaults"], *([f"profiles.{profile}.configs.{t}"] for t in chain)]
    layers += [[place] for place in ("class-composed", "bundle/", "class-direct", "acme.C/")]
    layers += [[place] for place in ("method-composed", "own/", "method-direct")]
    if not stack.locked:
        layers += [[f"instances.{ID}", "acme.C/m/"], *([f"profiles.{p}.instances.{ID}"] for p in stack.profiles)]
    layers += [["override"]]
    value = None
    for places in layers:
        for write in stack.writes:
            if write.place in places and write.attribute == attribute:
                value = f"{write.number}s"
    return value


@settings(max_examples=300, deadline=None)
@given(stacks())
def test_resolution_is_what_the_reference_says(stack: Stack) -> None:
    """Every attribute, whatever stands where; and what was shadowed is what counts without the strongest."""
    project, element = project_of(stack)
    found = Resolver.of(project, stack.profiles).resolve(element)
    built_in = {"delay": "100ms", "max_duration": "0"}
    for attribute in ATTRIBUTES:
        expected = reference(stack, attribute)
        effective = found["retry", attribute]
        assert (expected or built_in[attribute]) == effective.value
        assert (expected is None) == (effective.origin.at == NOWHERE)
