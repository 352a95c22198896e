"""Metrics for OpenTelemetry, by its API alone: `pip install 'resilience4cata[otel]'`.

    ResilienceMetrics(resilience)

An application that also sets up an SDK exports them; without one, nothing is measured and nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from opentelemetry.metrics import CallbackOptions, Counter, Meter, MeterProvider, Observation, get_meter

from .._version import __version__
from ..events import Event
from .metrics import COUNTED, COUNTED_KINDS, OBSERVED, PREFIX, Instrument, Observed

if TYPE_CHECKING:
    from ..resilience import Resilience

__all__ = ["ResilienceMetrics"]


class ResilienceMetrics:
    """Instruments that measure one `Resilience`; `meter_provider` is the global one unless it is given.

    Figures are read when they are exported; events are counted from now on.
    """

    def __init__(self, resilience: Resilience, *, meter_provider: MeterProvider | None = None) -> None:
        self._resilience: Resilience | None = resilience
        meter = get_meter(PREFIX, __version__, meter_provider)
        self._counters = {kind: _counter(meter, counted.instrument) for kind, counted in COUNTED.items()}
        for observed in OBSERVED:
            create = meter.create_observable_counter if observed.monotonic else meter.create_observable_gauge
            name, unit, description, _ = observed.instrument
            create(f"{PREFIX}.{name}", [self._reader(observed)], unit, description)
        self._subscription = resilience.listen(COUNTED_KINDS, self._count)

    def close(self) -> None:
        """Measure no more. The instruments stay, since OpenTelemetry takes none back, and report nothing."""
        self._subscription.cancel()
        self._resilience = None

    def _reader(self, observed: Observed) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def read(_: CallbackOptions) -> Iterable[Observation]:
            resilience = self._resilience
            if resilience is None:
                return
            for labels, value in observed.samples(resilience.snapshot()):
                yield Observation(value, _attributes(observed.instrument, labels))

        return read

    def _count(self, event: Event) -> None:
        kind = type(event)
        counted = COUNTED[kind]
        self._counters[kind].add(1, _attributes(counted.instrument, counted.labels(event)))


def _counter(meter: Meter, instrument: Instrument) -> Counter:
    return meter.create_counter(f"{PREFIX}.{instrument.name}", instrument.unit, instrument.description)


def _attributes(instrument: Instrument, labels: tuple[str, ...]) -> dict[str, str]:
    return {f"{PREFIX}.{name}": value for name, value in zip(instrument.labels, labels, strict=True)}
