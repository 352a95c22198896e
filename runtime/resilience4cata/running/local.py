"""Functions that have no name of their own: those that another function makes, and callables that are no functions.

Many are made at one place, called once and thrown away. What is worked out for a place is kept; state is each
function's own, and dies with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from enum import Enum
from gc import is_tracked
from types import FunctionType
from typing import Any, Final, NamedTuple

from ..config.resolve import element_id
from ..events import Events
from ..extract.extraction import is_local
from ..extract.settings import PolicySettings, Settings
from ..facts import Applied, Element
from ..guards import Guard, guards_in
from ..pipeline.creating import what_creates
from ..pipeline.instances import (
    RECORDS,
    Instances,
    Machine,
    Record,
    new_machine,
    reconfigure,
    record_of,
    renew_after_fork,
)
from ..policies import ComposedPolicy, Policy
from ..policies.machines.budget import RetryBudgetMachine, RetryBudgetSettings
from ..policies.recorded import function_of
from ..records import replace
from ..signature import plain_function
from .called import creating
from .checking import Look, made_settings
from .era import Era

_MOST: Final = 256


class Local(NamedTuple):
    """A place where functions are made: what they are called, and their effective values by policy and attribute."""

    id: str
    settings: Mapping[str, PolicySettings]


class Locals:
    """What is known of places, for one era at a time."""

    def __init__(self, judge: Callable[[Look], None]) -> None:
        """`judge` raises DefinitionError for an element that has errors."""
        self._judge = judge
        self._known: tuple[object, dict[object, Local]] = (None, {})

    def of(self, era: Era, guard: Guard) -> Local:
        """The place that a guard's function was made at. Raises DefinitionError if its policies have errors."""
        if era.token is not self._known[0]:
            self._known = era.token, {}
        known = self._known[1]
        place = place_of(guard)
        # Values that cannot be hashed are worked out each time.
        if not comes_again(guard) or not is_hashable(place):
            return self._worked_out(era, guard)
        found = known.get(place)
        if found is None:
            found = self._worked_out(era, guard)
            if len(known) >= _MOST:
                known.clear()
            known[place] = found
        return found

    def _worked_out(self, era: Era, guard: Guard) -> Local:
        settings, element = seen_apart(era, guard)

        def look(exact: Collection[str]) -> tuple[Settings, tuple[Element, ...]]:
            seen = seen_apart(era, guard, exact) if exact else (settings, element)
            return seen[0], (seen[1],)

        self._judge(look)
        return Local(element_id(element) or "", made_settings(settings, element))


class OwnMachines:
    """The state of the instances of one function alone, of which there is one for each policy at most."""

    __slots__ = ("__weakref__", "_machines")

    def __init__(self) -> None:
        self._machines: tuple[Machine, ...] = ()

    def the(self, record: Record) -> Machine | None:
        """The instance that has settings of this kind."""
        return next((machine for machine in self._machines if type(machine.settings) is type(record)), None)

    def add_locked(self, machine: Machine) -> None:
        self._machines = (*self._machines, machine)

    def keep_locked(self, machines: Collection[Machine]) -> None:
        """Let all others go."""
        self._machines = tuple(machine for machine in self._machines if machine in machines)

    def locks(self) -> Iterator[AbstractContextManager[Any]]:
        """All locks but the one under which instances are made, which is that of all functions."""
        return (machine.lock for machine in self._machines)

    def renew_after_fork(self) -> None:
        """Give back, in a child process, what other threads held."""
        renew_after_fork(self._machines)


class LocalInstances(Instances):
    """Instances of one function alone, as long as they have its own id; those with a name are everybody's."""

    def __init__(self, shared: Instances, own: OwnMachines, id_: str) -> None:
        super().__init__(shared._machines)
        self._shared = shared
        self._own = own
        self._id = id_
        self._used: list[Machine] = []

    def budget(self, name: str, settings: RetryBudgetSettings) -> RetryBudgetMachine:
        return self._shared.budget(name, settings)

    def let_go_of_the_unused(self) -> None:
        """Keep only what was asked for here."""
        with self._machines.lock:
            self._own.keep_locked(self._used)

    def _the(self, policy: str, name: str, values: Mapping[str, Any]) -> Any:
        if name != self._id:
            return self._shared._the(policy, name, values)
        record: Record = record_of(RECORDS[policy], values)
        now = self.around.clock.monotonic_ns()
        with self._machines.lock:
            events: Events = ()
            found = self._own.the(record)
            if found is None:
                found = new_machine((policy, name), record, self.around, now)
                self._own.add_locked(found)
            elif found.settings != record:
                # Nobody else uses it, so whoever asks with newer settings lets it go on with them.
                events = reconfigure(found, record, now)
        self.around.listeners.channel(name, policy).emit(events)
        self._used.append(found)
        return found


def is_hashable(value: object) -> bool:
    """Whether a value can be the key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def place_of(guard: Guard) -> object:
    """Where a function was made, and with which policies: equal for functions whose settings are equal."""
    function = function_of(guard.function) or plain_function(guard.function)
    return type(guard.function), None if function is None else function.__code__, _policies_of(guard)


def _policies_of(guard: Guard) -> tuple[Any, ...]:
    """Everything on a function and on what it wraps, outermost first."""
    return tuple(policy for found in guards_in(guard.wrapper) for policy in reversed(found.policies))


def comes_again(guard: Guard) -> bool:
    """Whether another function may have equal policies; they lead to no object that a function made."""
    return all(map(_comes_again, _policies_of(guard)))


def _comes_again(value: object) -> bool:
    """Whether another function may have an equal policy or value. What does not come again is not to be remembered: it
    may lead to the function that it stands on, and hold all of that."""
    match value:
        case ComposedPolicy():
            return all(map(_comes_again, value.members))
        case Policy():
            return all(map(_comes_again, value.written.values()))
        case tuple():
            return all(map(_comes_again, value))
        case type() | FunctionType():
            return not is_local(value)
    return isinstance(value, Enum) or not is_tracked(value)


def seen_apart(era: Era, guard: Guard, exact: Collection[str] = ()) -> tuple[Settings, Element]:
    """The facts of a function that has no name of its own, and settings that know them.

    In the source files in `exact`, places are exact.
    """
    # Facts of their own, which are forgotten when the settings are made.
    assembly = era.checked.assembly.with_additions(era.checked.additions, exact)
    facts = assembly.policy_facts
    policies = [
        facts.composed_policy(policy) if isinstance(policy, ComposedPolicy) else facts.declaration(policy)
        for policy in _policies_of(guard)
    ]
    element = assembly.extraction.local(guard, tuple(Applied(policy, policy.at) for policy in policies))
    creates = what_creates(guard.function) if type(guard.function) is not FunctionType else None
    if creates is not None:
        element = replace(element, definition=creating(element.definition, creates))
    return Settings(assembly, strict=era.options.strict, before=era.settings), element
