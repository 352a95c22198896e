"""What `build()` makes of everything: live settings, and layers over real code."""

from __future__ import annotations

import sys

import pytest

from resilience4cata import (
    Backoff,
    ConfigFile,
    ConfigSources,
    DefinitionError,
    Jitter,
    OnExhausted,
    ResilienceWarning,
    circuit_breaker,
    retry,
    timeout,
)

from ..live import Application
from .clients import ERRORS, FILE, SECOND, builder, settings


class TestSettings:
    def test_live_values(self, app: Application) -> None:
        """Nanoseconds, members, classes and objects, whatever spelled them; every attribute is there."""
        found = settings(builder("prod").build(), ".PaymentsClient#charge")
        assert {"retry", "timeout", "circuit_breaker"} == set(found)
        clients, errors = sys.modules["acme.clients"], sys.modules["acme.errors"]
        tried = found["retry"]
        assert (50_000_000, 4, Backoff.FIXED, Jitter.FULL) == tuple(
            tried[name] for name in ("delay", "max_attempts", "backoff", "jitter")
        )
        assert (10 * SECOND, 0, 2, OnExhausted.RETURN, None) == tuple(
            tried[name] for name in ("max_delay", "max_duration", "multiplier", "on_exhausted_result", "budget")
        )
        assert ((ConnectionError, errors.Busy), ()) == (tried["retry_on"], tried["abort_on"])
        assert isinstance(tried["classifier"], clients.Verdict)
        breaker = found["circuit_breaker"]
        assert ("payments", 30 * SECOND, 30 * SECOND) == tuple(
            breaker[name] for name in ("name", "wait_in_open", "half_open_max_wait")
        )
        assert ((OSError, KeyError, ValueError), errors.judge) == (breaker["record_on"], breaker["classifier"])
        assert (None, None) == (breaker["slow_call_duration"], breaker["slow_call_rate_threshold"])
        assert {"value": 2 * SECOND, "offload": False, "enabled": True} == dict(found["timeout"])
        assert "acme.clients.PaymentsClient#charge" == tried["name"]

    def test_made_once(self, app: Application) -> None:
        """The same mapping again, read-only, and one classifier for all who name its class."""
        resilience = builder().build()
        first = settings(resilience, ".PaymentsClient#charge")
        assert first is settings(resilience, ".PaymentsClient#charge")
        assert first["retry"]["classifier"] is settings(resilience, ".CardClient#charge")["retry"]["classifier"]
        assert 1 == sys.modules["acme.clients"].Verdict.made
        with pytest.raises(TypeError):
            first["retry"] = {}  # type: ignore[index]

    def test_methods_that_their_class_guards(self, app: Application) -> None:
        """In subclasses too; an unguarded one has nothing."""
        resilience = builder().build()
        assert 9 * SECOND == settings(resilience, ".CardClient#refund")["timeout"]["value"]
        assert 2 * SECOND == settings(resilience, ".SlowCardClient#charge")["timeout"]["value"]
        with pytest.raises(LookupError):
            resilience.element("acme.clients.CardClient#close")

    def test_handlers_and_functions(self, app: Application) -> None:
        found = settings(builder().build(), ".PaymentsClient#status")
        assert sys.modules["acme.clients"].answer is found["fallback"]["handler"]
        assert ((Exception,), (), None) == tuple(found["fallback"][name] for name in ("apply_on", "skip_on", "method"))
        assert (1_500_000_000, True) == (found["timeout"]["value"], found["timeout"]["offload"])
        assert Jitter.EQUAL is settings(builder().build(), "#send")["retry"]["jitter"]

    def test_everything_that_may_fail_fails_in_build(self, app: Application) -> None:
        """A classifier that cannot be made is an error of `build()`."""
        app.write(
            "acme/errors.py",
            ERRORS + "\n    class Failing(Judge):\n        def __init__(self): raise RuntimeError('no judge')\n",
        )
        app.write("r.toml", FILE.replace("acme.errors.judge", "acme.errors.Failing"))
        with pytest.raises(DefinitionError, match=r"R4C-CL-005.*\n    Failing cannot be made: RuntimeError: no judge"):
            builder().build()


class TestLayers:
    def test_code_beats_operators_only_at_the_top(self, app: Application) -> None:
        """`builder.instance` beats everything, `builder.locked` shuts out sources."""
        tuned = builder().instance("acme.clients.CardClient#refund", timeout("11s")).build()
        assert 11 * SECOND == settings(tuned, ".CardClient#refund")["timeout"]["value"]
        with pytest.warns(ResilienceWarning, match="CFG-014"):
            locked = builder().locked("acme.clients.CardClient#refund").build()
        assert 2 * SECOND == settings(locked, ".CardClient#refund")["timeout"]["value"]

    def test_the_environment_reaches_everything(self, app: Application) -> None:
        """Profiles that it activates, ids of methods, and options beat it."""
        variables = {
            "RESILIENCE4CATA_PROFILES_ACTIVE": "prod",
            "RESILIENCE4CATA_PROFILES_PROD_CONFIGS_EXTERNAL_RETRY_DELAY": "60ms",
            "RESILIENCE4CATA_INSTANCES_ACME_CLIENTS_SEND_RETRY_MAX_ATTEMPTS": "9",
            "RESILIENCE4CATA_DEFAULTS_CIRCUIT_BREAKER_WINDOW_SIZE": "44",
        }
        options: dict[str, str | bool] = {"resilience4cata.defaults.circuit-breaker.window-size": "55"}
        found = builder().source(ConfigSources.options(options)).source(ConfigSources.environment(variables)).build()
        assert ("prod",) == found.profiles
        description = found.describe("acme.clients.PaymentsClient#charge")
        assert "delay=60ms <- configs.external (prod profile, env)" == str(description.of("retry")["delay"])
        assert "window_size=55 <- defaults (-X)" == str(description.of("circuit_breaker")["window_size"])
        assert 9 == settings(found, "#send")["retry"]["max_attempts"]

    def test_packaged_defaults_are_weakest(self, app: Application) -> None:
        app.write("acme/own.toml", '[resilience4cata.defaults.retry]\nmax-duration = "1m"\nmultiplier = 3\n')
        app.write("r.toml", FILE + "\n[resilience4cata.defaults.retry]\nmultiplier = 4\n")
        found = settings(builder().source(ConfigSources.package("acme", "own.toml")).build(), "#send")["retry"]
        assert (60 * SECOND, 4) == (found["max_duration"], found["multiplier"])

    def test_a_source_of_ones_own(self, app: Application) -> None:
        """It counts as a file, and what it fetched may be in any format."""

        class Consul:
            def load(self) -> ConfigFile:
                return ConfigSources.read("consul.toml", b"[resilience4cata.defaults.retry]\nmultiplier = 7\n")

        found = builder().source(Consul()).build().describe("acme.clients#send")
        assert "multiplier=7 <- defaults (consul.toml:2)" == str(found.of("retry")["multiplier"])

    def test_yaml(self, app: Application) -> None:
        """The same settings from another format."""
        app.write("s.yaml", "resilience4cata:\n  defaults:\n    retry: {max-attempts: 6, jitter: NONE}\n")
        found = settings(builder().source(ConfigSources.file("s.yaml")).build(), "#send")["retry"]
        assert (6, Jitter.EQUAL) == (found["max_attempts"], found["jitter"])


def test_a_builder_may_build_again(app: Application) -> None:
    """Sources are read anew each time."""
    found = builder().instance("payments", circuit_breaker(window_size=7)).defaults(retry(multiplier=5))
    assert 50_000_000 == settings(found.build(), ".PaymentsClient#charge")["retry"]["delay"]
    app.write("r.toml", FILE.replace("50ms", "51ms"))
    again = settings(found.build(), ".PaymentsClient#charge")
    assert (51_000_000, 5, 7) == (
        again["retry"]["delay"],
        again["retry"]["multiplier"],
        again["circuit_breaker"]["window_size"],
    )
