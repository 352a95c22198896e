"""What a `Resilience` does with calls: pipelines, objects that are bound to it, and the instances behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import update_wrapper
from itertools import count
from random import Random
from types import FunctionType, MappingProxyType, MethodType, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from . import rules
from .clock import SYSTEM_CLOCK, Clock, Scheduler, SystemScheduler
from .config.description import description_of
from .diagnostics import FRONT_ENDS, Context, Severity
from .errors import DefinitionError
from .events import Event, Listeners, Subscription
from .extract.definitions import mangled
from .extract.scopes import ClassScope, LocalScope
from .extract.settings import Options, PolicySettings, Settings
from .facts import Applied, At, Definition, Element, Kind
from .pipeline.falling_back import Target, handler_target, is_handler, not_found, target_of
from .pipeline.handles import BulkheadHandle, CircuitBreakerHandle, RateLimiterHandle, Snapshot
from .pipeline.instances import Instances, Surroundings
from .pipeline.layers import NOT_EXECUTED, Maker
from .pipeline.runner import Pipeline, Runner
from .pipeline.shape import is_async
from .pipeline.slow import Layer
from .pipeline.workers import Workers
from .policies import ComposedPolicy, Policy
from .policies.machines.retry import Random as RandomNumbers
from .policies.recorded import function_of
from .schema import POLICIES
from .suggestions import did_you_mean

if TYPE_CHECKING:
    from concurrent.futures import Executor

T = TypeVar("T")
E = TypeVar("E", bound=Event)

_BOUND: Final = "__resilience4cata_bound__"
_serial: Final = count(1)


@dataclass(slots=True)
class Parts:
    """What can be replaced in a `Resilience`, by tests above all."""

    clock: Clock = SYSTEM_CLOCK
    scheduler: Scheduler | None = None
    random: RandomNumbers | None = None
    executor: Executor | None = None
    make_handler: Callable[[type], Any] = field(default=lambda kind: kind())
    listeners: list[tuple[Any, Callable[[Any], object]]] = field(default_factory=list)


class Running:
    """The part of a `Resilience` that runs calls, over settings that were checked."""

    def __init__(self, settings: Settings, options: Options, parts: Parts) -> None:
        scheduler = parts.scheduler or SystemScheduler(parts.clock)
        self._settings = settings
        self._listeners = Listeners(per_call=options.events_per_call)
        for kind, callback in parts.listeners:
            self._listeners.add(kind, callback)
        workers = Workers(options.offload_max_workers, scheduler, parts.executor)
        self._around = Surroundings(
            parts.clock, scheduler, parts.random or Random(), self._listeners, workers, parts.make_handler
        )
        self._instances = Instances(self._around)
        self._maker = Maker(self._instances, options)
        self._runner = Runner(self._around)
        self._layers: dict[tuple[str, At], tuple[Layer, ...]] = {}
        self._asked: dict[tuple[str, tuple[Policy | ComposedPolicy, ...], str | None], Pipeline] = {}
        self._pipelines: dict[str, tuple[Mapping[str, PolicySettings], Pipeline]] = {}

    def pipeline(self, name: str, *policies: Policy | ComposedPolicy, config: str | None = None) -> Pipeline:
        """Policies for any function, under a name that is also that of their instances.

        `config` applies every policy of a template. The same name again gives the same pipeline if the settings are
        equal. Raises DefinitionError for what `build()` would refuse.
        """
        asked = name, policies, config
        try:
            return self._asked[asked]
        except (KeyError, TypeError):
            # Values that cannot be hashed are compared when they are resolved.
            found = self._pipeline(name, (*self._of_template(config), *policies))
        with suppress(TypeError):
            self._asked[asked] = found
        return found

    def _pipeline(self, name: str, policies: tuple[Policy | ComposedPolicy, ...]) -> Pipeline:
        element = self._pipeline_element(name, policies)
        self._check(element)
        settings = self._settings.of(element)
        known = self._pipelines.get(name)
        if known is not None:
            if dict(known[0]) != dict(settings):
                msg = f"R4C-IN-001: the pipeline '{name}' exists already, with other settings"
                raise DefinitionError(msg)
            return known[1]
        layers = self._maker.layers(settings, tuple(self._given_targets(settings)), name)
        return self._pipelines.setdefault(name, (settings, Pipeline(name, layers, self._runner)))[1]

    def wrap(self, target: T) -> T:
        """Bind an object: its guarded methods run on this `Resilience` from now on. Gives the object back.

        Raises TypeError for an object without `__dict__`, one without guarded methods, and one bound elsewhere.
        """
        namespace = getattr(target, "__dict__", None)
        if type(namespace) is not dict:
            msg = f"an object of {type(target).__qualname__} cannot be bound: it has no __dict__"
            raise TypeError(msg)
        found = dict(self._guarded_methods(type(target)))
        if not found:
            msg = f"{type(target).__qualname__} has no guarded methods, or none that were declared before build()"
            raise TypeError(msg)
        for name in found:
            owner = getattr(namespace.get(name), _BOUND, self)
            if owner is not self:
                msg = f"this object of {type(target).__qualname__} is bound to another Resilience"
                raise TypeError(msg)
        for name, (element, member, owner) in found.items():
            if name not in namespace:
                namespace[name] = self._bound(target, element, member, owner)
        return target

    def circuit_breaker(self, name: str) -> CircuitBreakerHandle:
        """The circuit breaker of that name or id. Raises LookupError."""
        channel = self._listeners.channel(name, "circuit_breaker")
        return CircuitBreakerHandle(name, self._machine("circuit_breaker", name), self._around.clock, channel)

    def bulkhead(self, name: str) -> BulkheadHandle:
        """The bulkhead of that name or id. Raises LookupError."""
        channel = self._listeners.channel(name, "bulkhead")
        return BulkheadHandle(name, self._machine("bulkhead", name), self._around.clock, channel)

    def rate_limiter(self, name: str) -> RateLimiterHandle:
        """The rate limiter of that name or id. Raises LookupError."""
        channel = self._listeners.channel(name, "rate_limiter")
        return RateLimiterHandle(name, self._machine("rate_limiter", name), self._around.clock, channel)

    def snapshot(self) -> Snapshot:
        """States, rates and counts of all instances that are in use."""
        return Snapshot(
            MappingProxyType({n: self.circuit_breaker(n).snapshot() for n in self._instances.of("circuit_breaker")}),
            MappingProxyType({n: self.bulkhead(n).snapshot() for n in self._instances.of("bulkhead")}),
            MappingProxyType({n: self.rate_limiter(n).snapshot() for n in self._instances.of("rate_limiter")}),
        )

    def listen(
        self, kind: type[E] | UnionType, callback: Callable[[E], object], *, instance: str | None = None
    ) -> Subscription:
        """Call `callback` with each event of a kind, of one instance or of all."""
        return self._listeners.add(kind, callback, instance_id=instance)

    def not_executed(self) -> tuple[str, ...]:
        """Ids of elements with a policy that is declared and checked but not run yet."""
        resolver = self._settings.instances.resolver
        elements = [e for several in self._settings.instances.elements.values() for e in several]
        return tuple(
            element.definition.id
            for element in elements
            if any(policy in NOT_EXECUTED for policy, _ in resolver.resolve(element))
        )

    def _machine(self, policy: str, name: str) -> Any:
        known = self._instances.of(policy)
        if name not in known:
            # Instances are made when they are first needed; being asked for is a need.
            for several in self._settings.instances.elements.values():
                for element in several:
                    if (self._settings.of(element).get(policy) or {}).get("name") == name:
                        self._layers_of(element, None, None)
            known = self._instances.of(policy)
        if name not in known:
            near = did_you_mean(name, known)
            msg = f"there is no {policy} '{name}'" + (f"; did you mean '{near}'?" if near else "")
            raise LookupError(msg)
        return known[name]

    def _layers_of(self, element: Element, owner: type | None, member: object) -> tuple[Layer, ...]:
        key = (element.definition.id, element.definition.at)
        if owner is None:
            return self._maker.layers(self._settings.of(element), (), self._id(element))
        found = self._layers.get(key)
        if found is None:
            settings = self._settings.of(element)
            targets = tuple(self._targets(settings, owner, member))
            found = self._layers.setdefault(key, self._maker.layers(settings, targets, self._id(element)))
        return found

    def _id(self, element: Element) -> str:
        return description_of(element, self._settings.instances.resolver).id

    def _guarded_methods(self, cls: type) -> Iterator[tuple[str, tuple[Element, Any, type]]]:
        """Name, element, member and defining class of each method that is guarded for objects of `cls`."""
        order = cls.__mro__
        found: dict[str, tuple[int, Element]] = {}
        for several in self._settings.instances.elements.values():
            for element in several:
                scope = element.scope
                if isinstance(scope, ClassScope) and scope.cls in order:
                    at, name = order.index(scope.cls), element.definition.name
                    if name not in found or at < found[name][0]:
                        found[name] = at, element
        for name, (at, element) in found.items():
            key = mangled(order[at], name)
            defining = next((base for base in order if key in vars(base)), None)
            # One that a subclass overrides has lost its policies.
            if defining is not None and at <= order.index(defining):
                yield key, (element, vars(defining)[key], defining)

    def _bound(self, target: object, element: Element, member: Any, owner: type) -> FunctionType:
        layers = self._layers_of(element, owner, member)
        function = member.__get__(target, type(target))
        receiver = getattr(function, "__self__", None)
        runner = self._runner

        def bound(*args: Any, **kwargs: Any) -> Any:
            return runner.call(layers, function, args, kwargs, receiver)

        async def bound_async(*args: Any, **kwargs: Any) -> Any:
            return await runner.acall(layers, function, args, kwargs, receiver)

        made: Any = bound_async if is_async(function) else bound
        update_wrapper(made, function)
        setattr(made, _BOUND, self)
        return cast("FunctionType", made)

    def _targets(self, settings: Mapping[str, PolicySettings], owner: type, member: object) -> Iterator[Target]:
        values = settings.get("fallback")
        original = function_of(member)
        if values is None or original is None:
            return
        is_method = not isinstance(member, staticmethod)
        for name in values["method"] or ():
            found = _sibling(owner, name)
            function = function_of(found) if found is not None else None
            if found is None or function is None:
                raise not_found(name, f"{owner.__module__}.{owner.__qualname__}")
            takes_receiver = not isinstance(found, staticmethod)
            find = _finder(mangled(owner, name), owner)
            yield target_of(name, find, function, original, bound=takes_receiver, method=is_method)
        handler = values["handler"]
        if is_handler(handler):
            yield handler_target(self._around.make_handler(handler))
        elif handler is not None:
            yield _reference(handler, original, is_method=is_method)

    def _given_targets(self, settings: Mapping[str, PolicySettings]) -> Iterator[Target]:
        """The fallbacks of a pipeline, which knows no siblings."""
        values = settings.get("fallback")
        if values is None:
            return
        for name in values["method"] or ():
            raise not_found(name, "a pipeline, which has no siblings")
        handler = values["handler"]
        if is_handler(handler):
            yield handler_target(self._around.make_handler(handler))
        elif handler is not None:
            yield Target(getattr(handler, "__qualname__", repr(handler)), lambda _: handler, context=True)

    def _of_template(self, config: str | None) -> Iterator[Policy]:
        if config is None:
            return
        resolver = self._settings.instances.resolver
        chain = resolver.ancestry(config)
        if chain is None:
            known = {template.name for template in resolver.project.templates}
            near = did_you_mean(config, known)
            msg = f"R4C-CFG-001: there is no template '{config}'" + (f"; did you mean '{near}'?" if near else "")
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

    def _pipeline_element(self, name: str, policies: tuple[Policy | ComposedPolicy, ...]) -> Element:
        facts = self._settings.policy_facts
        applied = []
        for policy in _named(policies, name):
            made = facts.composed_policy(policy) if isinstance(policy, ComposedPolicy) else facts.declaration(policy)
            applied.append(Applied(made, made.at))
        at = At(f"<pipeline {next(_serial)}>")
        definition = Definition(f"pipeline.{name}", name, "pipeline", Kind.FUNCTION, at, decorators=tuple(applied))
        return Element(definition, LocalScope("pipeline"))

    def _check(self, element: Element) -> None:
        context = Context(FRONT_ENDS["build"], oracle=self._settings.oracle, project=self._settings.instances.project)
        views = (element, *(view for view in rules.views_of(element) if view is not element))
        found = [f.diagnostic() for f in rules.check(views, context) if f.rule.on_by_default]
        errors = tuple(d for d in found if d.severity is Severity.ERROR)
        if errors:
            raise DefinitionError("\n".join(d.text for d in errors), errors)


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


def _sibling(owner: type, name: str) -> object:
    key = mangled(owner, name)
    return next((vars(base)[key] for base in owner.__mro__ if key in vars(base)), None)


def _finder(key: str, owner: type) -> Callable[[object], Callable[..., Any]]:
    """What is called for a receiver: its own, so that a subclass's override runs."""

    def find(receiver: object) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(owner if receiver is None else receiver, key)
        return found

    return find


def _reference(handler: Any, original: FunctionType, *, is_method: bool) -> Target:
    """A function given by reference. On a method it may be one of the class's body, which takes the receiver first."""
    name = str(getattr(handler, "__qualname__", repr(handler)))
    if type(handler) is not FunctionType:
        return Target(name, lambda _: handler, context=True)
    first = original.__code__.co_varnames[:1]
    if is_method and handler.__code__.co_argcount and handler.__code__.co_varnames[:1] == first:

        def bind(receiver: object) -> Callable[..., Any]:
            return MethodType(handler, receiver)

        return target_of(name, bind, handler, original, bound=True, method=True)
    return target_of(name, lambda _: handler, handler, original, method=is_method)
