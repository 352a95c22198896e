"""Attempts to tune one instance, class or composed policy, by keys and by calls: what the rules about them look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..config.instances import Instances
from ..config.resolve import Resolver, active_profiles, locked_by
from ..config.tree import name_at
from ..diagnostics import Context
from ..facts import At, Key, Project, Setting, Unrecognised
from .configuration import is_slash_key, names_policy


class Tuning(NamedTuple):
    """One attempt to tune something: where it says what, the words for it, and the policy.

    That is "" for `locked`, and for a key with slashes that is not understood behind its first segment.
    """

    name: str
    is_family: bool
    policy: str
    subject: str
    at: At
    policy_at: At
    key: Key | None = None
    at_run_time: bool = False
    standing: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether it is certainly meant for us: a key with slashes may be somebody else's."""
        return self.key is None or self.key.certain


def tunings(project: Project) -> Iterator[Tuning]:
    """All attempts, in files and then in code."""
    for file in project.files:
        for key in file.keys:
            meaning, locked = key.meaning, locked_by(key)
            if isinstance(meaning, Setting) and meaning.kind in ("instance", "family"):
                at = name_at(key, meaning.name, meaning.profile)
                at = key.parts_at[0] if is_slash_key(key) and key.parts_at else at
                policy_at = key.parts_at[-2] if len(key.parts_at) > 1 else key.at
                is_family = meaning.kind == "family"
                yield Tuning(meaning.name, is_family, meaning.policy, key.text, at, policy_at, key)
            elif locked is not None:
                yield Tuning(locked, False, "", key.text, name_at(key, locked, None), key.at, key)
            elif isinstance(meaning, Unrecognised) and not key.certain and meaning.index and names_policy(key):
                at = key.parts_at[0] if key.parts_at else key.at
                yield Tuning(key.path[0], True, "", key.text, at, key.at, key)
    for name, at in zip(project.locked, project.locked_at, strict=False):
        yield Tuning(name, False, "", f'locked("{name}")', at, at)
    for override in project.overrides:
        if not override.certain:
            continue
        call = "reconfigure" if override.at_run_time else "instance"
        for declaration in override.declarations:
            yield Tuning(
                override.name,
                False,
                declaration.policy,
                f'{call}("{override.name}")',
                override.at,
                declaration.at,
                at_run_time=override.at_run_time,
                standing=override.standing,
            )


def instances_of(context: Context) -> Instances:
    """What can be tuned under the active profiles, worked out once for all rules."""
    if instances_of not in context.memo:
        project = context.project
        context.memo[instances_of] = Instances(Resolver.of(project, active_profiles(project)))
    instances: Instances = context.memo[instances_of]
    return instances
