"""Metrics for Prometheus, by `prometheus-client`: `pip install 'resilience4cata[prometheus]'`.

ResilienceCollector(resilience, registry=prometheus_client.REGISTRY)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from ..events import Event
from .metrics import COUNTED, COUNTED_KINDS, OBSERVED, PREFIX, Instrument

if TYPE_CHECKING:
    from ..resilience import Resilience

__all__ = ["ResilienceCollector"]


class ResilienceCollector(Collector):
    """Collects from one `Resilience`, and registers itself if it is given a registry.

    Figures are read when they are asked for; events are counted from now on. Registries take one collector of this kind
    each, and those of several processes (`PROMETHEUS_MULTIPROC_DIR`) none.
    """

    def __init__(self, resilience: Resilience, *, registry: CollectorRegistry | None = None) -> None:
        self._resilience = resilience
        self._registry = registry
        self._counts: Counter[tuple[type[Event], tuple[str, ...]]] = Counter()
        self._lock = Lock()
        if registry is not None:
            registry.register(self)
        self._subscription = resilience.listen(COUNTED_KINDS, self._count)

    def close(self) -> None:
        """Count no more, and leave the registry."""
        self._subscription.cancel()
        if self._registry is not None:
            self._registry.unregister(self)
            self._registry = None

    def describe(self) -> Iterator[Metric]:
        """Every metric without samples: what tells a registry the names."""
        for observed in OBSERVED:
            yield _family(observed.instrument, monotonic=observed.monotonic)
        for counted in COUNTED.values():
            yield _family(counted.instrument, monotonic=True)

    def collect(self) -> Iterator[Metric]:
        """Every metric with what it is now."""
        snapshot = self._resilience.snapshot()
        with self._lock:
            counts = dict(self._counts)
        for observed in OBSERVED:
            family = _family(observed.instrument, monotonic=observed.monotonic)
            for labels, value in observed.samples(snapshot):
                family.add_metric(labels, value)
            yield family
        for kind, counted in COUNTED.items():
            family = _family(counted.instrument, monotonic=True)
            for (counted_kind, labels), number in counts.items():
                if counted_kind is kind:
                    family.add_metric(labels, number)
            yield family

    def _count(self, event: Event) -> None:
        kind = type(event)
        key = kind, COUNTED[kind].labels(event)
        with self._lock:
            self._counts[key] += 1


def _family(instrument: Instrument, *, monotonic: bool) -> CounterMetricFamily | GaugeMetricFamily:
    family = CounterMetricFamily if monotonic else GaugeMetricFamily
    name = f"{PREFIX}_{instrument.name.replace('.', '_')}"
    return family(name, instrument.description, labels=instrument.labels)
