"""What goes wrong when settings are put to use, in the words of the rules.

What runs raises exceptions of its own (`NotMade`, `NotFound`, `InUse`), which nobody is to see: `in_words` makes them
what `build()` would have raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from .. import rules
from ..diagnostics import FRONT_ENDS, Context, Diagnostic
from ..errors import DefinitionError
from ..extract.settings import NotMade, PolicySettings, Settings
from ..facts import UNKNOWN, At, Clash, Element, Unfound, Unmade
from ..pipeline.falling_back import NotFound
from ..pipeline.instances import RECORDS, InUse, record_of
from ..schema import POLICIES
from .wording import worded

T = TypeVar("T")
Seen = tuple[Settings, Element]
"""An element, and settings that know it."""


def in_words(use: Callable[[], T], seen: Callable[[], Seen], others: Callable[[], Iterable[Element]] = tuple) -> T:
    """What `use` gives. Raises DefinitionError for what is wrong with the element that `seen` gives.

    `others` are the elements that may use the same instances.
    """
    try:
        return use()
    except (NotMade, NotFound, InUse) as error:
        wrong = error
    settings, element = seen()
    raise error_of(settings, [(element, wrong)], others()) from cause_of(wrong)


def error_of(
    settings: Settings, wrong: Iterable[tuple[Element, Exception]], others: Iterable[Element] = ()
) -> DefinitionError:
    """The error that tells of everything that is wrong with elements."""
    diagnostics = diagnostics_of(settings, wrong, others)
    return DefinitionError("\n".join(diagnostic.text for diagnostic in diagnostics), diagnostics)


def diagnostics_of(
    settings: Settings, wrong: Iterable[tuple[Element, Exception]], others: Iterable[Element] = ()
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with elements; a class that many name in one place is told of once."""
    views: dict[object, object] = {}
    for element, error in wrong:
        view = _view(settings, element, error, others)
        key = (view.policy, view.attribute, view.at) if isinstance(view, Unmade) and view.at.line else id(view)
        views.setdefault(key, view)
    return _told(settings, views.values())


def refuse_other_pipeline(settings: Settings, first: tuple[Element, At], other: tuple[Element, At]) -> None:
    """Raise DefinitionError for two pipelines of one name, given with the calls that made them, unless their settings
    are equal."""
    theirs, ours = settings.of(first[0]), settings.of(other[0])
    different = tuple(_different(theirs, ours))
    if different:
        clash = Clash(other[0].definition.name, "", first[0], other[0], different, first[1], other[1])
        found = _told(settings, (clash,))
        raise DefinitionError("\n".join(diagnostic.text for diagnostic in found), found)


def cause_of(wrong: Exception) -> Exception | None:
    """What to show as the cause of an error."""
    return wrong.error if isinstance(wrong, NotMade) else None


def _told(settings: Settings, views: Iterable[object]) -> tuple[Diagnostic, ...]:
    context = Context(FRONT_ENDS["build"], oracle=settings.oracle, project=settings.instances.project)
    return tuple(worded(finding, strict=settings.strict) for finding in rules.check(views, context))


def _different(theirs: Mapping[str, PolicySettings], ours: Mapping[str, PolicySettings]) -> Iterator[tuple[str, str]]:
    for policy in POLICIES:
        if (policy in theirs) is not (policy in ours):
            yield policy, ""
        elif policy in ours:
            yield from ((policy, name) for name, value in ours[policy].items() if value != theirs[policy][name])


def _view(settings: Settings, element: Element, error: Exception, others: Iterable[Element]) -> object:
    match error:
        case NotMade():
            return _unmade(settings, element, error)
        case NotFound():
            return Unfound(element, error.name, error.where)
        case InUse():
            different = tuple((error.policy, attribute) for attribute in error.different)
            first = next(_users(settings, error, element, others), None)
            return Clash(error.name, error.policy, first, element, different)
    raise error


def _unmade(settings: Settings, element: Element, error: NotMade) -> Unmade:
    found = settings.instances.resolver.resolve(element).get((error.policy, error.attribute))
    value, at = (UNKNOWN, element.definition.at) if found is None else (found.value, found.origin.at)
    if found is not None and found.slot is not None:
        at = found.slot.at
    reason = f"{type(error.error).__name__}: {error.error}"
    return Unmade(element, error.policy, error.attribute, value, at, reason)


def _users(settings: Settings, error: InUse, element: Element, others: Iterable[Element]) -> Iterator[Element]:
    """Those who use the instance with the settings that it has."""
    for other in others:
        if other is element:
            continue
        try:
            values: Mapping[str, Any] = settings.of(other).get(error.policy, {})
        except NotMade:
            continue
        is_user = values.get("name") == error.name
        if is_user and record_of(RECORDS[error.policy], values) == error.known:
            yield other
