"""CFG: profiles that are active and that nobody defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ..config.resolve import sources_known
from ..diagnostics import Action, Context, Fault, Needs, Severity, rule
from ..facts import NOWHERE, At, ConfigFile, Empty, Extends, Global, Key, Project, Setting, entries
from ..suggestions import did_you_mean

_ACTIVE: Final = "profiles.active"


@rule(
    "R4C-CFG-005",
    "unknown-profile",
    view=(Project, ConfigFile),
    severity=Severity.WARNING,
    needs=Needs.FILES | Needs.TEMPLATES,
    fix=Action.WRITE,
)
def unknown_profile(view: Project | ConfigFile, context: Context) -> Iterator[Fault]:
    """A profile that no source defines activates nothing: a misspelt `prod` runs production on the settings of the
    desk it was developed on."""
    project = view if isinstance(view, Project) else context.project
    # Where there is no source at all, a profile is something between the application and its tests.
    if not sources_known(project) or not project.files:
        return
    defined = set(_defined(project.files))
    if isinstance(view, Project):
        active = _active(project)
    elif view.profiles is None or project.profiles is not None or not any(file.keys for file in project.files):
        return  # a part of the settings, or a file of variables that what code activates outranks, or of other settings
    else:
        defined |= view.profiles
        active = _activated_by(*_keys_of((view,)))
    for name, at, subject in active:
        if name in defined:
            continue
        near = did_you_mean(name, defined)
        yield Fault(
            at,
            subject,
            "no source defines the profile '{name}'",
            {"name": name},
            suggestions=(near,) if near is not None else (),
            words=(name,),
            rivals=defined,
            severity=Severity.ERROR if near is not None else Severity.WARNING,
        )


def _defined(files: Iterable[ConfigFile]) -> Iterator[str]:
    return (profile for file in files for key in file.keys if (profile := _profile_of(key)) is not None)


def _profile_of(key: Key) -> str | None:
    """The profile that a key belongs to, whether or not the rest of it means anything."""
    if isinstance(key.meaning, Setting | Extends | Empty):
        return key.meaning.profile
    is_inside = key.path[:1] == ("profiles",) and len(key.path) > 2
    return key.path[1] if is_inside else None


def _active(project: Project) -> Iterator[tuple[str, At, str]]:
    """Each active profile, where that is said, and the subject of a finding about it."""
    if project.profiles is not None:
        for position, name in enumerate(project.profiles):
            at = project.profiles_at[position] if position < len(project.profiles_at) else NOWHERE
            yield name, at, f'profiles("{name}")'
        return
    yield from _activated_by(*_keys_of(project.files)[-1:])


def _keys_of(files: Iterable[ConfigFile]) -> list[Key]:
    """The keys that activate profiles. For one process, the last of them counts."""
    return [key for file in files for key in file.keys if key.meaning == Global(_ACTIVE)]


def _activated_by(*keys: Key) -> Iterator[tuple[str, At, str]]:
    for key in keys:
        names = [word for word in entries(key.value) if isinstance(word, str) and word.strip()]
        yield from ((name, key.value_at, key.text) for name in names)
