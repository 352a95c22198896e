"""CFG: templates and keys of files that change nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..config.instances import Instances
from ..config.origin import Effective, Layer
from ..config.profiles import Prospects, choices
from ..config.resolve import Resolver, sources_known
from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import UNKNOWN, At, Element, Key, Project, Setting, Template
from ..suggestions import did_you_mean
from .configuration import title_of
from .words import show

# An application imports what it needs; only the linter sees all that could use a file.
_WHOLE: Final = Needs.FILES | Needs.PROJECT | Needs.SOURCES


@rule("R4C-CFG-006", "unused-template", view=Project, severity=Severity.WARNING, needs=_WHOLE | Needs.TEMPLATES)
def unused_template(project: Project, context: Context) -> Iterator[Fault]:
    """A template that nothing uses is tuned in vain: whoever changes it believes that a service has changed."""
    if project.used_templates is None or not (project.closed and sources_known(project)):
        return
    used = _with_parents(project.used_templates, project.templates)
    # Whoever misspelt a name meant one of these, and is told so where the name stands.
    names = {template.name for template in project.templates}
    meant = {near for name in used - names if (near := did_you_mean(name, names)) is not None}
    used = _with_parents(used | meant, project.templates)
    seen: set[str] = set()
    for template in sorted(project.templates, key=lambda t: t.profile is not None):
        if template.name not in used | seen and template.at.line:
            seen.add(template.name)
            yield Fault(
                template.at,
                title_of(template),
                "nothing uses the template '{name}'",
                {"name": template.name},
                help="remove it, or name it by config= where it was meant",
            )


def _with_parents(names: frozenset[str], templates: tuple[Template, ...]) -> frozenset[str]:
    """The templates of these names, and all that they extend under any profile."""
    found, more = names, names
    while more:
        parents = {t.extends for t in templates if t.name in more and t.extends is not None}
        more = frozenset(parents - found)
        found |= more
    return found


@rule("R4C-CFG-018", "idle-key", view=Project, severity=Severity.WARNING, needs=_WHOLE | Needs.EFFECTIVE)
def idle_key(project: Project, context: Context) -> Iterator[Fault]:
    """A key of a class or of a composed policy counts for all who say nothing themselves. Where each of them says
    something, the key is read, found right, and without any effect."""
    keys = {key.at: key for file in project.files for key in file.keys if _tunes_family(key)}
    if not keys or not project.closed:
        return
    beaten: dict[At, list[tuple[Element, Effective]]] = {}
    effective: set[At] = set()
    for element, found in _everything(project):
        effective.add(found.origin.at)
        if found.value is UNKNOWN:
            effective.update(given.origin.at for given in found.shadowed)
        for given in found.shadowed:
            if given.origin.at in keys and _is_of_element(found):
                beaten.setdefault(given.origin.at, []).append((element, found))
            else:
                effective.add(given.origin.at)
    for at, by in beaten.items():
        if at not in effective:
            yield _idle(keys[at], by)


def _everything(project: Project) -> Iterator[tuple[Element, Effective]]:
    """Every effective setting of every guarded function, under every choice of profiles."""
    elements = Instances(Resolver.of(project)).elements
    prospects = Prospects(project, choices(project))
    for element in (e for several in elements.values() for e in several):
        for _, settled in prospects.of(element):
            for found in settled.values.values():
                yield element, found


def _tunes_family(key: Key) -> bool:
    return isinstance(key.meaning, Setting) and key.meaning.kind == "family"


def _is_of_element(found: Effective) -> bool:
    """Whether a value stands in code, further in than the key: an operator's key may come and go."""
    return Layer.CLASS_DIRECT <= found.origin.layer <= Layer.METHOD_DIRECT and found.slot is not None


def _idle(key: Key, by: list[tuple[Element, Effective]]) -> Fault:
    places: Mapping[At, str] = {
        (found.slot.at if found.slot is not None and found.slot.at.line else found.origin.at): show(found.value)
        for _, found in by
    }
    return Fault(
        key.at,
        key.text,
        "the key never takes effect: all that it reaches set '{attribute}' themselves",
        {"attribute": key.path[-1]},
        help="remove it, or tune the functions one by one",
        related=tuple(Related(at, f"{value} is set here") for at, value in sorted(places.items()) if at.line),
    )
