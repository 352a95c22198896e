"""What another function makes is thrown away wholly, whatever leads in a circle through its policies."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from resilience4cata import (
    FallbackContext,
    Resilience,
    activation,
    bulkhead,
    circuit_breaker,
    fallback,
    guards,
    inherit_policies,
    retry,
    timeout,
)
from resilience4cata.policies.recording import recorded

from .running import built

Made = tuple[Callable[[], object], "Witness"]


class Witness:
    """Is held by what was made, and by nothing else."""

    call: Any = None
    instead: Any = None

    def charge(self) -> object:
        return "charged"


@retry(max_attempts=2)
class Known:
    """A class of a module, which does not go."""

    def charge(self) -> object:
        return "charged"


def plain() -> Made:
    witness = Witness()

    @retry(max_attempts=2)
    def charge() -> object:
        return witness.charge()

    return charge, witness


def recursive() -> Made:
    witness = Witness()

    @retry(max_attempts=2)
    @circuit_breaker()
    @bulkhead(max_concurrent=9)
    def charge(left: int = 2) -> object:
        return charge(left - 1) if left else witness.charge()

    return charge, witness


def recursive_without_a_policy_that_counts() -> Made:
    witness = Witness()

    @retry(enabled=False)
    def charge(left: int = 2) -> object:
        return charge(left - 1) if left else witness.charge()

    return charge, witness


def recursive_on_the_layers_own_way() -> Made:
    """Offloaded calls have no quick way."""
    witness = Witness()

    @timeout("9s", offload=True)
    def charge(left: int = 1) -> object:
        return charge(left - 1) if left else witness.charge()

    return charge, witness


def coroutine_function() -> Made:
    witness = Witness()

    @timeout("9s")
    async def charge(left: int = 2) -> object:
        return await charge(left - 1) if left else witness.charge()

    return lambda: asyncio.run(charge()), witness


def own_default() -> Made:
    witness = Witness()

    @retry(max_attempts=2)
    def charge(witness: Witness = witness) -> object:
        return witness.charge()

    witness.call = charge
    return charge, witness


def bound_method() -> Made:
    witness = Witness()
    witness.call = retry(max_attempts=2)(witness.charge)
    return witness.call, witness


def handler_that_leads_back() -> Made:
    witness = Witness()

    @fallback(handler=lambda context: (witness, charge))
    def charge() -> object:
        raise ConnectionError

    return charge, witness


def bound_method_as_a_handler() -> Made:
    witness = Witness()

    class Caller:
        def __init__(self) -> None:
            self.witness = witness
            self.call: Any = fallback(handler=self.instead)(self.charge)

        def charge(self) -> object:
            raise ConnectionError

        def instead(self, context: FallbackContext) -> object:
            return "instead"

    return Caller().call, witness


def guarded_twice() -> Made:
    witness = Witness()

    def charge() -> object:
        return witness.charge(), quick, patient

    quick = timeout("1s")(charge)
    patient = timeout("9s")(charge)
    return patient, witness


def method_with_super() -> Made:
    witness = Witness()

    class Base:
        def charge(self) -> object:
            return witness.charge()

    class Client(Base):
        @retry(max_attempts=2)
        def charge(self) -> object:
            return super().charge()

    return Client().charge, witness


def override_that_takes_over() -> Made:
    """Both wrappers are told of each other by `super()`."""
    witness = Witness()

    class Base:
        @circuit_breaker()
        def charge(self) -> object:
            return witness.charge()

    class Client(Base):
        @inherit_policies
        def charge(self) -> object:
            return super().charge()

    return Client().charge, witness


def covered_by_its_class() -> Made:
    witness = Witness()

    @fallback(handler=lambda context: (witness, Client))
    class Client:
        def charge(self) -> object:
            raise ConnectionError

        def itself(self) -> type:
            return __class__  # type: ignore[name-defined, no-any-return]

    return Client().charge, witness


def sibling() -> Made:
    witness = Witness()

    class Client:
        @fallback(method="instead")
        def charge(self) -> object:
            raise ConnectionError

        def instead(self) -> object:
            return witness, Client

    return Client().charge, witness


def subclass_of_a_module_s_class() -> Made:
    witness = Witness()

    class Client(Known):
        def charge(self) -> object:
            return witness, super().charge()

    return Client().charge, witness


def bound_object() -> Made:
    witness = Witness()

    class Client:
        @retry(max_attempts=2)
        def charge(self) -> object:
            return witness, __class__  # type: ignore[name-defined]

    client = Client()
    current = activation.current()
    return (current.wrap(client) if isinstance(current, Resilience) else client).charge, witness


KINDS = (
    plain,
    recursive,
    recursive_without_a_policy_that_counts,
    recursive_on_the_layers_own_way,
    coroutine_function,
    own_default,
    bound_method,
    handler_that_leads_back,
    bound_method_as_a_handler,
    guarded_twice,
    method_with_super,
    override_that_takes_over,
    covered_by_its_class,
    sibling,
    subclass_of_a_module_s_class,
    bound_object,
)


def kept() -> tuple[int, int]:
    """How many declarations of this module are known, and how many guards that run something."""
    guarded = [guard for reference in guards._installed if (guard := reference()) is not None]
    ours = [guard for guard in guarded if getattr(guard.function, "__module__", "") == __name__]
    return len([a for a in recorded() if a.module == __name__]), len(ours)


@pytest.mark.parametrize("called", [False, True], ids=["uncalled", "called"])
@pytest.mark.parametrize("around", [nullcontext, lambda: built(__name__).activate()], ids=["default", "built"])
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_nothing_stays(make: Callable[[], Made], around: Callable[[], Any], called: bool) -> None:
    """No object that a function holds, no declaration, no guard."""
    with around():
        # What the module has is taken in before: a class that is there at that time stays with what is known.
        Known().charge()
        make()
        Known().charge()
        gc.collect()
        before = kept()
        gone = []
        for _ in range(100):
            call, witness = make()
            if called:
                call()
            gone.append(weakref.ref(witness))
        del call, witness
        gc.collect()
        assert 0 == sum(1 for reference in gone if reference() is not None)
        assert before == kept()


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_code_can_be_looked_up(make: Callable[[], Made]) -> None:
    """Debuggers and profilers keep code objects in dicts."""
    with built(__name__).activate():
        for _ in range(2):
            call: Any = make()[0]
            call()
            function = getattr(call, "__func__", call)
            assert 1 == len({function.__code__, function.__code__})


def test_a_hundred_thousand() -> None:
    with built().activate():
        plain()[0]()
        gc.collect()
        before, gone = len(gc.get_objects()), []
        for number in range(100_000):
            call, witness = plain()
            if number % 10 == 0:
                call()
            gone.append(weakref.ref(witness))
        del call, witness
        gc.collect()
        assert 100_000 == sum(1 for reference in gone if reference() is None)
        del gone
        assert len(gc.get_objects()) - before < 1_000


class TestWhileCallsRun:
    """What an older code needs lives as long as a call runs it."""

    def test_settings_that_change_within_a_call(self) -> None:
        calls: list[int] = []

        @fallback(handler=lambda context: "instead")
        @retry(max_attempts=2)
        def charge(left: int = 1) -> object:
            calls.append(left)
            if left and len(calls) == 1:
                resilience.reload()
                assert "instead" == charge(0)
                gc.collect()
            raise ConnectionError

        with built().activate() as resilience:
            assert "instead" == charge()
        # Two attempts of the call within, and two of the one around it, which went on as it had begun.
        assert [1, 0, 0, 1] == calls

    def test_former_settings_are_let_go(self) -> None:
        witness = Witness()

        @retry(max_attempts=2)
        def charge() -> object:
            return witness.charge()

        with built().activate() as resilience:
            charge()
            guard = guards.guard_of(charge)
            assert guard is not None
            held = [len(guard._needs)]
            for _ in range(3):
                resilience.reload()
                held.append(len(guard._needs))
                charge()
                held.append(len(guard._needs))
        assert [1, 0, 1, 0, 1, 0, 1] == held

    def test_function_that_goes_within_its_call(self) -> None:
        """Nobody has it any more but the call itself, which still retries."""
        calls: list[int] = []

        def make() -> Any:
            held: list[Any] = []

            @retry(max_attempts=3)
            def charge() -> object:
                calls.append(len(held))
                held.clear()
                gc.collect()
                if len(calls) < 3:
                    raise ConnectionError
                return "charged"

            held.append(charge)
            return held

        held = make()
        with built().activate():
            assert "charged" == held.pop()()
        assert [0, 0, 0] == calls

    def test_machine_of_a_function_that_goes(self) -> None:
        with built().activate() as resilience:
            call, _ = recursive()
            call()
            (machines,) = resilience._decorated.local_machines()
            gone = weakref.ref(machines)
            del call, _, machines
            gc.collect()
            assert gone() is None
