"""Decorated callables: which layers count for a guard, and what it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..extract.extraction import Guarded, is_local
from ..extract.settings import PolicySettings, Settings
from ..facts import Element
from ..guards import Guard
from ..pipeline.creating import what_creates
from ..pipeline.entries import runs_for
from ..pipeline.runner import Runner
from ..pipeline.slow import Layer
from ..policies.recorded import function_of, is_a
from ..stand_ins import Runs, calling
from .checking import Look, made_settings
from .era import Era
from .later import modules_of
from .local import LocalInstances, Locals, OwnMachines, comes_again, seen_apart
from .telling import in_words


class Counting(NamedTuple):
    """What counts. `era` gives the settings that do; `era_for` those for a class, with what was declared up to a moment
    and in some modules. `judge` and `judge_late` judge what no check has seen."""

    era: Callable[[], Era]
    era_for: Callable[[type | None, int, Collection[str]], Era]
    judge: Callable[[Look], None]
    judge_late: Callable[[Era, Element, Guard], None]


class Decorated:
    """Gives guards what they run, by the settings that count at the time."""

    def __init__(self, runner: Runner, counting: Counting) -> None:
        self._runner = runner
        self._counting = counting
        self._locals = Locals(counting.judge)
        # State of functions that have no name of their own lives as long as they do.
        self._machines: WeakKeyDictionary[Guard, OwnMachines] = WeakKeyDictionary()

    def run(self, guard: Guard) -> Callable[..., object]:
        """Install what a guard runs, and give its wrapper.

        Raises DefinitionError for a declaration made after `build()` that has errors.
        """
        ticket = guard.ticket()
        # If others were faster, the wrapper runs what they found; if other things count by now, it asks again.
        guard.install(self._runs(guard), ticket)
        return guard.wrapper

    def seen(self, guard: Guard) -> tuple[Settings, Element] | None:
        """The facts of what a guard stands for, and settings that know them; None where no policies count."""
        if _only_creates(guard):
            return None
        if has_no_name(guard):
            return seen_apart(self._counting.era(), guard)
        era = self._counting.era_for(guard.owner(), guard.since, ())
        found = era.checked.assembly.extraction.guarded(guard)
        if found is None or found.element is None or not era.settings.instances.resolver.resolve(found.element):
            return None
        return era.settings, found.element

    def local_machines(self) -> list[OwnMachines]:
        """The state of all functions that have no name of their own."""
        guards = (reference() for reference in self._machines.keyrefs())
        found = (self._machines.get(guard) for guard in guards if guard is not None)
        return [machines for machines in found if machines is not None]

    def _runs(self, guard: Guard) -> Runs:
        era = self._counting.era()
        # Fallbacks, which may run where all else is disabled, do nothing for what only creates.
        if era.passes_through or (not era.options.enabled and _only_creates(guard)):
            return calling(guard.function, guard.function)
        if has_no_name(guard):
            layers = () if guard.inner else self._layers_of_local(era, guard)
            return runs_for(guard, layers, self._runner, is_method=False, layers_lead_back=not comes_again(guard))
        era = self._counting.era_for(guard.owner(), guard.since, modules_of(guard))
        found = era.checked.assembly.extraction.guarded(guard)
        if found is None or found.element is None:
            return calling(guard.function, guard.function)
        is_method = found.owner is not None and not is_a(found.member, staticmethod)
        return runs_for(guard, self._layers(era, guard, found), self._runner, is_method=is_method)

    def _layers(self, era: Era, guard: Guard, found: Guarded) -> tuple[Layer, ...]:
        element = found.element
        assert element is not None
        self._counting.judge_late(era, element, guard)
        if _only_creates(guard):
            return ()
        made = era.settings
        if not found.reachable:
            # What has its name now may stand in the same place, by which settings are remembered.
            made = Settings(era.checked.assembly, strict=era.options.strict, before=made)
        settings = made_settings(made, element)
        if not settings:
            return ()
        if "<locals>" in element.definition.id or found.is_accessor or not found.reachable:
            # The id of an accessor is the getter's, and so are the instances of that name.
            id_ = era.id_of(element)
            return in_words(
                lambda: self._layers_of_its_own(era, guard, settings, found, id_), lambda: (made, element), era.users
            )
        return era.layers_of_member(element, found.member, found.owner)

    def _layers_of_local(self, era: Era, guard: Guard) -> tuple[Layer, ...]:
        local = self._locals.of(era, guard)
        if _only_creates(guard):
            return ()
        found = Guarded(None, guard.function, None, True)
        return in_words(
            lambda: self._layers_of_its_own(era, guard, local.settings, found, local.id),
            lambda: seen_apart(era, guard),
            era.users,
        )

    def _layers_of_its_own(
        self, era: Era, guard: Guard, settings: Mapping[str, PolicySettings], found: Guarded, id_: str
    ) -> tuple[Layer, ...]:
        machines = self._machines.get(guard)
        if machines is None:
            machines = self._machines.setdefault(guard, OwnMachines())
        instances = LocalInstances(era.instances, machines, id_)
        layers = era.layers_of(settings, found.member, found.owner, id_, instances)
        instances.let_go_of_the_unused()
        return layers


def _only_creates(guard: Guard) -> bool:
    """Whether what is guarded makes a generator or a context manager and no more, so that it runs as it is."""
    return what_creates(guard.function) is not None


def has_no_name(guard: Guard) -> bool:
    """Whether a guard's callable is a local function, or no function at all."""
    function = function_of(guard.function)
    return guard.owner() is None and (function is None or is_local(function))
