"""What policies cost: the time of a guarded call as a multiple of that of an empty `functools.wraps` wrapper.

Everything is measured in one run, the collector off; figures are medians of the ratios to the yardstick of the same
round, in which those that are compared take turns. Policies have their default settings, but for the rate limiter,
which must not refuse. The peers are those that are installed (`pip install resilience4cata[bench]`).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import statistics
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from time import perf_counter_ns
from typing import Any

from peers import PLENTY, peers  # type: ignore[import-not-found]  # beside this script, which is no module of a package

from resilience4cata import (
    Resilience,
    bulkhead,
    circuit_breaker,
    fallback,
    rate_limiter,
    retry,
    timeout,
)

ROUNDS = 31
ROUND = 1_000_000
"""Nanoseconds that one function is called for in a round."""
FUNCTIONS = 500
MOST_BYTES = 2_560

Function = Callable[..., Any]

LIMITER = rate_limiter(permits=PLENTY)
FOUR = (fallback(lambda _: None), retry(), circuit_breaker(), bulkhead())
POLICIES: dict[str, tuple[Any, ...]] = {
    "retry": (retry(),),
    "circuit_breaker": (circuit_breaker(),),
    "circuit_breaker, slow calls": (circuit_breaker(slow_call_duration="1s"),),
    "rate_limiter": (LIMITER,),
    "bulkhead": (bulkhead(),),
    "timeout": (timeout(),),
    "fallback": (fallback(lambda _: None),),
    "four": FOUR,
    "six": (*FOUR, LIMITER, timeout()),
}
# Exact signature, any signature, asynchronous.
BUDGETS: dict[str, tuple[float, float, float]] = {
    "retry": (0.8, 1.4, 1.3),
    "circuit_breaker": (0.9, 1.4, 1.3),
    "circuit_breaker, slow calls": (2.4, 2.4, 2.0),
    "rate_limiter": (1.6, 2.1, 1.7),
    "bulkhead": (0.9, 1.4, 1.3),
    "timeout": (2.4, 2.4, 2.6),
    "four": (1.3, 1.9, 1.6),
    "six": (2.8, 3.7, 4.2 if sys.version_info < (3, 12) else 2.8),
}
REJECTION_BUDGET = 1.6


def exact() -> Function:
    def target(value: object) -> object:
        return value

    return target


def any_signature() -> Function:
    def target(*args: Any, **kwargs: Any) -> object:
        return args

    return target


def asynchronous() -> Function:
    async def target(value: object) -> object:
        return value

    return target


def guarded(function: Function, policies: tuple[Any, ...]) -> Function:
    for policy in reversed(policies):
        function = policy(function)
    return function


def empty(function: Function) -> Function:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def empty_async(function: Function) -> Function:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await function(*args, **kwargs)

    return wrapper


async def sync_time(function: Function, calls: int) -> float:
    """Nanoseconds of a call."""
    repeat = range(calls)
    began = perf_counter_ns()
    for _ in repeat:
        function(1)
    return (perf_counter_ns() - began) / calls


async def async_time(function: Function, calls: int) -> float:
    repeat = range(calls)
    began = perf_counter_ns()
    for _ in repeat:
        await function(1)
    return (perf_counter_ns() - began) / calls


async def sync_rejection_time(function: Function, calls: int) -> float:
    """Nanoseconds of a call whose exception is caught."""
    repeat = range(calls)
    began = perf_counter_ns()
    for _ in repeat:
        try:  # noqa: SIM105  # a context manager would be measured too
            function(1)
        except Exception:
            pass
    return (perf_counter_ns() - began) / calls


async def async_rejection_time(function: Function, calls: int) -> float:
    repeat = range(calls)
    began = perf_counter_ns()
    for _ in repeat:
        try:  # noqa: SIM105
            await function(1)
        except Exception:
            pass
    return (perf_counter_ns() - began) / calls


Timed = Callable[[Function, int], Awaitable[float]]
YARDSTICK = "empty"


def multiples(make: Callable[[], dict[str, Function]], timed: Timed) -> dict[str, float]:
    """The median time of each function, divided by that of the yardstick in the same round.

    They are made within the event loop, which some decorators ask for.
    """

    async def rounds() -> dict[str, float]:
        functions = make()
        for function in functions.values():
            # The first calls resolve settings, and fill the windows of circuit breakers.
            await timed(function, 50)
        calls = {name: max(20, int(ROUND / await timed(function, 20))) for name, function in functions.items()}
        times: dict[str, list[float]] = {name: [] for name in functions}
        for _ in range(ROUNDS):
            for name, function in functions.items():
                times[name].append(await timed(function, calls[name]))
        base = times[YARDSTICK]
        found = {n: statistics.median(a / b for a, b in zip(t, base, strict=True)) for n, t in times.items()}
        return {**found, YARDSTICK: statistics.median(base)}

    gc.collect()
    gc.disable()
    try:
        return asyncio.run(rounds())
    finally:
        gc.enable()


def of_peers(target: Callable[[], Function], *, is_async: bool) -> dict[str, Function]:
    """Each policy of each peer, under "policy peer"."""
    return {
        f"{policy} {peer.name}": decorate(target())
        for peer in PEERS
        for policy, decorate in (peer.asynchronous if is_async else peer.sync).items()
    }


def of_ours(target: Callable[[], Function]) -> dict[str, Function]:
    return {policy: guarded(target(), policies) for policy, policies in POLICIES.items()}


def rejections() -> None:
    """Print what a call costs that an open circuit breaker refuses."""

    class Refused(Exception):
        pass

    def bare(value: object) -> None:
        raise Refused("refused")  # noqa: EM101  # as short as it can be written

    async def bare_async(value: object) -> None:
        raise Refused("refused")  # noqa: EM101

    found = []
    for bare_one, target, timed in (
        (bare, failing, sync_rejection_time),
        (bare_async, failing_async, async_rejection_time),
    ):
        functions: dict[str, Function] = {YARDSTICK: bare_one, "ours": opened(target())}
        if timed is sync_rejection_time:
            functions |= {peer.name: peer.rejecting(exact()) for peer in PEERS if peer.rejecting is not None}
        found.append(multiples(functions.copy, timed))
    print(f"\nrejected by an open breaker, multiples of a bare raise and catch ({found[0][YARDSTICK]:.0f} ns)")
    print(f"  sync  {mark(found[0]['ours'], REJECTION_BUDGET)}   async {mark(found[1]['ours'], REJECTION_BUDGET)}")
    print("  " + ", ".join(f"{peer.name} {found[0][peer.name]:.1f}" for peer in PEERS if peer.name in found[0]))


def failing() -> Function:
    def target(value: object) -> object:
        raise ConnectionError

    return target


def failing_async() -> Function:
    async def target(value: object) -> object:
        raise ConnectionError

    return target


def opened(function: Function) -> Function:
    """A function behind a circuit breaker that its failures have opened."""
    breaker = circuit_breaker(window_size=1, minimum_calls=1, wait_in_open="1h")(function)

    async def fail() -> None:
        result = breaker(1)
        if isinstance(result, Awaitable):
            await result

    with contextlib.suppress(ConnectionError):
        asyncio.run(fail())
    return breaker


def mark(multiple: float, budget: float | None) -> str:
    """A multiple beside its budget, with `!` where it is over."""
    if budget is None:
        return f"{multiple:5.2f}         "
    return f"{multiple:5.2f} /{budget:4.1f} {'!' if multiple > budget else ' '}"


def calls() -> None:
    """Print what the happy path costs."""
    sync = multiples(lambda: {YARDSTICK: empty(exact()), **of_ours(exact)}, sync_time)
    loose = multiples(lambda: {YARDSTICK: empty(any_signature()), **of_ours(any_signature)}, sync_time)
    later = multiples(lambda: {YARDSTICK: empty_async(asynchronous()), **of_ours(asynchronous)}, async_time)
    # Apart from ours, since some leave threads behind that run on, and take their time from whatever is next.
    peers_sync = multiples(lambda: {YARDSTICK: empty(exact()), **of_peers(exact, is_async=False)}, sync_time)
    peers_later = multiples(
        lambda: {YARDSTICK: empty_async(asynchronous()), **of_peers(asynchronous, is_async=True)}, async_time
    )
    print(f"a call, multiples of an empty wrapper ({sync[YARDSTICK]:.0f} ns sync, {later[YARDSTICK]:.0f} ns async),")
    print("beside the budget; ! is over it; peers sync, async\n")
    print(f"{'':28}{'exact':15}{'any':15}{'async':15}")
    for policy in POLICIES:
        budget = BUDGETS.get(policy, (None, None, None))
        figures = [mark(found[policy], most) for found, most in zip((sync, loose, later), budget, strict=True)]
        theirs = [
            f"{peer.name} {', '.join(f'{t[key]:.1f}' if key in t else '-' for t in (peers_sync, peers_later))}"
            for peer in PEERS
            if (key := f"{policy} {peer.name}") in peers_sync or key in peers_later
        ]
        print(f"{policy:28}{' '.join(figures)} {'; '.join(theirs)}")


def memory() -> None:
    """Print what a function with four policies takes, once it was called."""
    functions = [exact() for _ in range(FUNCTIONS)]
    guarded(exact(), FOUR)(1)
    gc.collect()
    tracemalloc.start()
    made = [guarded(function, FOUR) for function in functions]
    for function in made:
        function(1)
    gc.collect()
    size = tracemalloc.get_traced_memory()[0] / FUNCTIONS
    tracemalloc.stop()
    over = "!" if size > MOST_BYTES else ""
    print(f"\nmemory of a decorated function with four policies: {size:,.0f} / {MOST_BYTES:,} bytes {over}")


def main() -> None:
    """Print the table of the budgets."""
    print(f"Python {sys.version.split()[0]}; " + ", ".join(f"{p.name} {p.version or 'missing'}" for p in PEERS))
    with Resilience.builder().only("no.module").build().activate():
        calls()
        rejections()
        memory()


PEERS = peers()

if __name__ == "__main__":
    main()
