"""Decorated callables: which layers count for a guard, and what it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..extract.extraction import Guarded
from ..extract.settings import PolicySettings, Settings
from ..guards import Guard, Runs, calling
from ..pipeline.entries import runs_for
from ..pipeline.instances import Machines, Surroundings
from ..pipeline.runner import Runner
from ..pipeline.slow import Layer
from ..policies.classes import has_policies
from ..policies.recorded import function_of, is_a
from .checking import Recipe, judge, made_settings
from .era import Era
from .local import LocalInstances, Locals

TakeIn = Callable[[Collection[str]], object]


class _Found(NamedTuple):
    era: Era
    guarded: Guarded | None


class Decorated:
    """Gives guards what they run, by the settings that count at the time.

    `era` gives those; `take_in` lets declarations count that were made since, those of further modules too.
    """

    def __init__(
        self, runner: Runner, around: Surroundings, recipe: Recipe, era: Callable[[], Era], take_in: TakeIn
    ) -> None:
        self._runner = runner
        self._around = around
        self._recipe = recipe
        self._era = era
        self._take_in = take_in
        self._locals = Locals()
        # State of functions that have no name of their own lives as long as they do.
        self._machines: WeakKeyDictionary[Guard, Machines] = WeakKeyDictionary()
        self._judged: dict[str, int] = {}

    def run(self, guard: Guard) -> Callable[..., object]:
        """Install what a guard runs, and give its wrapper.

        Raises DefinitionError for a declaration made after `build()` that has errors.
        """
        ticket = guard.ticket()
        # If others were faster, the wrapper runs what they found; if other things count by now, it asks again.
        guard.install(self._runs(guard), ticket)
        return guard.wrapper

    def local_machines(self) -> list[Machines]:
        """The state of all functions that have no name of their own."""
        guards = (reference() for reference in self._machines.keyrefs())
        found = (self._machines.get(guard) for guard in guards if guard is not None)
        return [machines for machines in found if machines is not None]

    def _runs(self, guard: Guard) -> Runs:
        era = self._era()
        if era.passes_through:
            return calling(guard.function, guard.function)
        if _has_no_name(guard):
            layers = () if guard.inner else self._layers_of_local(era, guard)
            return runs_for(guard, layers, self._runner, is_method=False)
        era, found = self._found(guard)
        if found is None or found.element is None:
            return calling(guard.function, guard.function)
        is_method = found.owner is not None and not is_a(found.member, staticmethod)
        return runs_for(guard, self._layers(era, guard, found), self._runner, is_method=is_method)

    def _found(self, guard: Guard) -> _Found:
        era = self._era()
        modules = _modules_of(guard)
        checked = era.checked
        if guard.since > checked.assembly.extraction.moment or not self._recipe.knows(checked, modules):
            self._take_in(modules)
            era = self._era()
        return _Found(era, era.checked.assembly.extraction.guarded(guard))

    def _layers(self, era: Era, guard: Guard, found: Guarded) -> tuple[Layer, ...]:
        element = found.element
        assert element is not None
        id_ = element.definition.id
        if self._is_unjudged(era, guard) and guard.since > self._judged.get(id_, -1):
            judge(era.settings, element)
            self._judged[id_] = guard.since
        made = era.settings
        if not found.reachable:
            # What has its name now may stand in the same place, by which settings are remembered.
            made = Settings(era.checked.assembly, strict=era.options.strict, before=made)
        settings = made_settings(made, element)
        if not settings:
            return ()
        if "<locals>" in element.definition.id or not found.reachable:
            return self._layers_of_its_own(era, guard, settings, found, era.id_of(element))
        return era.layers_of_member(element, found.member, found.owner)

    def _is_unjudged(self, era: Era, guard: Guard) -> bool:
        checked = era.checked
        if checked.is_full:
            return False
        return guard.since > checked.judged_until or not self._recipe.chooses(_modules_of(guard))

    def _layers_of_local(self, era: Era, guard: Guard) -> tuple[Layer, ...]:
        local = self._locals.of(era, guard)
        return self._layers_of_its_own(era, guard, local.settings, Guarded(None, guard.function, None, True), local.id)

    def _layers_of_its_own(
        self, era: Era, guard: Guard, settings: Mapping[str, PolicySettings], found: Guarded, id_: str
    ) -> tuple[Layer, ...]:
        machines = self._machines.get(guard)
        if machines is None:
            machines = self._machines.setdefault(guard, Machines(self._around))
        instances = LocalInstances(era.instances, machines, id_)
        layers = era.layers_of(settings, found.member, found.owner, id_, instances)
        instances.follow()
        return layers


def _has_no_name(guard: Guard) -> bool:
    """Whether a guard's callable is a local function, or no function at all."""
    function = function_of(guard.function)
    return guard.owner() is None and (function is None or "<locals>" in function.__qualname__)


def _modules_of(guard: Guard) -> frozenset[str]:
    """Where policies of a guard may stand."""
    owner = guard.owner()
    classes: tuple[Any, ...] = tuple(filter(has_policies, owner.__mro__)) if owner is not None else ()
    return frozenset(str(part.__module__) for part in (*classes, function_of(guard.function)) if part is not None)
