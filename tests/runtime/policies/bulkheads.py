"""Bulkheads for tests, and what holds for one that nobody uses."""

from __future__ import annotations

from resilience4cata.policies.machines.bulkhead import BulkheadMachine, BulkheadSettings


def bulkhead(limit: int, max_wait: int = 0) -> BulkheadMachine:
    return BulkheadMachine(BulkheadSettings(limit, max_wait))


def running(machine: BulkheadMachine) -> int:
    return machine.snapshot().running


def whole(machine: BulkheadMachine) -> bool:
    """Whether nobody runs, nobody waits, and free slots equal the limit."""
    limit = machine.settings.max_concurrent
    slots = len(machine.free) + machine._unmade
    return (limit, 0, limit, 0) == machine.snapshot() and slots == limit and not machine.waiting
