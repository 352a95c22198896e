"""What a `Resilience` keeps alive."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

from resilience4cata import Resilience, bulkhead, circuit_breaker, retry
from resilience4cata.pipeline.instances import record_of
from resilience4cata.policies.classification import Classification
from resilience4cata.policies.machines.budget import RetryBudgetSettings
from resilience4cata.policies.machines.bulkhead import BulkheadSettings

from ..live import Application
from .operated import Operated


def test_functions_die_as_without_it() -> None:
    """`build()` has seen a function that was made in another one."""

    @retry(max_attempts=2)
    def local() -> None: ...

    resilience = Resilience.builder().only(__name__).build()
    function: Any = ref(getattr(local, "__wrapped__", local))
    del local
    gc.collect()
    assert function() is None
    assert () == resilience.diagnostics


def test_bound_objects_die(shop: Operated) -> None:
    client = shop.client()
    gone = ref(client)
    del client
    gc.collect()
    assert gone() is None


def test_former_settings_die(shop: Operated) -> None:
    """A bound object and a pipeline that were not called since do not hold them."""
    client = shop.client()
    pipeline = shop.resilience.pipeline("orders", bulkhead(max_concurrent=1))
    former = ref(shop.resilience._era.settings)
    shop.resilience.reload()
    gc.collect()
    assert former() is None
    assert ("charged", 3) == (client.charge(), pipeline.call(len, "abc"))


def test_former_overrides_die(shop: Operated) -> None:
    """What `reconfigure` replaced is forgotten wholly."""
    policies = [bulkhead(max_concurrent=number) for number in range(1, 6)]
    for policy in policies:
        shop.resilience.reconfigure("slots", policy)
    gone = [ref(policy) for policy in policies]
    del policies, policy
    gc.collect()
    assert [None, None, None, None] == [reference() for reference in gone[:4]]


def test_equal_lists_are_compiled_once() -> None:
    """Elements share what was found out about a class of exceptions."""

    class Busy(Exception):
        pass

    def make() -> Any:
        @retry(retry_on=Busy)
        @circuit_breaker(record_on=Busy)
        def local() -> None: ...

        return local

    def compiled() -> int:
        every = (thing for thing in gc.get_objects() if type(thing) is Classification)
        return sum(Busy in thing._allow for thing in every)

    with Resilience.builder().only("nothing").build().activate():
        for function in [make() for _ in range(20)]:
            function()
        assert 2 == compiled()


def test_equal_records_are_shared() -> None:
    """Those of one kind, with values of the same types: `1` and `True` are equal, and are not the same."""
    records = [record_of(BulkheadSettings, {"max_concurrent": n, "max_wait": 7}) for n in (1, 1, True, 2)]
    assert [BulkheadSettings(1, 7)] * 3 == records[:3]
    assert records[0] is records[1]
    assert [int, bool] == [type(record.max_concurrent) for record in records[1:3]]
    budget = record_of(RetryBudgetSettings, {"ttl": 1, "min_per_second": 7, "percent": 20})
    assert RetryBudgetSettings is type(budget)


def test_positions_of_code_are_forgotten(app: Application) -> None:
    """What was asked of a code object is kept, and nothing else of it: far more instructions than calls."""
    module: Any = app.load("acme", "from resilience4cata import retry\n@retry(max_attempts=2)\ndef load(): return 1\n")
    resilience = Resilience.builder().only("acme").build()
    with resilience.activate():
        assert 1 == module.load()
    assert {} == resilience._era.checked.assembly.extraction.places._positions
