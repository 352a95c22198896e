"""Pipelines as facts, so that they are resolved and checked as everything else is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, NamedTuple

from ..config.resolve import Resolver
from ..facts import Applied, At, Declaration, Definition, Element, Kind, NotAPolicy, PipelineCall, PipelineScope, Slot
from ..policies import ComposedPolicy, Policy
from ..policies.declaration import Site
from ..schema import POLICIES
from .policies import PolicyFacts

_serial: Final = count(1)
_CONFIG: Final = "config"


class Asked(NamedTuple):
    """What a pipeline was asked for with: a template, all of whose policies apply, and policies; and where."""

    config: str | None
    policies: tuple[Policy | ComposedPolicy, ...]
    site: Site


class PipelineFacts(NamedTuple):
    """A pipeline as an element, and the call that made it."""

    element: Element
    call: PipelineCall


def pipeline_facts(name: str, asked: Asked, facts: PolicyFacts, resolver: Resolver) -> PipelineFacts:
    """The facts of a pipeline; its policies' instances have the pipeline's name where they have none.

    A template that is not there brings no policies, and what is no policy is left out: the call tells of them.
    """
    call = _call(name, asked, facts)
    given = tuple(policy for policy in asked.policies if _is_policy(policy))
    applied = []
    for policy in _named((*_of_template(asked.config, resolver), *given), name):
        made = facts.composed_policy(policy) if isinstance(policy, ComposedPolicy) else facts.declaration(policy)
        applied.append(Applied(made, made.at))
    applied += [Applied(declaration, call.at) for declaration in _without_config(asked.config, resolver)]
    # No place is that of two: settings are remembered by it.
    at = At(f"<pipeline {next(_serial)}>")
    # Without an owner, the id of its own instances is its name alone.
    definition = Definition(f"pipeline.{name}", name, "", Kind.FUNCTION, at, decorators=tuple(applied))
    return PipelineFacts(Element(definition, PipelineScope("")), call)


def _call(name: str, asked: Asked, facts: PolicyFacts) -> PipelineCall:
    at = facts.call(asked.site)
    strangers = ((p, policy) for p, policy in enumerate(asked.policies, 1) if not _is_policy(policy))
    members = tuple(m for p, policy in strangers if isinstance(m := facts.member(policy, at, p), NotAPolicy))
    config = None if asked.config is None else Slot((asked.config,), facts.argument(at, _CONFIG))
    return PipelineCall(name, at, config, members)


def _is_policy(value: object) -> bool:
    return isinstance(value, Policy | ComposedPolicy)


def _of_template(config: str | None, resolver: Resolver) -> Iterator[Policy]:
    """A declaration for each policy that a template, or one that it extends, says anything about."""
    chain = resolver.ancestry(config) if config is not None else None
    if chain is None:
        return
    project = resolver.project
    policies = {d.policy for t in project.templates if t.name in chain for d in t.declarations}
    policies |= {
        str(policy)
        for kind, name, policy, _ in resolver.around.keys
        if kind not in ("defaults", "instance", "family") and name in chain
    }
    for policy in sorted(policies):
        if _CONFIG in POLICIES[policy].attributes:
            yield _unwritten(POLICIES[policy].cls(config=config))


def _without_config(config: str | None, resolver: Resolver) -> Iterator[Declaration]:
    """The policies of a template that cannot start from one (a fallback, an order): as code writes them there.

    What a template writes itself beats what it takes over.
    """
    chain = (resolver.ancestry(config) if config is not None else None) or ()
    found: dict[str, Declaration] = {}
    for name in chain:
        for template in (t for t in resolver.project.templates if t.name == name):
            for declaration in template.declarations:
                if _CONFIG not in POLICIES[declaration.policy].attributes:
                    nearer = found.setdefault(declaration.policy, declaration)
                    slots = {**declaration.slots, **nearer.slots}
                    found[declaration.policy] = Declaration(declaration.policy, slots, nearer.at)
    yield from found.values()


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
            yield _unwritten(POLICIES[kind].cls(name=name))


def _unwritten(policy: Policy) -> Policy:
    """A policy that nobody wrote, and so without a place: that of the call here is none to tell anybody of."""
    object.__setattr__(policy, "site", None)
    return policy


def _single(policies: tuple[Any, ...]) -> Iterator[Policy]:
    for policy in policies:
        if isinstance(policy, ComposedPolicy):
            yield from _single(policy.members)
        elif isinstance(policy, Policy):
            yield policy
