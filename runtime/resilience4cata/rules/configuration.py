"""CFG: configuration files and templates that cannot be read, or that name what does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from ..config.grammar import is_attribute
from ..config.tree import quoted
from ..diagnostics import Action, Context, Fault, Needs, Related, rule
from ..facts import (
    At,
    Composed,
    ConfigFile,
    Extends,
    Global,
    Key,
    Meaning,
    PipelineCall,
    Project,
    Setting,
    Slot,
    Template,
    Unrecognised,
    Written,
)
from ..schema import policy_by_key
from ..suggestions import did_you_mean, did_you_mean_path
from .naming import FORM, repaired, well_formed
from .words import all_fail, subject

_PREFIX: Final = "resilience4cata."


def _template_names(context: Context) -> frozenset[str] | None:
    """Every template that exists; None if there may be others."""
    if _template_names not in context.memo:
        context.memo[_template_names] = _names_in(context.project)
    names: frozenset[str] | None = context.memo[_template_names]
    return names


def _names_in(project: Project) -> frozenset[str] | None:
    if not project.templates_closed or any(file.broken for file in project.files):
        return None
    keys = (key for file in project.files for key in file.keys)
    misspelt = {name for key in keys if (name := _template_named_by(key)) is not None}
    return frozenset(misspelt | {template.name for template in project.templates})


def _template_named_by(key: Key) -> str | None:
    """The template that a key without meaning shows to exist: what is wrong there is reported once, where it stands."""
    meaning = key.meaning
    if not isinstance(meaning, Unrecognised):
        return None
    if "configs." in (meaning.suggestion or ""):  # it stands one level too high
        return key.path[meaning.index]
    start = 2 if key.path[:1] == ("profiles",) else 0
    is_inside = key.path[start : start + 1] == ("configs",) and meaning.index > start + 1
    return key.path[start + 1] if is_inside else None


def _nearest(word: str, names: frozenset[str]) -> tuple[str, ...]:
    suggestion = did_you_mean(word, names)
    return (suggestion,) if suggestion is not None else ()


@rule(
    "R4C-CFG-001",
    "unknown-template",
    view=(Written, PipelineCall),
    needs=Needs.DECLARATIONS | Needs.TEMPLATES,
    fix=Action.WRITE,
)
def unknown_template(view: Written | PipelineCall, context: Context) -> Iterator[Fault]:
    """A policy that starts from a template that does not exist would run on built-in defaults, and nobody would notice
    before the first outage."""
    slot = view.declaration.slots.get("config") if isinstance(view, Written) else view.config
    names = _template_names(context)
    if slot is None or names is None:
        return
    missing = all_fail(slot, lambda value: value if isinstance(value, str) and value not in names else None)
    if missing is not None:
        yield Fault(
            slot.at,
            subject(view, "config") if isinstance(view, Written) else view.title,
            "no template named '{name}' found",
            {"name": missing},
            suggestions=_nearest(missing, names),
            words=(missing,),
            rivals=names,
        )


@rule(
    "R4C-CFG-002",
    "unknown-parent-template",
    view=Template,
    needs=Needs.FILES | Needs.TEMPLATES,
    fix=Action.WRITE,
)
def unknown_parent_template(template: Template, context: Context) -> Iterator[Fault]:
    """A template that extends nothing loses everything it was meant to inherit."""
    names = _template_names(context)
    if template.extends and names is not None and template.extends not in names:
        yield Fault(
            template.extends_at,
            f"{title_of(template)}.extends",
            "no template named '{name}' found",
            {"name": template.extends},
            suggestions=_nearest(template.extends, names - _extending(template.name, context.project.templates)),
            words=(template.extends,),
            rivals=names - {template.name},
        )


def _extending(name: str, templates: Sequence[Template]) -> frozenset[str]:
    """A template and all that extend it, in some profile: to extend one of them would make a circle."""
    found = {name}
    while further := {t.name for t in templates if t.extends in found} - found:
        found |= further
    return frozenset(found)


def title_of(template: Template) -> str:
    """The key of a template: `profiles.prod.configs.external`."""
    profile = f"profiles.{quoted(template.profile)}." if template.profile is not None else ""
    return f"{profile}configs.{quoted(template.name)}"


@rule("R4C-CFG-003", "circular-templates", view=Project, needs=Needs.FILES)
def circular_templates(project: Project, context: Context) -> Iterator[Fault]:
    """A template that extends itself, directly or through others, has no settings of its own to begin with."""
    profiles = dict.fromkeys(template.profile for template in project.templates if template.profile is not None)
    seen: set[frozenset[str]] = set()
    for profile in (None, *profiles):
        edges = _edges(project.templates, profile)
        for circle in _circles(edges):
            if frozenset(circle) not in seen:
                seen.add(frozenset(circle))
                yield _circle_fault([edges[name] for name in circle])


def _edges(templates: Sequence[Template], profile: str | None) -> Mapping[str, Template]:
    """The template by which each name extends another: the profile's wins, then the last; in file order."""
    edges: dict[str, Template] = {}
    for wanted in dict.fromkeys((None, profile)):
        edges.update({t.name: t for t in templates if t.extends is not None and t.profile == wanted})
    return dict(sorted(edges.items(), key=lambda item: templates.index(item[1])))


def _circles(edges: Mapping[str, Template]) -> Iterator[list[str]]:
    """The names of each circle once, from the one that comes first in the files."""
    done: set[str] = set()
    for start in edges:
        path: list[str] = []
        name: str | None = start
        while name is not None and name in edges and name not in done and name not in path:
            path.append(name)
            name = edges[name].extends
        if name in path:
            circle = path[path.index(name) :]
            first = min(circle, key=list(edges).index)
            turn = circle.index(first)
            yield circle[turn:] + circle[:turn]
        done.update(path)


def _circle_fault(circle: list[Template]) -> Fault:
    names = [template.name for template in circle]
    related = (Related(t.extends_at, f"'{t.name}' extends '{t.extends}' here") for t in circle[1:])
    return Fault(
        circle[0].extends_at,
        f"{title_of(circle[0])}.extends",
        "templates extend each other in a circle: {path}",
        {"path": " -> ".join((*names, names[0]))},
        help="one of them has to stand on its own",
        related=tuple(place for place in related if place.at.line),
    )


@rule("R4C-CFG-004", "malformed-name", view=(Composed, Template))
def malformed_name(named: Composed | Template, context: Context) -> Iterator[Fault]:
    """Names of templates and composed policies become parts of keys and of environment variables, where dots, blanks
    and case have meanings of their own."""
    if isinstance(named, Template):
        title = title_of(named)
        slot = Slot((named.name,), named.at)
    else:
        title, slot = named.title, named.name
    name = all_fail(slot, lambda value: value if isinstance(value, str) and not well_formed(value) else None)
    if name is not None:
        yield Fault(
            slot.at,
            title,
            "malformed name '{name}'",
            {"name": name},
            suggestions=repaired(name),
            expected=FORM,
        )


@rule("R4C-CFG-007", "repeated-key", view=ConfigFile, needs=Needs.FILES)
def repeated_key(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """Of two values for one key only one counts, and formats disagree which: TOML refuses the file, properties take the
    last."""
    for repeated in file.repeated:
        yield _written_twice(repeated.at, repeated.key, "", repeated.first)
    first: dict[Meaning, Key] = {}
    for key in file.keys if file.profiles is None else ():
        if isinstance(key.meaning, Setting | Extends | Global):
            before = first.setdefault(key.meaning, key)
            if before is not key and not _is_repeated(key, file):
                yield _written_twice(key.at, key.text, before.text, before.at)


def _is_repeated(key: Key, file: ConfigFile) -> bool:
    """Whether the key, or a table that it stands in, is written twice in one spelling."""
    return any(key.text == repeated.key or key.text.startswith(f"{repeated.key}.") for repeated in file.repeated)


def _written_twice(at: At, subject: str, other: str, first: At) -> Fault:
    return Fault(
        at,
        subject,
        "key is written twice, first as '{other}'" if other not in ("", subject) else "key is written twice",
        {"other": other},
        help="remove one of them",
        related=(Related(first, "first written here"),),
    )


@rule("R4C-CFG-008", "unreadable-configuration", view=ConfigFile, needs=Needs.FILES)
def unreadable_configuration(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """A file that cannot be read configures nothing, and every policy that relies on it would run on other settings
    than its author believes."""
    if file.broken is not None and not file.broken.missing:
        yield Fault(file.broken.at, "", "configuration cannot be read: {reason}", {"reason": file.broken.reason})


@rule("R4C-CFG-016", "missing-configuration", view=ConfigFile, needs=Needs.FILES)
def missing_configuration(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """A file that is named and not there was renamed, or left behind in a deployment: without it every policy would
    run on other settings than its author believes."""
    broken = file.broken
    if broken is not None and broken.missing:
        near = _near_file(PurePosixPath(file.source), broken.candidates)
        yield Fault(
            broken.at,
            "",
            "the configuration file '{path}' does not exist",
            {"path": file.source},
            suggestions=(str(PurePosixPath(file.source).with_name(near)),) if near is not None else (),
        )


def _near_file(path: PurePosixPath, names: tuple[str, ...]) -> str | None:
    """The file that was probably meant: one with another ending, or one whose words are near, each by itself."""
    # Where the ending is all that files have in common, or what they begin with, they are no slips of each other.
    paths = {re.sub("[-_]", ".", name): name for name in sorted(names, reverse=True)}
    word = re.sub("[-_]", ".", path.name)
    near = word if word in paths else did_you_mean_path(word, paths)
    of_other_format = (name for name in names if PurePosixPath(name).stem == path.stem and name != path.name)
    return paths[near] if near is not None else next(of_other_format, None)


@rule("R4C-CFG-011", "unknown-key", view=ConfigFile, needs=Needs.FILES, fix=Action.WRITE)
def unknown_key(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """A key that nobody reads changes nothing: the setting it was meant for keeps its old value, silently."""
    seen: set[tuple[str, ...]] = set()
    for key in file.keys:
        meaning = key.meaning
        if not isinstance(meaning, Unrecognised) or not is_ours(key, context.project):
            continue
        outermost = key.path[: meaning.index + 1]
        if outermost not in seen:
            seen.add(outermost)
            yield _too_short(key, meaning) if meaning.index >= len(key.path) else _unknown_part(key, meaning)


def is_ours(key: Key, project: Project) -> bool:
    """Whether a key concerns us: one with slashes beside our tree does if its first segment is known in the project."""
    if key.certain:
        return True
    owner = key.path[0].partition("#")[0]
    if owner not in _owners(project):
        return False
    # The name of a module may well be a word that others use, too.
    is_word = "." not in owner and all(owner != composed.name.value for composed in project.composed)
    return not is_word or not isinstance(key.meaning, Unrecognised) or names_policy(key)


def _owners(project: Project) -> frozenset[object]:
    """What the first segment of a key with slashes may be, or may be meant to be."""
    names = {composed.name.value for composed in project.composed}
    scopes = [scope for e in project.elements for scope in (e.scope, e.body) if scope is not None]
    classes = {below.id for scope in scopes for below in (scope, *scope.subclasses())}
    ids = {name for e in project.elements for name in (e.definition.id, e.definition.owner)}
    return frozenset(names | classes | ids)


def names_policy(key: Key) -> bool:
    """Whether a key has a policy or an attribute of one among its parts."""
    return any(policy_by_key(part) is not None or is_attribute(part) for part in key.path[1:])


def is_slash_key(key: Key) -> bool:
    """Whether the key is written with slashes: `acme.payments.PaymentsClient/charge/timeout/value`."""
    return len(key.path) > 1 and key.text == "/".join(key.path)


def _too_short(key: Key, meaning: Unrecognised) -> Fault:
    separator = "/" if is_slash_key(key) else "."
    # With dots, the value of a whole table may be meant.
    whole = f"{key.text}/value" if separator == "/" and "value" in meaning.candidates else None
    return Fault(
        key.at,
        key.text,
        "'{part}' cannot have a value of its own",
        {"part": _printable(key.path[-1])},
        suggestions=(whole,) if whole is not None else (),
        expected=f"{key.text}{separator}<{' | '.join(meaning.candidates)}>" if meaning.candidates else "",
        words=(key.text,) if whole is not None else (),
        certain=False,
    )


def _unknown_part(key: Key, meaning: Unrecognised) -> Fault:
    part = key.path[meaning.index]
    at = key.parts_at[meaning.index] if key.parts_at else key.at
    near, word = did_you_mean(part, meaning.candidates), part
    if meaning.suggestion is not None:
        # In a file of dotted lines the whole line's key is replaced, in one of tables only the part that stands there.
        if is_slash_key(key):
            at, word = key.at, key.text
        elif meaning.suggestion.startswith(_PREFIX):
            at, word = key.at, f"{_PREFIX}{key.text.removeprefix(_PREFIX)}"
        suggestions: tuple[str, ...] = (meaning.suggestion,)
    else:
        suggestions = (near,) if near is not None else ()
    return Fault(
        at,
        key.text,
        "unknown key '{part}'",
        {"part": _printable(part), "candidates": ", ".join(meaning.candidates)},
        suggestions=suggestions,
        help="" if suggestions else _unknown_help(key, meaning),
        words=(word,),
        rivals=meaning.candidates,
    )


def _printable(part: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in part)


def _unknown_help(key: Key, meaning: Unrecognised) -> str:
    schema = policy_by_key(key.path[meaning.index - 1]) if meaning.index else None
    attribute = schema.attributes.get(key.path[meaning.index].replace("-", "_")) if schema is not None else None
    if attribute is not None and not attribute.configurable:
        return "it is written in code only"
    if key.path[0] == "tool" and meaning.index == 0:
        return "only pyproject.toml has this level"
    if meaning.index == 0 and "#" in key.path[0]:
        return "with slashes, a method stands behind its class: Class/method/policy/attribute"
    if is_slash_key(key) and meaning.index == 0:
        return "the levels of this tree are joined by dots"
    if not meaning.candidates and key.path[meaning.index].startswith(_PREFIX):
        return "dots between quotes join no levels: leave the quotes out"
    return "known here: {candidates}" if meaning.candidates else ""
