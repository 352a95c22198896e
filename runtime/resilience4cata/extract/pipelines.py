"""Pipelines as facts, so that they are resolved and checked as everything else is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, NamedTuple

from ..config.resolve import Resolver
from ..errors import DefinitionError
from ..facts import Applied, At, Definition, Element, Kind, LocalScope
from ..policies import ComposedPolicy, Policy
from ..schema import POLICIES
from ..suggestions import did_you_mean
from .policies import PolicyFacts

_serial: Final = count(1)


class Asked(NamedTuple):
    """What a pipeline was asked for with: a template, all of whose policies apply, and policies."""

    config: str | None
    policies: tuple[Policy | ComposedPolicy, ...]


def pipeline_element(name: str, asked: Asked, facts: PolicyFacts, resolver: Resolver) -> Element:
    """The element of a pipeline; its policies' instances have the pipeline's name where they have none.

    Raises DefinitionError for a template that is not there.
    """
    policies = (*_of_template(asked.config, name, resolver), *asked.policies)
    applied = []
    for policy in _named(policies, name):
        made = facts.composed_policy(policy) if isinstance(policy, ComposedPolicy) else facts.declaration(policy)
        applied.append(Applied(made, made.at))
    # No place is that of two: settings are remembered by it.
    at = At(f"<pipeline {next(_serial)}>")
    # Without an owner, the id of its own instances is its name alone.
    definition = Definition(f"pipeline.{name}", name, "", Kind.FUNCTION, at, decorators=tuple(applied))
    return Element(definition, LocalScope(""))


def _of_template(config: str | None, pipeline: str, resolver: Resolver) -> Iterator[Policy]:
    """A declaration for each policy that a template, or one that it extends, says anything about."""
    if config is None:
        return
    chain = resolver.ancestry(config)
    if chain is None:
        known = {template.name for template in resolver.project.templates}
        near = did_you_mean(config, known)
        msg = f"R4C-CFG-001: pipeline '{pipeline}': there is no template '{config}'"
        msg += f"; did you mean '{near}'?" if near else ""
        raise DefinitionError(msg)
    project = resolver.project
    policies = {d.policy for t in project.templates if t.name in chain for d in t.declarations}
    policies |= {
        str(policy)
        for kind, name, policy, _ in resolver.around.keys
        if kind not in ("defaults", "instance", "family") and name in chain
    }
    for policy in sorted(policies):
        yield POLICIES[policy].cls(config=config)


def _named(policies: tuple[Policy | ComposedPolicy, ...], name: str) -> Iterator[Policy | ComposedPolicy]:
    """The policies with the pipeline's name for each instance that has none."""
    written = {p.schema.name for p in _single(policies) if "name" in p.written}
    direct = {p.schema.name for p in policies if isinstance(p, Policy)}
    for policy in policies:
        if isinstance(policy, Policy) and policy.schema.stateful and policy.schema.name not in written:
            made = type(policy)(**{**policy.written, "name": name})
            object.__setattr__(made, "site", policy.site)
            yield made
        else:
            yield policy
    for kind in dict.fromkeys(p.schema.name for p in _single(policies) if p.schema.stateful):
        if kind not in direct and kind not in written:
            yield POLICIES[kind].cls(name=name)


def _single(policies: tuple[Any, ...]) -> Iterator[Policy]:
    for policy in policies:
        if isinstance(policy, ComposedPolicy):
            yield from _single(policy.members)
        elif isinstance(policy, Policy):
            yield policy
