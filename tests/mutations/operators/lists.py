"""Faults in lists of exceptions, classifiers, and the names of instances and templates."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ..mutant import ALL, LINT_AND_BUILD, Edit, Faulty, Place
from ..sources import Shop, Use
from .fallbacks import misspelt

_ALLOW = frozenset({"retry_on", "record_on", "apply_on"})
_LISTS = _ALLOW | {"abort_on", "ignore_on", "skip_on"}
_DENY = {"retry": "abort_on", "circuit_breaker": "ignore_on", "fallback": "skip_on"}


def exceptions(shop: Shop, names: frozenset[str] = _LISTS) -> Iterator[tuple[Use, ast.keyword]]:
    """Every written list of exceptions of these names."""
    return ((use, word) for use in shop.uses for word in use.call.keywords if word.arg in names)


def _replaced(use: Use, word: ast.keyword, new: str, code: str, reports: frozenset[str] = ALL) -> Faulty:
    source = use.source
    start = source.start(word.value)
    edit = Edit(start, source.end(word.value), new)
    return Faulty(f"{use.title} {word.arg}", source, [edit], [Place(code, source, start, reports)])


def allowed_and_denied(shop: Shop) -> Iterator[Faulty]:
    """What is allowed is denied as well."""
    # The allowed one is as wrong as the denied one, and comes first.
    return _denied_too(shop, "R4C-CL-001", lambda use, allowed: use.source.code(allowed))


def denied_by_a_base(shop: Shop) -> Iterator[Faulty]:
    """A base of all that is allowed is denied, so nothing is left; a fallback never applies then."""
    return _denied_too(shop, "R4C-CL-004", lambda use, allowed: "Exception")


def _denied_too(shop: Shop, code: str, denied: Callable[[Use, ast.expr], str]) -> Iterator[Faulty]:
    """A deny list is added to each allow list of one name; the fault is reported at that name."""
    for use, word in exceptions(shop, _ALLOW):
        deny = _DENY[use.policy]
        if use.keyword(deny) is None and isinstance(word.value, ast.Name):
            end = use.source.end(word)
            edit = Edit(end, end, f", {deny}={denied(use, word.value)}")
            place = Place(code, use.source, use.source.start(word.value))
            if (code, use.policy) == ("R4C-CL-004", "fallback"):
                place = Place("R4C-FB-011", use.source, use.place)
            places = [place, *(_also_denied(shop, use) if code == "R4C-CL-004" else ())]
            yield Faulty(f"{use.title} {word.arg}", use.source, [edit], places)


def _also_denied(shop: Shop, use: Use) -> Iterator[Place]:
    """The only function that lets other failures be repeated than its composed policy; mypy does not see its base."""
    source = shop["shop/storage/orders.py"]
    if use.source.path == "shop/policies/internal.py":
        yield Place(
            "R4C-CL-004", source, source.find("StorageError", after="@retrying(retry_on=Storage"), LINT_AND_BUILD
        )


def own_timeouts_denied(shop: Shop) -> Iterator[Faulty]:
    """All that the system may raise is denied, and the timeouts of the same method with it.

    Of classes with bases in other modules mypy does not know which policies these have.
    """
    timed = {use.owner for use in shop.uses if use.policy == "timeout"}
    for use in shop.uses:
        deny = _DENY.get(use.policy)
        words = {word.arg: use.source.code(word.value) for word in use.call.keywords}
        selective = bool(words.keys() & (_LISTS | {"classifier"})) or words.get("max_attempts") == "1"
        if deny is not None and use.function is not None and use.function in timed and words and not selective:
            end = use.source.end(use.call.keywords[-1])
            edit = Edit(end, end, f", {deny}=OSError")
            reports = ALL if use.source.path == "shop/users/client.py" else LINT_AND_BUILD
            yield Faulty(use.title, use.source, [edit], [Place("R4C-CL-007", use.source, end, reports)])


def no_exception(shop: Shop) -> Iterator[Faulty]:
    """A class that is no exception. mypy says so itself."""
    for use, word in exceptions(shop):
        yield _replaced(use, word, "dict", "R4C-CL-002", LINT_AND_BUILD)


def no_exception_among_others(shop: Shop) -> Iterator[Faulty]:
    """A text in a tuple. mypy says so itself."""
    for use, word in exceptions(shop):
        if isinstance(word.value, ast.Name):
            yield _replaced(use, word, f'("Timeout", {use.source.code(word.value)})', "R4C-CL-002", LINT_AND_BUILD)


def everything_allowed(shop: Shop) -> Iterator[Faulty]:
    """What is meant to end the program is allowed."""
    for use, word in exceptions(shop, _ALLOW):
        yield _replaced(use, word, "BaseException", "R4C-CL-003")
        fault = _replaced(use, word, "(KeyboardInterrupt,)", "R4C-CL-003")
        yield fault._replace(title=f"{fault.title} interrupt")


def classifier_of_another_result(shop: Shop) -> Iterator[Faulty]:
    """The classifier judges numbers, the method answers otherwise."""
    source = shop["shop/catalogue/stock.py"]
    use = next(
        use for use in source.uses if use.owner is not None and use.owner.name == "recount" and use.policy == "retry"
    )
    word = use.keyword("classifier")
    assert word is not None
    yield _replaced(use, word, "StockLevel", "R4C-CL-005", LINT_AND_BUILD)


def async_classifier(shop: Shop) -> Iterator[Faulty]:
    """The classifier is asked, and answers with a coroutine. mypy says so where it is defined."""
    source = shop["shop/catalogue/stock.py"]
    at = source.find("def classify(")
    places = [
        Place("R4C-AS-003", source, source.start(word.value), LINT_AND_BUILD)
        for use in source.uses
        if (word := use.keyword("classifier")) is not None
    ]
    yield Faulty("stock", source, [Edit(at, at, "async ")], places)


def misspelt_template(shop: Shop) -> Iterator[Faulty]:
    """`config=` names a template that no source has."""
    for use in shop.uses:
        name, word = use.text("config"), use.keyword("config")
        if name is not None and word is not None:
            yield _replaced(use, word, f'"{misspelt(name)}"', "R4C-CFG-001")


def malformed_instance(shop: Shop) -> Iterator[Faulty]:
    """A name that no instance may have."""
    for use in shop.uses:
        name, word = use.text("name"), use.keyword("name")
        if name is not None and word is not None and name != "price-rules":
            yield _replaced(use, word, f'"{name.replace("-", " ")}"', "R4C-IN-002")
            fault = _replaced(use, word, '"default"', "R4C-IN-002")
            yield fault._replace(title=f"{fault.title} default")


def orphaned_override(shop: Shop) -> Iterator[Faulty]:
    """The instance that a file tunes is called otherwise in code."""
    source, tuned = shop["shop/catalogue/prices.py"], shop["resilience4cata.toml"]
    start = source.find('"price-rules"')
    place = Place("R4C-CFG-009", tuned, tuned.find("[resilience4cata.instances.price-rules]"), LINT_AND_BUILD)
    yield Faulty("price-rules", source, [Edit(start, start + len('"price-rules"'), '"price-list"')], [place])


def settings_differ(shop: Shop) -> Iterator[Faulty]:
    """One of two users of a shared instance wants other settings; the later one in the order of files is told."""
    push = shop["shop/notifications/push.py"]
    place = Place("R4C-IN-001", push, push.find('rate_limiter(name="partner-api"'), LINT_AND_BUILD)
    for path in ("shop/catalogue/stock.py", "shop/notifications/push.py"):
        source = shop[path]
        for old, new in (("permits=20", "permits=21"), ('period="1s"', 'period="2s"'), ('"100ms"', '"90ms"')):
            start = source.find(old, after='name="partner-api"')
            yield Faulty(f"{path} {new}", source, [Edit(start, start + len(old), new)], [place])


OPERATORS = (
    allowed_and_denied,
    denied_by_a_base,
    own_timeouts_denied,
    no_exception,
    no_exception_among_others,
    everything_allowed,
    classifier_of_another_result,
    async_classifier,
    misspelt_template,
    malformed_instance,
    orphaned_override,
    settings_differ,
)
