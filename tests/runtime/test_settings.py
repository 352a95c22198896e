"""What `build()` makes of everything: descriptions, live settings, options, and layers over real code."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from resilience4cata import (
    Backoff,
    Budget,
    ConfigFile,
    ConfigSources,
    DefinitionError,
    Jitter,
    Layer,
    OnExhausted,
    Resilience,
    ResilienceBuilder,
    ResilienceWarning,
    Severity,
    circuit_breaker,
    retry,
    timeout,
)

from .live import Application, application

CODE = """
    from datetime import timedelta
    from resilience4cata import *

    class Verdict(Classifier[str]):
        made = 0
        def __init__(self) -> None:
            Verdict.made += 1
        def classify(self, result, failure):
            return Outcome.SUCCESS

    def answer(context): ...

    external_call = resilience_policy(
        "external-call", retry(config="external", classifier=Verdict), timeout(timedelta(seconds=2))
    )

    class PaymentsClient:
        @external_call
        @circuit_breaker(name="payments", record_on=(OSError, (KeyError, ValueError)))
        def charge(self, amount: int) -> str: ...

        @fallback(answer)
        @timeout("1500ms", offload=True)
        def status(self, id: str) -> str: ...

    @external_call
    class CardClient:
        def charge(self, amount: int) -> str: ...

        @staticmethod
        def refund(amount: int) -> str: ...

        @unguarded
        def close(self) -> None: ...

    class SlowCardClient(CardClient):
        def charge(self, amount: int) -> str: ...

    @retry(jitter=Jitter.EQUAL)
    async def send(message: str) -> None: ...
    """

FILE = """
[resilience4cata.configs.external]
retry = { delay = "50ms", retry-on = ["ConnectionError", "acme.errors.Busy"], max-attempts = 4 }
timeout = { value = "7s" }

[resilience4cata.profiles.prod.configs.external]
retry = { backoff = "FIXED" }

[resilience4cata.instances]
payments = { circuit-breaker = { wait-in-open = "30s", classifier = "acme.errors.judge" } }
"acme.clients.CardClient#refund" = { timeout = { value = "9s" } }
"""

ERRORS = """
    from resilience4cata import Classifier, Outcome
    class Busy(Exception): ...
    class Judge(Classifier[str]):
        def classify(self, result, failure):
            return Outcome.FAILURE
    judge = Judge()
    SEVERAL = (OSError, Busy)
    """

SECOND = 10**9


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    with application(tmp_path) as found:
        found.write("acme/__init__.py", "")
        found.write("acme/errors.py", ERRORS)
        found.write("acme/clients.py", CODE)
        found.write("r.toml", FILE)
        yield found


def builder(*profiles: str) -> ResilienceBuilder:
    found = Resilience.builder().only("acme").scan("acme").source(ConfigSources.file("r.toml"))
    return found.profiles(*profiles) if profiles else found


def settings(resilience: Resilience, id: str) -> Mapping[str, Mapping[str, Any]]:
    return resilience.settings_for(resilience.element(f"acme.clients{id}"))


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
        with pytest.raises(DefinitionError, match="a classifier cannot be made: RuntimeError: no judge"):
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


class TestDescribe:
    def test_by_function(self, app: Application) -> None:
        """A function, a bound method, a static method, or the id."""
        resilience = builder().build()
        clients = sys.modules["acme.clients"]
        targets = {
            "acme.clients#send": (clients.send,),
            "acme.clients.PaymentsClient#charge": (
                clients.PaymentsClient.charge,
                clients.PaymentsClient().charge,
                "acme.clients.PaymentsClient#charge",
            ),
            "acme.clients.CardClient#refund": (clients.CardClient.refund, vars(clients.CardClient)["refund"]),
        }
        for id, several in targets.items():
            assert [id] * len(several) == [resilience.describe(target).id for target in several]

    def test_in_words(self, app: Application) -> None:
        """Layers in their order, each value with its origin, objects by what they are."""
        lines = str(builder("prod").build().describe("acme.clients.PaymentsClient#charge")).splitlines()
        assert [
            "acme.clients.PaymentsClient#charge",
            "  retry -> circuit_breaker -> timeout -> the function",
        ] == lines[:2]
        for line in (
            "    backoff=FIXED <- configs.external (prod profile, r.toml:6)",
            "    retry_on=(ConnectionError, Busy) <- configs.external (r.toml:2)",
            '    value=2s <- resilience_policy("external-call") (acme/clients.py:14)',
            "  circuit_breaker (instance 'payments')",
            "    wait_in_open=30s <- instances.payments (r.toml:9)",
            "    classifier=judge <- instances.payments (r.toml:9)",
            "    window_size=100 <- built-in default",
        ):
            assert line in lines, line

    def test_frozen(self, app: Application) -> None:
        """A value like any other."""
        description = builder().build().describe("acme.clients#send")
        assert description == pickle.loads(pickle.dumps(description))
        with pytest.raises(AttributeError):
            description.id = "x"  # type: ignore[misc]

    @pytest.mark.parametrize(
        ("target", "said"),
        [
            ("acme.clients.PaymentsClient#chrge", "did you mean 'acme.clients.PaymentsClient#charge'?"),
            ("acme.clients.PaymentsClient.charge", "did you mean 'acme.clients.PaymentsClient#charge'?"),
            ("xyz", "an id looks like 'acme.clients."),
            (print, "nothing guarded has the id"),
            (int, "nothing guarded has the id"),
            (lambda: None, "TestDescribe#<lambda>"),
        ],
    )
    def test_unknown(self, app: Application, target: object, said: str) -> None:
        """A LookupError with the nearest id."""
        del app
        with pytest.raises(LookupError) as caught:
            builder().build().describe(target)
        assert said in str(caught.value)


class TestOptions:
    def test_defaults(self, app: Application) -> None:
        found = Resilience.builder().only("no.such").build().options
        assert (True, True, tuple(Layer), False, False, 32) == (
            found.enabled,
            found.strict,
            found.order,
            found.events_per_call,
            found.fallback_when_disabled,
            found.offload_max_workers,
        )
        assert ((), (MemoryError, RecursionError), {}) == (
            found.classification_unwrap,
            found.classification_bypass,
            dict(found.budgets),
        )

    def test_from_sources(self, app: Application) -> None:
        app.write(
            "s.properties",
            """
            resilience4cata.enabled = false
            resilience4cata.strict = false
            resilience4cata.order = TIMEOUT, RETRY
            resilience4cata.events.per-call = true
            resilience4cata.offload.max-workers = 4
            resilience4cata.classification.unwrap = acme.errors.Busy
            resilience4cata.budgets.partners.percent = 10
            """,
        )
        found = builder().source(ConfigSources.file("s.properties")).build().options
        assert (False, False, True, 4) == (
            found.enabled,
            found.strict,
            found.events_per_call,
            found.offload_max_workers,
        )
        assert [Layer.FALLBACK, Layer.TIMEOUT, Layer.HEDGE] == list(found.order[:3])
        assert Layer.RETRY is found.order[6]
        assert (sys.modules["acme.errors"].Busy,) == found.classification_unwrap
        assert {"partners": Budget(ttl=10 * SECOND, min_per_second=10, percent=10)} == dict(found.budgets)
        with pytest.raises(AttributeError):
            found.enabled = True  # type: ignore[misc]

    def test_of_the_interpreter(self, app: Application) -> None:
        """`python -X resilience4cata.enabled=false`."""
        code = (
            "from resilience4cata import *; "
            "b = Resilience.builder().source(ConfigSources.options()); print(b.build().options.enabled)"
        )
        command = [sys.executable, "-X", "resilience4cata.enabled=false", "-c", code]
        assert "False\n" == subprocess.run(command, capture_output=True, text=True, check=True).stdout


class TestStrict:
    @pytest.mark.parametrize("key", ["instances.apyments.circuit-breaker.window-size=3", "defaults.retry.dely=1s"])
    def test_what_nobody_knows(self, app: Application, key: str) -> None:
        """An error, or a warning where a source or the builder says so; the builder has the last word."""
        app.write("s.properties", f"resilience4cata.{key}")
        app.write("lax.properties", "resilience4cata.strict=false")
        strict = builder().source(ConfigSources.file("s.properties"))
        with pytest.raises(DefinitionError) as caught:
            strict.build()
        assert [Severity.ERROR] == [d.severity for d in caught.value.diagnostics]
        lax = builder().source(ConfigSources.file("s.properties")).source(ConfigSources.file("lax.properties"))
        with pytest.warns(ResilienceWarning):
            assert not lax.build().options.strict
        with pytest.raises(DefinitionError):
            lax.strict().build()

    def test_variables(self, app: Application) -> None:
        found = builder().source(ConfigSources.environment({"RESILIENCE4CATA_ENABLD": "true"}))
        with pytest.raises(DefinitionError, match="CFG-013"):
            found.build()
        with pytest.warns(ResilienceWarning, match="CFG-013"):
            found.strict(False).build()


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("acme.errors.Bsuy", "'acme.errors' has no 'Bsuy'; did you mean 'acme.errors.Busy'?"),
            ("acme.erors.Busy", "'acme' has no 'erors'; did you mean 'acme.errors.Busy'?"),
            ("no_such_package.X", "there is no 'no_such_package'; write the whole path: package.module.Name"),
            ("ConectionError", "there is no 'ConectionError'; did you mean 'ConnectionError'?"),
            ("acme.broken.X", "importing acme.broken fails with ZeroDivisionError: division by zero"),
            ("acme.errors.Busy.X", "'acme.errors.Busy' has no 'X'"),
        ],
    )
    def test_that_lead_nowhere(self, app: Application, path: str, said: str) -> None:
        """Where the path ends, and what it may have been meant to be."""
        app.write("acme/broken.py", "1 / 0")
        app.write("r.toml", FILE.replace("acme.errors.Busy", path))
        error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("r.toml")))
        found = [d for d in error.diagnostics if d.code == "R4C-CFG-017"]
        assert [f"configs.external.retry.retry-on: '{path}' leads nowhere: {said}"] == [d.line for d in found]

    def test_what_is_no_exception(self, app: Application) -> None:
        """A path that leads to something else is told as in code; a tuple of types is as good as its members."""
        app.write("r.toml", FILE.replace("acme.errors.Busy", "acme.errors.judge"))
        error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("r.toml")))
        assert ["judge in 'retry_on' is not an exception type"] == [
            d.message for d in error.diagnostics if d.code == "R4C-CFG-012"
        ]
        app.write("r.toml", FILE.replace("acme.errors.Busy", "acme.errors.SEVERAL"))
        found = settings(builder().build(), ".PaymentsClient#charge")["retry"]["retry_on"]
        assert (ConnectionError, OSError, sys.modules["acme.errors"].Busy) == found

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("classification.unwrap=json.Nope", ["R4C-CFG-017"]),
            ("classification.bypass=json.dumps", ["R4C-CFG-012"]),
            ("classification.bypass=KeyError, json.JSONDecoder", ["R4C-CFG-012"]),
            ("classification.unwrap=acme.errors.SEVERAL", []),
            ("defaults.retry.classifier=json.JSONDecoder", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=json.dumps", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=ValueError", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=acme.errors.judge", []),
            ("defaults.retry.classifier=acme.errors.Judge", []),
        ],
    )
    def test_what_is_of_the_wrong_kind(self, app: Application, line: str, said: list[str]) -> None:
        """Each mistake once."""
        app.write("s.properties", f"resilience4cata.{line}")
        found = Resilience.builder().only("no.such").source(ConfigSources.file("s.properties"))
        assert said == (
            [d.code for d in failure(found).diagnostics] if said else [d.code for d in found.build().diagnostics]
        )


def failure(found: ResilienceBuilder) -> DefinitionError:
    with pytest.raises(DefinitionError) as caught:
        found.build()
    return caught.value


def test_missing_file_beside_a_near_one(app: Application) -> None:
    """The path that was given, with the name that stands there."""
    error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("s.toml")))
    assert ["s.toml: error: [R4C-CFG-016]\n    the configuration file 's.toml' does not exist"] == [
        d.text.partition("\n    did")[0] for d in error.diagnostics
    ]


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
