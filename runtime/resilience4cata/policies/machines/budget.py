"""Retry budgets: what all retries of one name may cost together.

Each call pays `percent` into the budget and each retry takes 100 out. `min_per_second` retries for each second of the
`ttl` are granted in any case. Payments and withdrawals count for the `ttl`, which expires in ten slices.
(After the retry budget of Finagle, whose numbers are these times ten over the percentage.)
"""

from __future__ import annotations

from collections import deque
from threading import RLock
from typing import Final, NamedTuple

from ...clock import SECOND
from .counters import Counter

_SLICES: Final = 10
_PRICE: Final = 100


class RetryBudgetSettings(NamedTuple):
    """The numbers of one budget; `ttl` in nanoseconds."""

    ttl: int = 10 * SECOND
    min_per_second: float = 10
    percent: float = 20

    @property
    def reserve(self) -> int:
        """Retries that are granted without any call."""
        return int(_meant(self.min_per_second * self.ttl / SECOND))


class _Slice:
    """A tenth of the time to live: its number, the calls before it, and the retries in it."""

    __slots__ = ("calls_before", "number", "retries")

    def __init__(self, number: int, calls_before: int) -> None:
        self.number = number
        self.calls_before = calls_before
        self.retries = 0


class RetryBudgetSnapshot(NamedTuple):
    """A retry budget at one moment: calls and retries that count, and how many more retries it would pay for."""

    calls: int
    retries: int
    available: int


class RetryBudgetMachine:
    """One retry budget, shared by all retries that name it.

    The quick way of a deposit takes no lock: `if now >= budget.turn_at: budget.turn(now)`, then a step of
    `budget.deposits`.
    """

    __slots__ = ("__weakref__", "_calls", "_retries", "_slices", "deposits", "lock", "settings", "turn_at")

    def __init__(self, settings: RetryBudgetSettings, now: int) -> None:
        self.settings = settings
        self._calls = Counter()
        self.deposits = self._calls.ticks
        self.lock = RLock()
        self._slices: deque[_Slice] = deque()
        self._retries = 0
        self.turn_at = now
        self._turn_locked(now)

    def turn(self, now: int) -> None:
        """Begin the slice that runs `now`."""
        with self.lock:
            self._turn_locked(now)

    def deposit(self) -> None:
        """Pay in for one call."""
        self._calls.tick()

    def withdraw(self, now: int) -> bool:
        """Pay for one retry; False if there is not enough."""
        with self.lock:
            self._turn_locked(now)
            if self._balance_locked() < _PRICE:
                return False
            self._slices[-1].retries += 1
            self._retries += 1
            return True

    def reconfigure(self, settings: RetryBudgetSettings, now: int) -> None:
        """Go on with other numbers. Another time to live begins with an empty budget; its slices are others."""
        with self.lock:
            before, self.settings = self.settings, settings
            if before.ttl != settings.ttl:
                self._clear_locked(now)
            self._turn_locked(now)

    def reset(self, now: int) -> None:
        """Begin anew: nothing is paid, nothing is spent."""
        with self.lock:
            self._clear_locked(now)
            self._turn_locked(now)

    def snapshot(self, now: int) -> RetryBudgetSnapshot:
        """The figures `now`."""
        with self.lock:
            self._turn_locked(now)
            available = max(0, int(self._balance_locked() // _PRICE))
            return RetryBudgetSnapshot(self._calls_locked(), self._retries, available)

    def _balance_locked(self) -> float:
        paid = _meant(self._calls_locked() * self.settings.percent)
        return paid + (self.settings.reserve - self._retries) * _PRICE

    def _calls_locked(self) -> int:
        return self._calls.value - self._slices[0].calls_before

    def _clear_locked(self, now: int) -> None:
        self._slices.clear()
        self._retries = 0
        self.turn_at = now

    def _turn_locked(self, now: int) -> None:
        if now < self.turn_at:
            return
        length = max(1, self.settings.ttl // _SLICES)
        number = now // length
        self._slices.append(_Slice(number, self._calls.value))
        while self._slices[0].number <= number - _SLICES:
            self._retries -= self._slices.popleft().retries
        self.turn_at = (number + 1) * length


def _meant(product: float) -> float:
    """A product of written numbers: 0.29 a second for 100 seconds are 29 retries, and not 28.999999999999996."""
    return round(product, 6)
