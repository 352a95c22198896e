"""CFG: profiles that are active and that nobody defines."""

from __future__ import annotations

from collections.abc import Iterator

from ..config.resolve import last_global, sources_known
from ..diagnostics import Action, Context, Fault, Needs, Severity, rule
from ..facts import NOWHERE, At, Empty, Extends, Key, Project, Setting, entries
from ..suggestions import did_you_mean


@rule(
    "R4C-CFG-005",
    "unknown-profile",
    view=Project,
    severity=Severity.WARNING,
    needs=Needs.FILES | Needs.TEMPLATES,
    fix=Action.WRITE,
)
def unknown_profile(project: Project, context: Context) -> Iterator[Fault]:
    """A profile that no source defines activates nothing: a misspelt `prod` runs production on the settings of the
    desk it was developed on."""
    # Where no source is read, a profile is something between the application and its tests.
    if not sources_known(project) or not any(file.keys for file in project.files):
        return
    defined = {profile for file in project.files for key in file.keys if (profile := _profile_of(key)) is not None}
    for name, at, subject in _active(project):
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
    key = last_global(project.files, "profiles.active")
    if key is not None:
        names = [word for word in entries(key.value) if isinstance(word, str) and word.strip()]
        yield from ((name, key.value_at, key.text) for name in names)
