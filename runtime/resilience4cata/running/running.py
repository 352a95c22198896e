"""What a `Resilience` does with calls: pipelines, objects that are bound to it, and the instances behind them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from random import Random
from types import FunctionType, MappingProxyType, UnionType
from typing import Any, TypeVar

from ..arguments import expect_text
from ..clock import Clock, SystemScheduler
from ..events import Channel, Event, Listeners, Subscription
from ..extract.extraction import is_local
from ..extract.listeners import CodeListener
from ..extract.locate import out_of_reach
from ..extract.pipelines import Asked, pipeline_facts
from ..extract.places import Places
from ..extract.project import Additions
from ..facts import At, Element
from ..guards import Guard, guard_of, next_generation
from ..pipeline.handles import BulkheadHandle, CircuitBreakerHandle, RateLimiterHandle, Snapshot
from ..pipeline.instances import Instances, Machines, Surroundings
from ..pipeline.runner import Pipeline, Runner
from ..pipeline.slow import Layer
from ..pipeline.workers import Workers
from ..policies import ComposedPolicy, Policy
from ..policies.declaration import Site
from ..policies.recorded import binding_removed
from ..suggestions import did_you_mean
from .binding import bind, bound_to, let_copies_be_unbound
from .called import called_element
from .checking import Checked, Look, Recipe, judge, looking_at, made_settings
from .era import Era, Method
from .forking import renew_in_children
from .later import Telling, declared_until, modules_of, modules_of_class, moment_of_last, warn_caller
from .listening import expect_instance, expect_listener, refuse_unfit
from .local import OwnMachines
from .parts import Parts
from .telling import refuse_other_pipeline

T = TypeVar("T")
E = TypeVar("E", bound=Event)


class Running:
    """The part of a `Resilience` that runs calls, over settings that were checked.

    `_era` holds everything that follows from the settings; `_publish` replaces it by a single store.
    """

    def __init__(self, recipe: Recipe, checked: Checked, parts: Parts) -> None:
        self._recipe = recipe
        scheduler = parts.scheduler or SystemScheduler(parts.clock)
        self._listeners = Listeners(per_call=checked.options.events_per_call)
        for kind, callback in parts.listeners:
            self._listeners.add(kind, callback)
        self._workers = Workers(checked.options.offload_max_workers, scheduler, parts.executor)
        self._around = Surroundings(
            parts.clock, scheduler, parts.random or Random(), self._listeners, self._workers, parts.make_handler
        )
        self._machines = Machines(self._around)
        self._runner = Runner(self._around)
        self._asked: dict[object, Pipeline] = {}
        self._pipelines: dict[str, tuple[Asked, Pipeline]] = {}
        self._judged: dict[tuple[str, At], int] = {}
        self._telling = Telling(self._machines.lock)
        self._era = self._era_of(checked)
        renew_in_children(self)

    def pipeline(self, name: str, *policies: Policy | ComposedPolicy, config: str | None = None) -> Pipeline:
        """Policies for any function, under a name that is also that of their instances.

        `config` applies every policy of a template. The same name again gives the same pipeline if the settings are
        equal. Raises DefinitionError for what `build()` would refuse.
        """
        asked = name, config, policies
        try:
            found = self._asked.get(asked)
        except TypeError:
            # Values that cannot be hashed are compared when they are resolved.
            found = None
        if found is None:
            expect_text("pipeline()", "the name of a pipeline", name)
            expect_text("pipeline()", "the name of a template", *(() if config is None else (config,)))
            frame: Any = sys._getframe(1)
            found = self._pipeline(name, Asked(config, policies, Site(frame.f_code, frame.f_lasti)))
            with suppress(TypeError):
                self._asked[asked] = found
        return found

    def _pipeline(self, name: str, asked: Asked) -> Pipeline:
        while True:
            era = self._era
            if not era.checked.is_checked:
                return Pipeline(name, lambda: (), self._runner, lambda _: None)
            settings = era.settings
            element, call = pipeline_facts(name, asked, settings.policy_facts, settings.instances.resolver)
            self._judge(looking_at(settings, element), (call,))
            made_settings(settings, element)
            known = self._pipelines.get(name)
            if known is not None and name in era.pipelines:
                first = era.pipelines[name], settings.policy_facts.call(known[0].site)
                refuse_other_pipeline(settings, first, (element, call.at))
                return known[1]
            layers = era.pipeline_layers(name, element)
            route = self._route(lambda era: era.pipeline_layers(name, era.pipelines[name]), (era.token, layers))
            made = Pipeline(name, route, self._runner, lambda function: self._refuse(name, function))
            with self._machines.lock:
                # Otherwise others were faster: with other settings, or with this pipeline.
                if self._era is era and name not in self._pipelines:
                    era.pipelines[name] = element
                    self._pipelines[name] = asked, made
                    return made

    def _refuse(self, name: str, function: FunctionType) -> None:
        """Raise DefinitionError for a function of which a pipeline would guard only what its call makes."""
        era = self._era
        pipeline = era.pipelines[name]
        places = era.checked.assembly.extraction.places
        judge(lambda exact: (era.settings, (called_element(pipeline, function, Places(exact) if exact else places),)))

    def wrap(self, target: T) -> T:
        """Bind an object: its guarded methods run on this `Resilience` from now on. Gives the object back.

        Copies and pickles of the object are not bound. Raises TypeError for an object without `__dict__`, one without
        guarded methods, and one bound elsewhere; DefinitionError for a class that was declared after `build()` and has
        errors.
        """
        namespace = getattr(target, "__dict__", None)
        if type(namespace) is not dict:
            msg = f"an object of {type(target).__qualname__} cannot be bound: it has no __dict__"
            raise TypeError(msg)
        cls = type(target)
        era = self._era_for(cls, declared_until(cls), modules_of_class(cls))
        found = era.methods_of(cls)
        if not found and not self._recipe.disabled:
            # What stands above a property leaves nothing in the class by which it could be known since when.
            era = self._era_for(cls, moment_of_last(), {cls.__module__})
            found = era.methods_of(cls)
        self._judge_never_run(era, cls)
        if not found:
            msg = f"{cls.__qualname__} has no guarded methods"
            raise TypeError(msg)
        for name in found:
            if bound_to(namespace.get(name)) not in (None, self):
                msg = f"this object of {cls.__qualname__} is bound to another Resilience"
                raise TypeError(msg)
        for method in found.values():
            guard = guard_of(binding_removed(method.member))
            if guard is not None and not self._recipe.disabled:
                self._judge_late(era, method.element, guard)
        for name, method in found.items():
            if name not in namespace:
                bind(target, name, method, self._route_of_method(cls, name, era, method), self._runner, self)
        let_copies_be_unbound(target)
        return target

    def circuit_breaker(self, name: str) -> CircuitBreakerHandle:
        """The circuit breaker of that name or id. Raises LookupError."""
        return CircuitBreakerHandle(*self._handled("circuit_breaker", name, self._machine("circuit_breaker", name)))

    def bulkhead(self, name: str) -> BulkheadHandle:
        """The bulkhead of that name or id. Raises LookupError."""
        return BulkheadHandle(*self._handled("bulkhead", name, self._machine("bulkhead", name)))

    def rate_limiter(self, name: str) -> RateLimiterHandle:
        """The rate limiter of that name or id. Raises LookupError."""
        return RateLimiterHandle(*self._handled("rate_limiter", name, self._machine("rate_limiter", name)))

    def snapshot(self) -> Snapshot:
        """States, rates and counts of all instances that are in use."""
        now = self._around.clock.monotonic_ns()
        return Snapshot(
            MappingProxyType({h.name: h.snapshot() for h in self._handles("circuit_breaker", CircuitBreakerHandle)}),
            MappingProxyType({h.name: h.snapshot() for h in self._handles("bulkhead", BulkheadHandle)}),
            MappingProxyType({h.name: h.snapshot() for h in self._handles("rate_limiter", RateLimiterHandle)}),
            MappingProxyType({n: budget.snapshot(now) for n, budget in self._machines.budgets.items()}),
        )

    def reset(self) -> None:
        """Begin all instances anew: circuit breakers and rate limiters as their own `reset` does, and retry budgets.

        Bulkheads stay as they are, since their slots belong to the calls that run.
        """
        for breaker in self._handles("circuit_breaker", CircuitBreakerHandle):
            breaker.reset()
        for limiter in self._handles("rate_limiter", RateLimiterHandle):
            limiter.reset()
        for budget in self._machines.budgets.values():
            budget.reset(self._around.clock.monotonic_ns())

    def listen(
        self, kind: type[E] | UnionType, callback: Callable[[E], object], *, instance: str | None = None
    ) -> Subscription:
        """Call `callback` with each event of a kind, of one instance or of all, until the subscription is cancelled.

        `kind` is a class of `resilience4cata.events` or a union of them, `instance` a shared name, an id or the name of
        a pipeline. Raises TypeError for what is no kind or no function, DefinitionError for an asynchronous function,
        which nobody would await, and LookupError for an instance that nothing has declared so far.
        """
        expect_listener("listen()", kind, callback)
        frame: Any = sys._getframe(1)
        refuse_unfit(CodeListener(callback, Site(frame.f_code, frame.f_lasti), "listen", 1))
        if instance is not None:
            expect_instance(instance, lambda: self._era_for(None, moment_of_last(), ()))
        return self._listeners.add(kind, callback, instance_id=instance)

    def locks(self) -> Iterator[AbstractContextManager[Any]]:
        """All locks, those first within which others are taken."""
        yield self._listeners.lock
        yield self._workers.lock
        for machines in self._all_machines():
            yield from machines.locks()

    def renew_after_fork(self) -> None:
        """Give back, in a child process, what other threads held."""
        self._workers.renew_after_fork()
        for machines in self._all_machines():
            machines.renew_after_fork()

    def _all_machines(self) -> list[Machines | OwnMachines]:
        return [self._machines]

    def _handles(self, policy: str, kind: Callable[..., T]) -> list[T]:
        """Handles of the instances that are in use."""
        return [kind(*self._handled(policy, name, machine)) for name, machine in self._machines.of(policy).items()]

    def _handled(self, policy: str, name: str, machine: Any) -> tuple[str, Any, Clock, Channel]:
        return name, machine, self._around.clock, self._listeners.channel(name, policy)

    def _machine(self, policy: str, name: str) -> Any:
        expect_text(f"{policy}()", "the name or id of an instance", name)
        instances = self._era.instances
        # One that is in use may have been let go by the settings that count since just now.
        found = self._machines.of(policy).get(name) or instances.named(policy, name)
        if found is None:
            near = did_you_mean(name, [known for kind, known in tuple(instances.records) if kind == policy])
            msg = f"there is no {policy} '{name}'" + (f"; did you mean '{near}'?" if near else "")
            raise LookupError(msg)
        return found

    def _route_of_method(self, cls: type, name: str, era: Era, method: Method) -> Callable[[], tuple[Layer, ...]]:
        def find(era: Era) -> tuple[Layer, ...] | None:
            method = era.methods_of(cls).get(name)
            return era.method_layers(method) if method is not None else None

        return self._route(find, (era.token, era.method_layers(method)))

    def _route(
        self, find: Callable[[Era], tuple[Layer, ...] | None], known: tuple[object, tuple[Layer, ...]]
    ) -> Callable[[], tuple[Layer, ...]]:
        """What gives the layers that count now; `known` are some, with the token of their era.

        Where newer settings do not know the way any more, the last layers stay.
        """

        def layers() -> tuple[Layer, ...]:
            nonlocal known
            era = self._era
            token, found = known
            if token is not era.token:
                newer = find(era)
                found = found if newer is None else newer
                known = era.token, found
            return found

        return layers

    def _era_of(self, checked: Checked, before: Era | None = None) -> Era:
        return Era(checked, Instances(self._machines), self._around.make_handler, before)

    def _renew(
        self,
        check: Callable[[Additions, Checked], Checked],
        warnings: Callable[[Checked], Iterable[str]] = lambda _: (),
    ) -> None:
        """Let other settings count from now on, all of them by a single store; whatever is wrong changes nothing.

        `check` makes them of those that count until now, and of the pipelines that there are. It is asked again if
        others were faster. Their `warnings` are given before, so that one that is made an error changes nothing too.
        """
        told: set[str] = set()
        while True:
            era = self._era
            additions = self._additions(era)
            checked = check(additions, era.known)
            newer = self._era_of(checked, era)
            # What others have overtaken already is not worth a warning.
            if self._era is era and len(self._pipelines) == len(additions.pipelines):
                for warning in warnings(checked):
                    if warning not in told:
                        told.add(warning)
                        warn_caller(warning)
                if self._publish(newer, era, len(additions.pipelines)):
                    return

    def _additions(self, era: Era) -> Additions:
        pipelines = {name: asked for name, (asked, _) in self._pipelines.copy().items()}
        # What they name was there when they were made.
        overrides = tuple(override._replace(standing=True) for override in era.checked.additions.overrides)
        return Additions(pipelines, overrides)

    def _take_in(self, modules: Collection[str]) -> None:
        """Let declarations count that were made since, and those of further modules. What counts already goes on."""
        while True:
            era = self._era
            additions = self._additions(era)
            checked = self._recipe.further(additions, era.checked, modules)
            if checked is None:
                self._renew(lambda additions, before: self._recipe.for_calls(additions, before, modules))
                return
            further = era.further(checked)
            with self._machines.lock:
                if self._era is era and len(self._pipelines) == len(additions.pipelines):
                    self._era = further
                    return

    def _era_for(self, cls: type | None, since: int, modules: Collection[str]) -> Era:
        """What counts, with what was declared up to the moment `since` and in these modules.

        What stands on a class that a function made, or whose name another class has by now, is known to the era that
        this gives, and to no other.
        """
        era = self._era
        extraction = era.checked.assembly.extraction
        is_apart = cls is not None and is_local(cls) and (since > extraction.moment or cls not in extraction.classes)
        if cls is not None and (is_apart or out_of_reach(cls)):
            return era.beside(self._recipe.beside(self._additions(era), era.checked, cls, modules))
        if since > extraction.moment or not self._recipe.knows(era.checked, modules):
            self._take_in(modules)
        return self._era

    def _judge_late(self, era: Era, element: Element, guard: Guard) -> None:
        """Judge what stands behind a guard, if no check has. Raises DefinitionError with all its errors."""
        checked, key = era.checked, (element.definition.id, element.definition.at)
        is_known = checked.is_full or self._recipe.chooses(modules_of(guard))
        if (is_known and guard.since <= checked.judged_until) or guard.since <= self._judged.get(key, -1):
            return
        seen = era.settings, checked.assembly.extraction.declaring(element)
        self._judge(lambda exact: (checked.exactly(guard, exact) if exact else None) or seen)
        self._judged[key] = guard.since

    def _judge_never_run(self, era: Era, cls: type) -> None:
        """Judge what no call will run, all of it at once. Raises DefinitionError with all its errors."""
        all_of_it = {(e.definition.id, e.definition.at): e for e in era.never_run(cls)}
        new = {key: element for key, element in all_of_it.items() if key not in self._judged}
        if new and not self._recipe.disabled:
            self._judge(lambda _: (era.settings, tuple(new.values())))
            self._judged |= dict.fromkeys(new, -1)

    def _judge(self, look: Look, beside: Collection[object] = ()) -> None:
        """Judge what no check has seen, and what was said `beside` it.

        Its warnings are given once, and stay among the diagnostics, unless one is made an error. Raises DefinitionError
        with all its errors.
        """
        found = judge(look, beside)
        with self._telling.those_new(found, lambda: self._era.checked.diagnostics) as new:
            for diagnostic in new:
                warn_caller(diagnostic.text)
            with self._machines.lock:
                checked = self._era.checked.noting(new)
                if checked is not self._era.checked:
                    self._era = self._era.noting(checked)

    def _publish(self, era: Era, before: Era, pipelines: int) -> bool:
        now = self._around.clock.monotonic_ns()
        with self._machines.lock:
            if self._era is not before or len(self._pipelines) != pipelines:
                return False
            happened = self._machines.follow_locked(era.instances.records, era.budgets, now)
            self._era = era
        next_generation()
        # Those that count now, which may be newer ones already.
        options = self._era.options
        self._workers.resize(options.offload_max_workers)
        if self._listeners.per_call != options.events_per_call:
            self._listeners.hear_per_call(options.events_per_call)
        for (policy, name), events in happened:
            self._listeners.channel(name, policy).emit(events)
        return True
