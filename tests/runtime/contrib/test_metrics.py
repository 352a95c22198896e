"""What is exported, by the real libraries: every number of a `Resilience` in which everything has happened."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from prometheus_client import CollectorRegistry, generate_latest

from resilience4cata import circuit_breaker, events
from resilience4cata.contrib.metrics import COUNTED, OBSERVED
from resilience4cata.contrib.otel import ResilienceMetrics
from resilience4cata.contrib.prometheus import ResilienceCollector
from resilience4cata.events import Event

from .measured import COUNTS, FIGURES, Measured

GUIDES = Path(__file__).parents[3] / "docs"

# What a snapshot has the number of, or what another event says too.
NOT_COUNTED: set[type[Event]] = {
    events.FailureRateExceeded,
    events.SlowCallRateExceeded,
    events.CallNotPermitted,
    events.CallFailed,
    events.CallIgnored,
    events.CallSucceeded,
    events.RateLimitExceeded,
    events.BulkheadEntered,
}


def test_every_event_is_counted_or_known_not_to_be() -> None:
    """A new kind of event is decided about."""
    assert set(Event.__subclasses__()) == {*COUNTED} | NOT_COUNTED


def test_names_are_different() -> None:
    """Those of all instruments, and each has its words."""
    instruments = [observed.instrument for observed in OBSERVED]
    instruments += [counted.instrument for counted in COUNTED.values()]
    assert len(instruments) == len({instrument.name for instrument in instruments})
    assert all(instrument.description and instrument.unit for instrument in instruments)


@pytest.mark.parametrize(("language", "kinds"), [("en", ("gauge", "counter")), ("es", ("medidor", "contador"))])
def test_the_guide_lists_them(language: str, kinds: tuple[str, str]) -> None:
    """Each with its kind and its label, in both languages."""
    text = (GUIDES / language / "guides" / "observability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \| (?:`(\w+)` )?\|", text, re.MULTILINE)
    expected = [(o.instrument.name, kinds[o.monotonic], o.instrument.label) for o in OBSERVED]
    expected += [(c.instrument.name, kinds[1], c.instrument.label) for c in COUNTED.values()]
    assert expected == rows


class TestPrometheus:
    def exported(self, registry: CollectorRegistry) -> dict[tuple[str, ...], float]:
        """Each sample by its name and the values of its labels."""
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in registry.collect()
            for sample in family.samples
        }

    def expected(self, instrument: str, *, counter: bool) -> str:
        return f"resilience4cata_{instrument.replace('.', '_')}" + ("_total" if counter else "")

    def test_numbers(self) -> None:
        """All of them, under names in the style of Prometheus."""
        measured, registry = Measured(), CollectorRegistry()
        ResilienceCollector(measured.resilience, registry=registry)
        measured.happen()
        counters = {observed.instrument.name for observed in OBSERVED if observed.monotonic}
        wanted = {(self.expected(name, counter=name in counters), *labels): n for (name, *labels), n in FIGURES.items()}
        wanted |= {(self.expected(name, counter=True), *labels): n for (name, *labels), n in COUNTS.items()}
        assert wanted == self.exported(registry)

    def test_text(self) -> None:
        """As a scrape reads it."""
        measured, registry = Measured(), CollectorRegistry()
        measured.resilience.pipeline("prices", circuit_breaker())
        ResilienceCollector(measured.resilience, registry=registry)
        measured.resilience.circuit_breaker("prices").force_open()
        lines = generate_latest(registry).decode().splitlines()
        assert "# TYPE resilience4cata_circuit_breaker_state gauge" in lines
        assert 'resilience4cata_circuit_breaker_state{instance_id="prices",state="forced_open"} 1.0' in lines
        assert "# TYPE resilience4cata_circuit_breaker_transitions_total counter" in lines
        assert (
            'resilience4cata_circuit_breaker_transitions_total{instance_id="prices",state="forced_open"} 1.0' in lines
        )

    def test_two_of_them(self) -> None:
        """One registry takes one collector: the series of two would be the same."""
        registry = CollectorRegistry()
        ResilienceCollector(Measured().resilience, registry=registry)
        with pytest.raises(ValueError, match="Duplicated timeseries in CollectorRegistry"):
            ResilienceCollector(Measured().resilience, registry=registry)

    def test_close(self) -> None:
        """The registry is empty again, and nobody listens any more."""
        measured, registry = Measured(), CollectorRegistry()
        collector = ResilienceCollector(measured.resilience, registry=registry)
        collector.close()
        measured.happen()
        assert {} == self.exported(registry)
        ResilienceCollector(measured.resilience, registry=registry)
        assert not [name for name, *_ in self.exported(registry) if "retries_total" in name]

    def test_threads_lose_no_count(self) -> None:
        """Events of several threads are all counted."""
        measured = Measured()
        collector = ResilienceCollector(measured.resilience)
        event = events.Retried("flaky", "retry", 0, 0, 1, 1, None)

        def count() -> None:
            for _ in range(1000):
                collector._count(event)

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (retries,) = (family for family in collector.collect() if family.name.endswith("retry_retries"))
        assert [4000] == [sample.value for sample in retries.samples]


class TestOpenTelemetry:
    def exported(self, reader: InMemoryMetricReader) -> dict[tuple[str, ...], float]:
        """Each number by the name of its instrument and the values of its attributes."""
        data = reader.get_metrics_data()
        points = [
            (metric.name, point)
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        ]
        found = {}
        for name, point in points:
            assert isinstance(point, NumberDataPoint)
            attributes = point.attributes or {}
            found[(name, *(str(attributes[key]) for key in sorted(attributes)))] = float(point.value)
        return found

    def provider(self) -> tuple[MeterProvider, InMemoryMetricReader]:
        reader = InMemoryMetricReader()
        return MeterProvider([reader], shutdown_on_exit=False), reader

    def test_numbers(self) -> None:
        """All of them, under names and attributes of the library's own namespace."""
        measured, (provider, reader) = Measured(), self.provider()
        ResilienceMetrics(measured.resilience, meter_provider=provider)
        measured.happen()
        # Attributes by name: "completed" comes before "instance_id".
        wanted = {**FIGURES, **COUNTS}
        wanted[("timeout.exceeded_calls", "true", "late")] = wanted.pop(("timeout.exceeded_calls", "late", "true"))
        assert {(f"resilience4cata.{name}", *labels): n for (name, *labels), n in wanted.items()} == self.exported(
            reader
        )

    def test_instruments(self) -> None:
        """Units, descriptions and the scope are those of the instruments."""
        measured, (provider, reader) = Measured(), self.provider()
        ResilienceMetrics(measured.resilience, meter_provider=provider)
        measured.happen()
        data = reader.get_metrics_data()
        assert data is not None
        (scope,) = data.resource_metrics[0].scope_metrics
        instruments = [observed.instrument for observed in OBSERVED]
        instruments += [counted.instrument for counted in COUNTED.values()]
        expected = {f"resilience4cata.{i.name}": (i.unit, i.description) for i in instruments}
        assert expected == {metric.name: (metric.unit, metric.description) for metric in scope.metrics}
        assert "resilience4cata" == scope.scope.name

    def test_close(self) -> None:
        """Nothing is reported any more."""
        measured, (provider, reader) = Measured(), self.provider()
        metrics = ResilienceMetrics(measured.resilience, meter_provider=provider)
        metrics.close()
        measured.happen()
        assert {} == self.exported(reader)

    def test_without_an_sdk(self) -> None:
        """The API alone measures nothing, and disturbs nothing."""
        measured = Measured()
        ResilienceMetrics(measured.resilience)
        measured.happen()
        assert 1 == measured.resilience.circuit_breaker("prices").snapshot().not_permitted


def test_success_is_not_listened_to() -> None:
    """Metrics add nothing to calls that succeed: no kind of event is wanted for them."""
    measured = Measured()
    ResilienceCollector(measured.resilience)
    channel = measured.resilience._listeners.channel("prices", "circuit_breaker")
    assert [] == [kind for kind in NOT_COUNTED if channel.wants(kind)]
