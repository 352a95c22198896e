"""Faults in configuration files. The mypy plugin reads those for their templates alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..mutant import LINT_AND_BUILD, ONLY_BUILD, ONLY_LINT, Edit, Faulty, Place
from ..sources import Shop, Source
from .fallbacks import misspelt

_TOML = "resilience4cata.toml"
_PROPERTIES = "resilience.properties"
_KEY = re.compile(r"(?:^|[{,] )(?P<key>[a-z][a-z-]+)(?= = )", re.MULTILINE)
_VALUE = re.compile(r" = (?P<value>\"[^\"]*\"|\d+)")
_ENTRY = re.compile(
    r"^(?P<path>[\w./-]+/|[\w.-]+\.)(?P<key>[\w-]+)(?P<between> ?[=:] ?)(?P<value>[^\n\\]+)$", re.MULTILINE
)
_TABLE = re.compile(r"^\[resilience4cata\.(?P<level>configs|defaults)\.", re.MULTILINE)


def _fault(title: str, source: Source, start: int, end: int, new: str, *codes: str) -> Faulty:
    places = [Place(code, source, start, LINT_AND_BUILD) for code in codes]
    return Faulty(f"{title} {source.path} {start}", source, [Edit(start, end, new)], places)


def misspelt_key(shop: Shop) -> Iterator[Faulty]:
    """A key lacks a letter."""
    source = shop[_TOML]
    for match in _KEY.finditer(source.content):
        if match["key"] != "extends":
            fault = _fault(match["key"], source, *match.span("key"), misspelt(match["key"]), "R4C-CFG-011")
            if source.content[: match.start("key")].endswith("max-attempts = 2, "):
                # The inherited budget that counts instead is too small for two attempts.
                timeout = source.find('timeout = { value = "10s"')
                fault.places.append(Place("R4C-TB-002", source, timeout, LINT_AND_BUILD))
            yield fault
    source = shop[_PROPERTIES]
    for match in _ENTRY.finditer(source.content):
        if match["key"] not in {"extends", "active"}:
            yield _fault(match["key"], source, *match.span("key"), misspelt(match["key"]), "R4C-CFG-011")


def invalid_value(shop: Shop) -> Iterator[Faulty]:
    """A value that its key cannot have."""
    for source in (shop[_TOML], shop[_PROPERTIES]):
        pattern, quote = (_VALUE, '"') if source.path == _TOML else (_ENTRY, "")
        for match in pattern.finditer(source.content):
            value = match["value"].strip('"')
            is_duration = re.fullmatch(r"\d+(ms|s|m)", value) is not None
            if is_duration or value.isdigit():
                new = f"{quote}{value[:-1]} s{quote}" if is_duration else "-1"
                yield _fault(value, source, *match.span("value"), new, "R4C-CFG-012")


def misspelt_member(shop: Shop) -> Iterator[Faulty]:
    """A member of an enumeration lacks a letter."""
    source = shop[_TOML]
    for value in ('"FULL"', '"GRADIENT2"'):
        start = source.find(value)
        yield _fault(value, source, start + 1, start + len(value) - 1, misspelt(value.strip('"')), "R4C-CFG-012")
    source = shop[_PROPERTIES]
    start = source.find("EXPONENTIAL")
    yield _fault("EXPONENTIAL", source, start, start + len("EXPONENTIAL"), "EXPONENTAL", "R4C-CFG-012")


def repeated_key(shop: Shop) -> Iterator[Faulty]:
    """A line stands in the file twice; the second is one too many."""
    source = shop[_PROPERTIES]
    for match in _ENTRY.finditer(source.content):
        place = Place("R4C-CFG-007", source, match.start(), LINT_AND_BUILD)
        copy = Edit(match.start(), match.start(), f"{match[0]}\n")
        moved = place._replace(into=len(copy.new))
        yield Faulty(match["key"] + str(match.start()), source, [copy], [moved])
    source = shop[_TOML]
    for line in ("window-size = 50\n", 'delay = "100ms"\n', "min-per-second = 5\n"):
        start = source.find(line)
        place = Place("R4C-CFG-007", source, start, LINT_AND_BUILD, len(line))
        yield Faulty(line.strip(), source, [Edit(start, start, line)], [place])


def broken_file(shop: Shop) -> Iterator[Faulty]:
    """A file cannot be parsed any more. What it would have said is unknown then, so nothing is said about that."""
    source = shop[_TOML]
    for old, new in (('"30s"\n', '"30s\n'), ("percent = 20", "percent ="), ('"10s" }', '"10s"')):
        start = source.find(old)
        yield _fault(old.strip(), source, start, start + len(old), new, "R4C-CFG-008")


def unknown_parent(shop: Shop) -> Iterator[Faulty]:
    """`extends` names a template that no source has."""
    for path, anchor, name in (
        (_TOML, 'extends = "external"', "external"),
        (_TOML, 'extends = "catalogue"', "catalogue"),
        (_PROPERTIES, "bulk-mail.extends = mail", "mail"),
    ):
        source = shop[path]
        start = source.find(anchor) + anchor.index(name, 10)
        yield _fault(name, source, start, start + len(name), misspelt(name), "R4C-CFG-002")


def unused_template(shop: Shop) -> Iterator[Faulty]:
    """A template that nothing refers to stands before another table."""
    source = shop[_TOML]
    for match in _TABLE.finditer(source.content):
        new = f'[resilience4cata.configs.left-over]\nretry = {{ delay = "{match.start() + 1}ms" }}\n\n'
        place = Place("R4C-CFG-006", source, match.start(), ONLY_LINT, new.index("left-over"))
        yield Faulty(str(match.start()), source, [Edit(match.start(), match.start(), new)], [place])


def circle(shop: Shop) -> Iterator[Faulty]:
    """A template extends itself, or one that extends it; the first edge in the file is told."""
    source = shop[_TOML]
    for name, own in (("external", "slow-external"), ("catalogue", "search")):
        start = source.find(f'extends = "{name}"') + len('extends = "')
        yield _fault(f"{own} itself", source, start, start + len(name), own, "R4C-CFG-003")
    for name, own in (("external", "slow-external"), ("catalogue", "search")):
        table = source.find(f"[resilience4cata.configs.{name}")
        new = f'[resilience4cata.configs.{name}]\nextends = "{own}"\n\n'
        edits = [Edit(table, table, new)]
        if name == "catalogue":
            edits = [Edit(source.find("hedge ="), source.find("hedge ="), 'extends = "search"\n')]
        into = new.index("extends") if name == "external" else 0
        places = [Place("R4C-CFG-003", source, edits[0].start, LINT_AND_BUILD, into)]
        yield Faulty(f"{name} and {own}", source, edits, places)
    source = shop[_PROPERTIES]
    start = source.find("extends = mail") + len("extends = ")
    yield _fault("bulk-mail itself", source, start, start + len("mail"), "bulk-mail", "R4C-CFG-003")


def unknown_profile(shop: Shop) -> Iterator[Faulty]:
    """The active profile is misspelt."""
    source = shop[_PROPERTIES]
    start = source.find("prod")
    yield _fault("prod", source, start, start + len("prod"), "prd", "R4C-CFG-005")


def unknown_budget(shop: Shop) -> Iterator[Faulty]:
    """The retry budget is misspelt."""
    source = shop[_TOML]
    start = source.find('"partners"')
    yield _fault("partners", source, start, start + len('"partners"'), '"partnes"', "R4C-CFG-020")


def unknown_target(shop: Shop) -> Iterator[Faulty]:
    """An override is for an element or instance that does not exist."""
    for path, old, new in (
        (_TOML, "PaymentsClient#charge", "PaymentsClient#chrge"),
        (_TOML, "PaymentsClient#charge", "PaymentClient#charge"),
        (_TOML, "instances.price-rules", "instances.price-rule"),
        (_PROPERTIES, "PaymentsClient/status", "PaymentsClient/staus"),
        (_PROPERTIES, "client.PaymentsClient", "clent.PaymentsClient"),
        (_PROPERTIES, "external-call/", "external-cal/"),
    ):
        source = shop[path]
        start = source.find(old)
        yield _fault(new, source, start, start + len(old), new, "R4C-CFG-009")


def undeclared_override(shop: Shop) -> Iterator[Faulty]:
    """An override tunes a policy that the element or instance does not have."""
    source = shop[_TOML]
    start = source.find('timeout = { value = "3s" }')
    end = start + len('timeout = { value = "3s" }')
    yield _fault("charge hedge", source, start, end, 'hedge = { delay = "3s" }', "R4C-CFG-010")
    yield _fault("charge bulkhead", source, start, end, "bulkhead = { max-concurrent = 3 }", "R4C-CFG-010")
    start = source.find('circuit-breaker = { wait-in-open = "1m" }')
    end = start + len('circuit-breaker = { wait-in-open = "1m" }')
    yield _fault("price-rules", source, start, end, 'timeout = { value = "3s" }', "R4C-CFG-010")
    source = shop[_PROPERTIES]
    start = source.find("external-call/retry/max-delay = 2s")
    end = start + len("external-call/retry/max-delay = 2s")
    yield _fault("external-call", source, start, end, "external-call/hedge/delay = 2s", "R4C-CFG-010")


def locked_override(shop: Shop) -> Iterator[Faulty]:
    """An instance is locked, and tuned all the same."""
    source = shop[_TOML]
    start = source.find('circuit-breaker = { wait-in-open = "1m" }')
    place = Place("R4C-CFG-014", source, start + 1, LINT_AND_BUILD)
    yield Faulty("price-rules", source, [Edit(start, start, "locked = true\n")], [place])


def missing_file(shop: Shop) -> Iterator[Faulty]:
    """A configured file does not exist; what it would have said is unknown."""
    source = shop["pyproject.toml"]
    for name in (_TOML, _PROPERTIES):
        start = source.find(f'"{name}"')
        edit = Edit(start, start + len(name) + 2, f'"conf/{name}"')
        yield Faulty(name, source, [edit], [Place("R4C-CFG-016", source, start, ONLY_LINT)])


def unresolved_path(shop: Shop) -> Iterator[Faulty]:
    """A dotted path leads nowhere. A list is one value, which begins with its first member."""
    source = shop[_PROPERTIES]
    begin = source.find("smtplib.SMTPServerDisconnected")
    for name in ("smtplib.SMTPServerDisconnected", "smtplib.SMTPConnectError"):
        start = source.find(name)
        place = Place("R4C-CFG-017", source, begin, LINT_AND_BUILD)
        yield Faulty(name, source, [Edit(start, start + len(name), misspelt(name))], [place])


def dropped_members(shop: Shop) -> Iterator[Faulty]:
    """A list replaces the inherited one, and forgets one of its members.

    The linter does not know what the classes of `smtplib` are made of, so one might be the base of the other.
    """
    source = shop[_PROPERTIES]
    line = "resilience4cata.configs.bulk-mail.retry.delay = 2s\n"
    start = source.find(line)
    for name in ("smtplib.SMTPServerDisconnected", "smtplib.SMTPConnectError"):
        new = f"resilience4cata.configs.bulk-mail.retry.retry-on = {name}\n"
        yield Faulty(name, source, [Edit(start, start, new)], [Place("R4C-CFG-019", source, start, ONLY_BUILD)])


OPERATORS = (
    misspelt_key,
    invalid_value,
    misspelt_member,
    repeated_key,
    broken_file,
    unknown_parent,
    unused_template,
    circle,
    unknown_profile,
    unknown_budget,
    unknown_target,
    undeclared_override,
    locked_override,
    missing_file,
    unresolved_path,
    dropped_members,
)
