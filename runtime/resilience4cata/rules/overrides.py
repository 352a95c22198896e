"""CFG: keys and calls that tune one instance, class or composed policy, and miss it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ..config.instances import Instances
from ..config.resolve import element_id, locked_instances
from ..diagnostics import Action, Context, Fault, Needs, Related, Severity, rule
from ..facts import At, Composed, Definition, Element, Project, Unknown
from ..schema import POLICIES
from ..suggestions import did_you_mean, did_you_mean_path
from .configuration import is_slash_key
from .naming import well_formed
from .tunings import Tuning, instances_of, tunings

# ---------------------------------------------------------------- what does not exist


class _Missing(NamedTuple):
    """Why nothing can be meant, what may have been meant instead, and whether that much is certain.

    `word` stands where the suggestion belongs, which was chosen from `rivals`.
    """

    message: str
    values: Mapping[str, object]
    at: At
    suggestion: str | None = None
    is_certain: bool = False
    word: str = ""
    rivals: Collection[str] = ()
    help: str = ""


@rule(
    "R4C-CFG-009",
    "unknown-override-target",
    view=Project,
    needs=Needs.FILES | Needs.PROJECT,
    fix=Action.WRITE,
)
def unknown_override_target(project: Project, context: Context) -> Iterator[Fault]:
    """Whoever writes a key for one instance, often at night, relies on it. A key for something that does not exist
    changes nothing, and nobody is told."""
    seen: set[tuple[str, At]] = set()
    for tuning in tunings(project):
        missing = _missing(tuning, instances_of(context))
        # A table or a name is one mistake, however many keys stand below it.
        if missing is None or (tuning.name, missing.at) in seen:
            continue
        seen.add((tuning.name, missing.at))
        if tuning.standing:
            yield _no_longer(tuning, missing.at, missing.message, missing.values)
            continue
        # Whoever tunes a running program means what is there now.
        certain = missing.is_certain or project.closed or tuning.at_run_time
        wait = "" if missing.suggestion is not None or certain else "import its module before build(), or scan()"
        yield Fault(
            missing.at,
            tuning.subject,
            missing.message,
            missing.values,
            suggestions=(missing.suggestion,) if missing.suggestion is not None else (),
            help=missing.help or wait,
            severity=Severity.ERROR if certain and _is_meant(tuning, missing) else Severity.WARNING,
            words=(missing.word,) if missing.word else (),
            rivals=missing.rivals,
            # A name that is malformed itself is reported where it is given, and not to be written anywhere else.
            certain=None if _is_right(missing.suggestion or "") else False,
        )


def _no_longer(tuning: Tuning, at: At, message: str, values: Mapping[str, object]) -> Fault:
    """What was accepted for a running program stays, for what it names may come back."""
    help = f'take it back with reconfigure("{tuning.name}"), or leave it for when that is back'
    return Fault(at, tuning.subject, message, values, help=help, severity=Severity.WARNING)


def _is_right(name: str) -> bool:
    """Whether it is an id, or a name as it should be."""
    return "." in name or "#" in name or well_formed(name)


def _is_meant(tuning: Tuning, missing: _Missing) -> bool:
    """Whether a key is certainly wrong: a plain name without any near one may be that of a pipeline made later."""
    if missing.is_certain or tuning.at_run_time:
        return True
    is_plain = "." not in tuning.name and "#" not in tuning.name
    return tuning.is_certain and (not is_plain or missing.suggestion is not None)


def _missing(tuning: Tuning, instances: Instances) -> _Missing | None:
    if tuning.is_family:
        return _missing_family(tuning, instances)
    name = tuning.name
    if name in instances.elements or name in instances.shared:
        return None
    separated = _separated_otherwise(tuning, instances)
    if separated is not None:
        return separated
    owner, separator, method = name.partition("#")
    if instances.is_uncertain(owner, method):
        return None
    # What has a separator in itself is no method, whatever a class may have.
    scope = instances.scopes.get(owner) if separator and not {*"#./"} & {*method} else None
    if scope is not None:
        found = scope.lookup(method)
        if isinstance(found, Definition):
            inherited = f"{found.owner}#{method}"
            if found.owner == owner or inherited not in instances.elements:
                return None  # R4C-CFG-010
            message = "'{method}' of {owner} is the one that it inherits from {base}"
            values = {"method": method, "owner": owner, "base": found.owner}
            word = _respelled(tuning, name)
            return _Missing(message, values, tuning.at, _respelled(tuning, inherited), is_certain=True, word=word)
        if isinstance(found, Unknown):
            return None
        return _missing_method(tuning, instances, owner, method)
    if tuning.key is not None and is_slash_key(tuning.key):
        # Somebody else's, unless it is nearly one of ours.
        near = did_you_mean_path(owner, instances.scopes)
        message, values = "nothing guarded is in '{owner}'", {"owner": owner}
        if near is None and not tuning.is_certain and not _is_in_module(owner, instances):
            return None
        return _Missing(message, values, tuning.at, near, word=owner, rivals=instances.scopes)
    if not separator and not instances.names_known and "." not in name and not tuning.at_run_time:
        return None
    names = (*instances.elements, *instances.shared)
    near = did_you_mean_path(name, names)
    return _Missing("no instance '{name}' is declared", {"name": name}, tuning.at, near, word=name, rivals=names)


def _dotted(id: str) -> str:
    """An id with dots alone: the same for all ways to separate its parts."""
    return id.replace("#", ".").replace("/", ".")


def _separated_otherwise(tuning: Tuning, instances: Instances) -> _Missing | None:
    """An id, or the name of a class, with another separator where a nested class is reached, or its method."""
    if _dotted(tuning.name) == tuning.name:
        return None
    message, values = "no instance '{name}' is declared", {"name": tuning.name}
    nested = _nested_class(tuning.name, instances)
    if nested:
        values["nested"] = nested
        help = "'{nested}' is a class: name one of its methods, or begin with '{nested}/' for all of them"
        return _Missing(message, values, tuning.at, is_certain=True, help=help)
    meant = [id for id in instances.elements if _dotted(id) == _dotted(tuning.name)]
    if len(meant) != 1:
        return None
    if _has_slashes(tuning):
        values["key"] = meant[0].replace("#", "/")
        return _Missing(message, values, tuning.at, is_certain=True, help="begin with '{key}/'")
    return _Missing(message, values, tuning.at, meant[0], is_certain=True, word=tuning.name, rivals=instances.elements)


def _nested_class(name: str, instances: Instances) -> str:
    """The class that a name with another separator than a dot is the name of, if anything in it is guarded."""
    scope = instances.scopes.get(_dotted(name)) if _dotted(name) != name else None
    return scope.id if scope is not None and scope.is_class else ""


def _missing_method(tuning: Tuning, instances: Instances, owner: str, method: str) -> _Missing:
    methods = [id.partition("#")[2] for id in instances.elements if id.partition("#")[0] == owner]
    near = did_you_mean(method, methods)
    message, values = "{owner} has no '{method}'", {"method": method, "owner": owner}
    key = tuning.key
    if key is not None and is_slash_key(key) and key.parts_at:
        return _Missing(message, values, key.parts_at[1], near, is_certain=True, word=method, rivals=methods)
    whole = None if near is None else f"{owner}#{near}"
    ids = [f"{owner}#{other}" for other in methods]
    return _Missing(message, values, tuning.at, whole, is_certain=True, word=tuning.name, rivals=ids)


def _respelled(tuning: Tuning, id: str) -> str:
    """An id as it replaces what stands at the key's first part: with slashes, that is the class alone."""
    return id.partition("#")[0] if tuning.key is not None and is_slash_key(tuning.key) else id


def _missing_family(tuning: Tuning, instances: Instances) -> _Missing | None:
    name = tuning.name
    families = _families(instances.project)
    if families is None or name in families:
        return None
    if name in instances.scopes:
        if instances.scopes[name].is_class or not tuning.policy:
            return None
        message = "'{name}' is a module: keys reach classes, methods, functions and composed policies"
        return _Missing(message, {"name": name}, tuning.at, is_certain=True)
    message = "no class and no composed policy is named '{name}'"
    if tuning.policy and (written := _written_otherwise(name, instances)):
        return _Missing(message, {"name": name}, tuning.at, is_certain=True, help=written)
    owner, _, method = name.rpartition(".")
    if f"{owner}#{method}" in instances.elements:
        spelled = f"{owner}/{method}"
        return _Missing(message, {"name": name}, tuning.at, spelled, is_certain=True, word=name, rivals=(spelled,))
    names = (*families, *(s.id for s in instances.scopes.values() if s.is_class))
    near = did_you_mean_path(name, names)
    if near is None and not tuning.is_certain and not _is_in_module(name, instances):
        return None  # a key with slashes of somebody else's
    return _Missing(message, {"name": name}, tuning.at, near, word=name, rivals=names)


def _is_in_module(name: str, instances: Instances) -> bool:
    """Whether a name would be that of a class in a module of ours."""
    scope = instances.scopes.get(name.rpartition(".")[0])
    return scope is not None and not scope.is_class


def _written_otherwise(name: str, instances: Instances) -> str:
    """How what has a name is tuned, if that is not with slashes."""
    if name in instances.shared:
        return f"'{name}' is an instance: write instances.{name}"
    if any(template.name == name for template in instances.project.templates):
        return f"'{name}' is a template: write configs.{name}"
    return ""


def _families(project: Project) -> dict[str, list[Composed]] | None:
    """Composed policies by name; None if the name of one is not known."""
    found: dict[str, list[Composed]] = {}
    for composed in project.composed:
        name = composed.name.value
        if not isinstance(name, str):
            return None
        found.setdefault(name, []).append(composed)
    return found


# ---------------------------------------------------------------- what exists and is not touched


@rule("R4C-CFG-010", "undeclared-override", view=Project, needs=Needs.FILES | Needs.PROJECT)
def undeclared_override(project: Project, context: Context) -> Iterator[Fault]:
    """Keys tune the policies that code declares; they never add one. Whoever writes a timeout for a method without one
    believes it is bounded, and it is not."""
    seen: set[tuple[str, str, At]] = set()
    instances = instances_of(context)
    for tuning in tunings(project):
        fault = _undeclared(tuning, instances) if tuning.policy else None
        if fault is not None and tuning.standing:
            fault = _no_longer(tuning, fault.at, fault.message, fault.values)
        if fault is not None and (tuning.name, tuning.policy, fault.at) not in seen:
            seen.add((tuning.name, tuning.policy, fault.at))
            yield fault


def _undeclared(tuning: Tuning, instances: Instances) -> Fault | None:
    if tuning.is_family:
        return _undeclared_family(tuning, instances)
    elements = instances.elements.get(tuning.name, ())
    shared = instances.shared.get(tuning.name, ())
    if any(instances.is_uncertain(e.definition.owner, e.definition.name) for e in elements):
        return None
    if not elements:
        if shared:
            return _not_shared(tuning, [instance.policy for instance in shared])
        return _unguarded(tuning, instances)
    if any(instance.policy == tuning.policy for instance in shared):
        return None
    declared = [instances.declared(element) for element in elements]
    if any(policies is None or tuning.policy in policies for policies in declared):
        names = {_name_of(element, tuning.policy, instances) for element in elements}
        return _under_other_name(tuning, names)
    known = dict.fromkeys(policy for policies in declared for policy in sorted(policies or ()))
    return _fault(tuning, "{owner} declares no {policy}", {"owner": _shown(tuning.name)}, tuple(known))


def _not_shared(tuning: Tuning, policies: list[str]) -> Fault | None:
    if tuning.policy in policies:
        return None
    return _fault(tuning, "the shared instance '{owner}' has no {policy}", {"owner": tuning.name}, tuple(policies))


def _unguarded(tuning: Tuning, instances: Instances) -> Fault | None:
    """A function or method that exists and has no policies at all."""
    owner, _, name = tuning.name.partition("#")
    scope = instances.scopes.get(owner)
    found = scope.lookup(name) if scope is not None else None
    if scope is None or not isinstance(found, Definition) or not found.decorators_known:
        return None
    if instances.is_uncertain(owner, name) or _nested_class(tuning.name, instances):
        return None
    if found.owner != owner and f"{found.owner}#{name}" in instances.elements:
        return None  # R4C-CFG-009
    if scope.is_class and (scope.ancestors is None or instances.declared_by_class(scope) is None):
        return None
    if scope.is_class and found.id.rpartition(".")[2] != name and not name.startswith("_"):
        return None  # Another name for a method is one that its class guards, too.
    return _fault(tuning, "{owner} declares no policies", {"owner": _shown(tuning.name)}, ())


def _name_of(element: Element, policy: str, instances: Instances) -> str | None:
    """The shared instance that the element's policy uses; its own id where it is not known to be another."""
    effective = instances.resolver.resolve(element).get((policy, "name"))
    value = effective.value if effective is not None else None
    return value if isinstance(value, str) else element_id(element)


def _under_other_name(tuning: Tuning, names: set[str | None]) -> Fault | None:
    if tuning.name in names or len(names) != 1:
        return None
    (name,) = names
    return Fault(
        tuning.at,
        tuning.subject,
        "the {policy} of {owner} is the shared instance '{name}'",
        {"policy": tuning.policy, "owner": _shown(tuning.name), "name": name},
        suggestions=(name,) if name is not None and not _has_slashes(tuning) else (),
        help=f"write it as instances.{name}" if _has_slashes(tuning) else "",
    )


def _has_slashes(tuning: Tuning) -> bool:
    return tuning.key is not None and is_slash_key(tuning.key)


def _undeclared_family(tuning: Tuning, instances: Instances) -> Fault | None:
    families = (_families(instances.project) or {}).get(tuning.name)
    if families is not None:
        declared = [_policies_in(composed) for composed in families]
        if any(policies is None or tuning.policy in policies for policies in declared):
            return None
        known = dict.fromkeys(policy for policies in declared for policy in sorted(policies or ()))
        return _fault(tuning, "the composed policy '{owner}' has no {policy}", {"owner": tuning.name}, tuple(known))
    scope = instances.scopes.get(tuning.name)
    if scope is None or not scope.is_class or instances.is_uncertain(tuning.name, ""):
        return None
    declared_by_class = instances.declared_by_class(scope)
    if declared_by_class is None or tuning.policy in declared_by_class:
        return None
    message = "{owner} declares no {policy} at class level"
    return _fault(tuning, message, {"owner": tuning.name}, tuple(sorted(declared_by_class)))


def _policies_in(composed: Composed) -> frozenset[str] | None:
    found: set[str] = set()
    for member in composed.members:
        inner = _policies_in(member) if isinstance(member, Composed) else {getattr(member, "policy", "")}
        if inner is None:
            return None
        found |= inner
    known = composed.closed and not any(isinstance(member, Unknown) for member in composed.members)
    return frozenset(found - {""}) if known else None


def _fault(tuning: Tuning, message: str, values: Mapping[str, object], declared: tuple[str, ...]) -> Fault:
    names = {POLICIES[policy].key: policy for policy in declared if policy in POLICIES}
    # Another policy is no misspelling of this one, whatever it sounds like: what is declared is told, not suggested.
    declares = f"declared there: {', '.join(names if tuning.key is not None else names.values())}" if names else ""
    return Fault(
        tuning.policy_at,
        tuning.subject,
        message,
        {**values, "policy": tuning.policy},
        help=declares or "a key tunes what code declares, and adds nothing",
    )


def _shown(id: str) -> str:
    return id.replace("#", ".")


# ---------------------------------------------------------------- locked instances


@rule("R4C-CFG-014", "locked-override", view=Project, severity=Severity.WARNING, needs=Needs.FILES)
def locked_override(project: Project, context: Context) -> Iterator[Fault]:
    """The author of a locked instance has decided that nobody tunes it from outside. A key that tries is ignored, which
    its author should know."""
    locked = locked_instances(project)
    for tuning in tunings(project):
        if tuning.is_family or not tuning.policy or tuning.name not in locked:
            continue
        at = locked[tuning.name]
        related = (Related(at, "locked here"),) if at.source else ()
        if tuning.key is not None:
            message, help = "ignored, since the instance '{name}' is locked", "remove it, or unlock the instance"
            yield Fault(tuning.key.at, tuning.subject, message, {"name": tuning.name}, help=help, related=related)
        elif tuning.at_run_time:
            yield Fault(
                tuning.at,
                tuning.subject,
                "refused, since the instance '{name}' is locked",
                {"name": tuning.name},
                help="unlock the instance first",
                related=related,
                severity=Severity.ERROR,
            )
