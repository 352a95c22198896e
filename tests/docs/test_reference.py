"""The reference and the pages of policies name what there is."""

import re
from typing import Any

import pytest

import resilience4cata
from resilience4cata import events
from resilience4cata.config import tool_settings
from resilience4cata.config.grammar import BUDGET, GLOBALS, PROFILES_ACTIVE
from resilience4cata.events import Event
from resilience4cata.policies.order import DEFAULT_ORDER
from resilience4cata.schema import POLICIES

from .attributes import DOCUMENTED
from .pages import LANGUAGES, Page

each_language = pytest.mark.parametrize("language", LANGUAGES)

EVENTS: dict[str, Any] = {
    "circuit_breaker": events.CircuitBreakerEvent,
    "retry": events.RetryEvent,
    "timeout": events.TimeoutEvent,
    "bulkhead": events.BulkheadEvent,
    "rate_limiter": events.RateLimiterEvent,
    "fallback": events.FallbackEvent,
}


def rows(text: str) -> list[tuple[str, str]]:
    """Each row of the tables in a text that begins with one name in code: the name, and the other cells."""
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)


@each_language
def test_every_public_name_is_listed(language: str) -> None:
    """The reference lists each public name once, and nothing else."""
    *sections, _ = re.split(r"^## ", Page(language, "reference/api").text, flags=re.MULTILINE)
    names = [name for text in sections for name, _ in rows(text)]
    assert sorted(resilience4cata.__all__) == sorted(names)


@each_language
def test_members_are_listed(language: str) -> None:
    """An enumeration is listed with its members; those of `Layer` stand on a page of their own."""
    listed = dict(rows(Page(language, "reference/api").section("Members", "Miembros")))
    assert listed.pop("Layer")
    members = {name: ", ".join(f"`{member.name}`" for member in getattr(resilience4cata, name)) for name in listed}
    assert members == listed


@each_language
@pytest.mark.parametrize("policy", DOCUMENTED)
def test_events_are_listed(language: str, policy: str) -> None:
    """A policy's page lists its events with their own fields."""
    kinds: tuple[type[Event], ...] = getattr(EVENTS[policy], "__args__", (EVENTS[policy],))
    own = {kind.__name__: list(kind.__match_args__[len(Event.__match_args__) :]) for kind in kinds}
    table = Page(language, f"policies/{policy}").section("Events", "Eventos")
    assert own == {name: re.findall(r"`(\w+)`", rest.partition("|")[0]) for name, rest in rows(table)}


@each_language
@pytest.mark.parametrize("policy", DOCUMENTED)
def test_errors_are_listed(language: str, policy: str) -> None:
    """The errors on a policy's page exist, and have the fields that stand beside them."""
    table = Page(language, f"policies/{policy}").section("Errors", "Errores")
    listed = {name: re.findall(r"`(\w+)`", rest.partition("|")[0]) for name, rest in rows(table)}
    kinds = {name: getattr(resilience4cata, name) for name in listed}
    assert [] == [(n, f) for n, fields in listed.items() for f in fields if not hasattr(kinds[n](), f)]
    assert all(issubclass(kind, resilience4cata.ResilienceError) for kind in kinds.values())


@each_language
def test_order_is_the_default(language: str) -> None:
    """The order that is shown is the default one, without what does not run yet."""
    (shown,) = (b.text for b in Page(language, "guides/composition-and-order").blocks if b.language == "text")
    runs = [layer.value for layer in DEFAULT_ORDER if layer.value in DOCUMENTED]
    assert [*runs, "the function"] == [line.lstrip(" └─") for line in shown.splitlines()]


@each_language
def test_keys_that_stand_alone_are_listed(language: str) -> None:
    """The guide to configuration lists each key that belongs to no policy."""
    table = Page(language, "guides/configuration").section("Keys that stand alone", "Claves sueltas")
    rows = re.findall(r"^\| `([\w.-]+)` \|", table, re.MULTILINE)
    assert sorted([*map(".".join, GLOBALS), ".".join(PROFILES_ACTIVE)]) == sorted(rows)
    assert list(BUDGET) == re.findall(r"`(?:budgets\.<\w+>)?\.([\w-]+)`", table)


@each_language
def test_settings_are_listed(language: str) -> None:
    """The guide to the command line lists each key of `[tool.r4c]`, and nothing else."""
    table = Page(language, "guides/command-line").section("Settings", "Ajustes")
    assert sorted(tool_settings.KEYS) == sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE))


@each_language
def test_migrating_names_what_there_is(language: str) -> None:
    """Whatever is told to be an attribute here is one of some policy, in code or in files."""
    text = Page(language, "guides/migrating").text
    here = " ".join(row.rsplit(" | ", 1)[1] for row in re.findall(r"^\| `.*\|$", text, re.MULTILINE))
    attributes = {name for policy in POLICIES.values() for name in policy.attributes}
    in_code = set(re.findall(r"`(\w+)=", here))
    in_files = {key.replace("-", "_") for key in re.findall(r"`([a-z]+(?:-[a-z]+)+)[` ]", here)}
    assert len(in_code) > 10 < len(in_files)
    assert set() == (in_code | in_files) - attributes
