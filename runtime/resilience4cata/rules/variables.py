"""CFG: environment variables that reach nothing, or too much."""

from __future__ import annotations

from collections.abc import Iterator

from ..config.environment import VARIABLE_PREFIX, variable_of
from ..config.resolve import element_id
from ..diagnostics import Action, Context, Fault, Needs, Severity, rule
from ..facts import ConfigFile, Project, Variable
from ..schema import POLICIES
from .configuration_values import is_possible
from .words import listed


@rule("R4C-CFG-013", "unknown-variable", view=ConfigFile, needs=Needs.FILES, fix=Action.WRITE)
def unknown_variable(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """An environment variable is the last resort of whoever operates a service. One that no key has changes nothing,
    and the service starts as if it had been heard."""
    for variable in file.unknown:
        slashes = _with_slashes(variable.name, context.project)
        if slashes is not None:
            yield Fault(
                variable.at,
                "",
                _MESSAGES["key"],
                {"variable": variable.name, "key": slashes},
                help="keys with slashes have none: write '{key}' in a file",
            )
            continue
        meant = next((near for near in variable.candidates if near.key is None or is_possible(near.key, context)), None)
        # Other applications of the same machine may well have templates and instances that this one lacks.
        is_name = variable.unknown != "key"
        yield Fault(
            variable.at,
            "",
            _MESSAGES[variable.unknown],
            {"variable": variable.name, "word": variable.word, "near": next((c.name for c in variable.candidates), "")},
            suggestions=(meant.name,) if meant is not None else (),
            words=(variable.name,),
            help="" if meant is not None else _help(variable),
            severity=Severity.WARNING if is_name else Severity.ERROR,
            certain=meant is not None and meant.is_certain,
        )


_MESSAGES = {
    "key": "no key has the environment variable {variable}",
    "template": "the environment variable {variable} is for a template '{word}' that does not exist",
    "instance": "the environment variable {variable} is for an instance '{word}' that does not exist",
    "profile": "the environment variable {variable} is for a profile '{word}' that does not exist",
    "budget": "the environment variable {variable} is for a retry budget '{word}' that does not exist",
}


def _with_slashes(variable: str, project: Project) -> str | None:
    """The key of a composed policy, a class or a method that a variable is meant for: none of them has one."""
    rest = variable.removeprefix(VARIABLE_PREFIX)
    ids = (e.definition.id if e.body is not None else element_id(e) for e in project.elements)
    for name in (*(composed.name.value for composed in project.composed), *ids):
        owner = name.replace("#", "/") if isinstance(name, str) else ""
        if owner and rest.startswith(f"{variable_of(owner)}_"):
            for schema in POLICIES.values():
                for attribute in schema.settable():
                    key = f"{owner}/{schema.key}/{attribute.key}"
                    if variable_of(key) == rest:
                        return key
    return None


def _help(variable: Variable) -> str:
    if variable.candidates:
        return "{near} is near, but cannot have this value"
    if variable.unknown == "key":
        return (
            "variables with this prefix are keys in upper case, with '_' for all else, such as "
            "RESILIENCE4CATA_DEFAULTS_RETRY_DELAY; those of others need another prefix"
        )
    return "remove it, or define what it is for"


@rule("R4C-CFG-015", "shared-variable", view=ConfigFile, needs=Needs.FILES)
def shared_variable(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """In the name of a variable, dots, dashes and case are gone. Where two keys become one name, nobody can tell which
    of them its value was meant for."""
    for ambiguous in file.ambiguous:
        yield Fault(
            ambiguous.at,
            "",
            "the environment variable {variable} belongs to {keys}",
            {"variable": ambiguous.name, "keys": listed(ambiguous.keys)},
            help="set them in a file, where they differ",
        )
