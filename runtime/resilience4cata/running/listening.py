"""Listeners, looked at where they are given."""

from __future__ import annotations

from collections.abc import Callable, Collection

from .. import rules
from ..arguments import expect_callable, expect_text
from ..config.instances import Instances
from ..config.resolve import Resolver
from ..diagnostics import FRONT_ENDS, Context, Severity
from ..errors import DefinitionError
from ..events import expect_kind
from ..extract import extract
from ..extract.listeners import CodeListener, listener_of
from ..extract.places import Places
from ..facts import Project
from ..suggestions import did_you_mean_path
from .era import Era
from .later import guards_named


def expect_listener(call: str, kind: object, callback: object) -> None:
    """Raise TypeError for what is no kind of event, nor a union of kinds, and for a callback that cannot be called.

    `call` is the method that was given them, as its callers write it.
    """
    expect_kind(call, kind)
    expect_callable(call, "a function that takes an event", callback)


def refuse_unfit(given: CodeListener) -> None:
    """Raise DefinitionError, as `build()` does for its listeners, for a callback of which nothing would ever run."""
    context = Context(FRONT_ENDS["build"])
    if not rules.check((listener_of(given, Places()),), context):
        return
    # Read only now that there is something to tell.
    places = Places()
    exact = Places({places.shown(given.site.code.co_filename)})
    found = tuple(finding.diagnostic() for finding in rules.check((listener_of(given, exact),), context))
    errors = tuple(diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR)
    if errors:
        raise DefinitionError("\n".join(diagnostic.text for diagnostic in errors), errors)


def expect_instance(name: str, current: Callable[[], Era]) -> None:
    """Raise TypeError for what is no name, and LookupError, with the nearest name or id, for an instance of which no
    event can come, as far as anything is declared anywhere; `current` gives what counts."""
    expect_text("listen()", "the name or id of an instance", name)
    era = current()
    if not era.checked.is_checked or name in era.pipelines or guards_named(name):
        return
    known = _names(era.settings.instances) | {known for _, known in tuple(era.instances.records)}
    if name in known or not era.settings.instances.names_known or name in _names_elsewhere():
        return
    near = did_you_mean_path(name, sorted(known | era.pipelines.keys()))
    msg = f"there is no instance '{name}'" + (f"; did you mean '{near}'?" if near else "")
    raise LookupError(msg)


def _names(instances: Instances) -> set[str]:
    return {*instances.elements, *instances.shared}


def _names_elsewhere() -> Collection[str]:
    """Names and ids of what stands in modules that were not chosen, and yet runs when it is called."""
    found = extract(lambda _: True)
    return _names(Instances(Resolver.of(Project(elements=found.elements, composed=found.composed))))
