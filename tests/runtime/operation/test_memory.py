"""What a `Resilience` keeps alive."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

from resilience4cata import Resilience, bulkhead, retry

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
