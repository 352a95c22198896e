"""CFG: names in values of configuration that lead nowhere: dotted paths, and retry budgets."""

from __future__ import annotations

from collections.abc import Iterator

from ..config.resolve import sources_known
from ..config.tree import attribute_of
from ..diagnostics import Action, Context, Fault, Needs, rule
from ..facts import At, ConfigFile, Global, Key, Project, Unresolved, Value, Written
from ..schema import POLICIES, AttributeKind
from ..suggestions import did_you_mean
from .configuration import is_ours
from .words import all_fail, subject


@rule("R4C-CFG-017", "unresolved-path", view=ConfigFile, needs=Needs.FILES, fix=Action.WRITE)
def unresolved_path(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """A list in a file names its types by dotted paths. One that leads nowhere would fail in the middle of the first
    failure that it was written for."""
    for key in file.keys:
        for unresolved in key.unresolved if is_ours(key, context.project) else ():
            yield _leads_nowhere(key, unresolved)


def _leads_nowhere(key: Key, unresolved: Unresolved) -> Fault:
    near = did_you_mean(unresolved.missing, unresolved.candidates)
    prefix = f"{unresolved.known}." if unresolved.known else ""
    rest = unresolved.path[len(prefix) + len(unresolved.missing) :]
    is_bare = not prefix and not unresolved.reason
    return Fault(
        key.value_at,
        key.text,
        _message(unresolved),
        {
            "path": unresolved.path,
            "known": unresolved.known,
            "missing": unresolved.missing,
            "reason": unresolved.reason,
        },
        suggestions=(f"{prefix}{near}{rest}",) if near is not None else (),
        help="write the whole path: package.module.Name" if near is None and is_bare else "",
        words=(unresolved.path,),
        rivals=tuple(f"{prefix}{other}{rest}" for other in unresolved.candidates),
    )


def _message(unresolved: Unresolved) -> str:
    if unresolved.reason:
        return "'{path}' leads nowhere: {reason}"
    if unresolved.known:
        return "'{path}' leads nowhere: '{known}' has no '{missing}'"
    return "'{path}' leads nowhere: there is no '{missing}'"


@rule(
    "R4C-CFG-020",
    "unknown-budget",
    view=(Written, ConfigFile),
    needs=Needs.FILES | Needs.TEMPLATES,
    fix=Action.WRITE,
)
def unknown_budget(view: Written | ConfigFile, context: Context) -> Iterator[Fault]:
    """A retry budget bounds the retries of all its users together. One that does not exist bounds nothing, and a whole
    system retries at once when a service fails."""
    budgets = _budgets(context)
    if budgets is None:
        return
    for at, title, name in _in_code(view, budgets) if isinstance(view, Written) else _in_file(view, context, budgets):
        near = did_you_mean(name, budgets)
        yield Fault(
            at,
            title,
            "no retry budget named '{name}' found",
            {"name": name},
            suggestions=(near,) if near is not None else (),
            words=(name,),
            rivals=budgets,
            help="" if near is not None else "define it in a configuration file: budgets.{name}.percent",
        )


def _in_code(written: Written, budgets: frozenset[str]) -> Iterator[tuple[At, str, str]]:
    schema = POLICIES.get(written.declaration.policy)
    for name, slot in written.declaration.slots.items():
        attribute = schema.attributes.get(name) if schema is not None else None
        if attribute is not None and attribute.kind is AttributeKind.BUDGET_NAME:
            missing = all_fail(slot, lambda value: _absent(value, budgets))
            if missing is not None:
                yield slot.at, subject(written, name), missing


def _in_file(file: ConfigFile, context: Context, budgets: frozenset[str]) -> Iterator[tuple[At, str, str]]:
    for key in file.keys:
        attribute = attribute_of(key.meaning)
        if attribute is not None and attribute.kind is AttributeKind.BUDGET_NAME:
            missing = _absent(key.value, budgets) if is_ours(key, context.project) else None
            if missing is not None:
                yield key.value_at, key.text, missing


def _absent(value: Value, budgets: frozenset[str]) -> str | None:
    return value if isinstance(value, str) and value.strip() and value not in budgets else None


def _budgets(context: Context) -> frozenset[str] | None:
    """The budgets that exist; None if there may be others."""
    if _budgets not in context.memo:
        known = sources_known(context.project)
        context.memo[_budgets] = frozenset(_defined(context.project)) if known else None
    budgets: frozenset[str] | None = context.memo[_budgets]
    return budgets


def _defined(project: Project) -> Iterator[str]:
    for file in project.files:
        for key in file.keys:
            # Also by a key whose last part is wrong: that is reported where it stands.
            is_budget = isinstance(key.meaning, Global) or key.path[:1] == ("budgets",)
            if is_budget and key.path[:1] == ("budgets",) and len(key.path) > 1:
                yield key.path[1]
