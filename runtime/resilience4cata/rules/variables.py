"""CFG: environment variables that reach nothing, or too much."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Action, Context, Fault, Needs, Severity, rule
from ..facts import ConfigFile, Variable
from ..suggestions import did_you_mean
from .words import listed


@rule("R4C-CFG-013", "unknown-variable", view=ConfigFile, needs=Needs.FILES, fix=Action.WRITE)
def unknown_variable(file: ConfigFile, context: Context) -> Iterator[Fault]:
    """An environment variable is the last resort of whoever operates a service. One that no key has changes nothing,
    and the service starts as if it had been heard."""
    for variable in file.unknown:
        near = did_you_mean(variable.name, variable.candidates)
        # Other applications of the same machine may well have templates and instances that this one lacks.
        is_name = variable.unknown != "key"
        yield Fault(
            variable.at,
            "",
            _MESSAGES[variable.unknown],
            {"variable": variable.name, "word": variable.word},
            suggestions=(near,) if near is not None else (),
            words=(variable.name,),
            rivals=variable.candidates,
            help="" if near is not None else _help(variable),
            severity=Severity.WARNING if is_name else Severity.ERROR,
        )


_MESSAGES = {
    "key": "no key has the environment variable {variable}",
    "template": "the environment variable {variable} is for a template '{word}' that does not exist",
    "instance": "the environment variable {variable} is for an instance '{word}' that does not exist",
    "profile": "the environment variable {variable} is for a profile '{word}' that does not exist",
    "budget": "the environment variable {variable} is for a retry budget '{word}' that does not exist",
}


def _help(variable: Variable) -> str:
    if variable.unknown == "key":
        return "variables are keys in upper case, with '_' for all else: RESILIENCE4CATA_DEFAULTS_RETRY_DELAY"
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
