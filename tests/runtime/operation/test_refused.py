"""What a running `Resilience` refuses: each time with the diagnostics of the rules, and nothing of ours behind them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from resilience4cata import (
    CallNotPermittedError,
    Classifier,
    ConfigFile,
    ConfigSources,
    DefinitionError,
    FallbackContext,
    FallbackHandler,
    Layer,
    Outcome,
    Resilience,
    ResilienceWarning,
    bulkhead,
    circuit_breaker,
    fallback,
    order,
    resilience_policy,
    retry,
    timeout,
)

from ..live import failure
from .operated import Operated

KEY = "resilience4cata.configs.external.retry.max-attempts=2\n"


class FailingClassifier(Classifier[object]):
    def __init__(self) -> None:
        msg = "no judge"
        raise ValueError(msg)

    def classify(self, result: object, failure: BaseException | None) -> Outcome:
        return Outcome.SUCCESS


class FailingHandler(FallbackHandler[object]):
    def __init__(self) -> None:
        msg = "no answer"
        raise ValueError(msg)

    def apply(self, context: FallbackContext) -> object:
        return context


class Handler(FallbackHandler[str]):
    def apply(self, context: FallbackContext) -> str:
        return "instead"


def fails(failure: Exception) -> object:
    raise failure


def refused(operate: Callable[[], object], cause: type[Exception] | None = None) -> list[str]:
    """Code, subject and message of each diagnostic; behind the error is only what the user's own code raised."""
    with pytest.raises(DefinitionError) as caught:
        operate()
    error = caught.value
    assert (cause, None) == (type(error.__cause__) if cause else error.__cause__, error.__context__)
    assert all(d.at.line for d in error.diagnostics)
    return [f"{d.code} {d.headline}" for d in error.diagnostics]


class TestReload:
    """A pipeline of a template does not keep anybody from learning what is wrong with the file of that template."""

    @pytest.mark.parametrize(
        ("data", "place", "said"),
        [
            (b"\xff", "settings.properties:1:1", "R4C-CFG-008 configuration cannot be read: not UTF-8: byte 0xff"),
            (
                KEY.replace("max-attempts", "max-atempts").encode(),
                "settings.properties:1:40",
                "R4C-CFG-011 configs.external.retry.max-atempts: unknown key 'max-atempts'",
            ),
            (
                b"resilience4cata.defaults.retry.delay=\\u12\n",
                "settings.properties:1:38",
                "R4C-CFG-008 configuration cannot be read: malformed \\uXXXX escape",
            ),
            (
                None,
                "settings.properties",
                "R4C-CFG-016 the configuration file 'settings.properties' does not exist",
            ),
        ],
        ids=["undecodable", "misspelt", "unparsable", "missing"],
    )
    def test_of_a_pipeline_with_a_template(self, shop: Operated, data: bytes | None, place: str, said: str) -> None:
        shop.configure(KEY)
        shop.resilience.reload()
        shop.resilience.pipeline("orders", config="external")
        file = Path("settings.properties")
        file.unlink() if data is None else file.write_bytes(data)
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.reload()
        assert [(said, place)] == [(f"{d.code} {d.headline}", d.place) for d in caught.value.diagnostics]
        assert "2" == shop.resilience.describe("orders").of("retry")["max_attempts"].value
        shop.configure(KEY)
        shop.resilience.reload()


class TestPipeline:
    def test_made_again_with_other_settings(self, shop: Operated) -> None:
        """Every difference, and both places."""
        shop.resilience.pipeline("orders", retry(max_attempts=2), bulkhead())
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.pipeline("orders", retry(max_attempts=4, delay="1s"), timeout("3s"))
        (found,) = caught.value.diagnostics
        differences = (
            "bulkhead is there alone; retry.max_attempts is 4 here and 2 there; "
            'retry.delay is "1s" here and "100ms" there; timeout is here alone'
        )
        assert (
            "R4C-IN-001",
            'pipeline("orders")',
            f"a pipeline 'orders' exists already, with other settings: {differences}",
        ) == (found.code, found.subject, found.message)
        (first,) = found.related
        assert (first.at.source, first.at.line + 2) == (found.at.source, found.at.line)
        assert caught.value.__context__ is None

    def test_instance_in_use_with_other_settings(self, shop: Operated) -> None:
        """Nothing of the pipeline counts then, not even what would have fitted."""
        shop.resilience.pipeline("orders", circuit_breaker(name="shared", window_size=5))
        said = refused(
            lambda: shop.resilience.pipeline(
                "bills", bulkhead(name="slips"), circuit_breaker(name="shared", window_size=50)
            )
        )
        on, differs = '@circuit_breaker(name="shared") on pipeline.bills', "window_size is 50 here and 5 there"
        assert [f"R4C-IN-001 {on}: instance 'shared' has other settings on pipeline.orders: {differs}"] == said
        with pytest.raises(LookupError):
            shop.resilience.bulkhead("slips")
        shop.resilience.pipeline("bills", circuit_breaker(name="shared", window_size=5))

    def test_breaker_of_a_decorated_method(self, shop: Operated) -> None:
        (said,) = refused(lambda: shop.resilience.pipeline("bills", circuit_breaker(name="payments", window_size=9)))
        on, first = '@circuit_breaker(name="payments") on pipeline.bills', "payments.PaymentsClient.charge"
        differs = f"instance 'payments' has other settings on {first}: window_size is 9 here and 4 there"
        assert said.startswith(f"R4C-IN-001 {on}: {differs}")

    def test_unknown_template(self, shop: Operated) -> None:
        shop.configure(KEY)
        shop.resilience.reload()
        with pytest.raises(DefinitionError) as caught:
            shop.resilience.pipeline("orders", config="externl")
        (found,) = caught.value.diagnostics
        assert ("R4C-CFG-001", ("external",), __file__) == (found.code, found.suggestions, str(Path(found.at.source)))
        assert caught.value.__context__ is None

    def test_siblings(self, shop: Operated) -> None:
        on, reason = '@fallback(method="other") on pipeline.orders', "a pipeline has no siblings"
        (said,) = refused(lambda: shop.resilience.pipeline("orders", fallback(method="other")))
        assert said.startswith(f"R4C-FB-002 {on}: no function named 'other' found: {reason}")

    def test_classifier_that_cannot_be_made(self, shop: Operated) -> None:
        on, policy = "@retry(classifier=FailingClassifier) on pipeline.orders", retry(classifier=FailingClassifier)
        said = f"{on}: FailingClassifier cannot be made: ValueError: no judge"
        assert [f"R4C-CL-005 {said}"] == refused(lambda: shop.resilience.pipeline("orders", policy), ValueError)

    @pytest.mark.parametrize(
        "policy",
        [fallback(FailingHandler), resilience_policy("x", fallback(FailingHandler))],
        ids=["direct", "composed"],
    )
    def test_handler_that_cannot_be_made(self, shop: Operated, policy: object) -> None:
        said = "@fallback(FailingHandler) on pipeline.orders: FailingHandler cannot be made: ValueError: no answer"
        assert [f"R4C-FB-008 {said}"] == refused(
            lambda: shop.resilience.pipeline("orders", policy),  # type: ignore[arg-type]
            ValueError,
        )

    def test_what_is_no_policy(self, shop: Operated) -> None:
        found = refused(lambda: shop.resilience.pipeline("orders", 3, retry(), retry))  # type: ignore[arg-type]
        assert [
            'R4C-CMP-002 pipeline("orders"): 3 is not a policy',
            'R4C-CMP-002 pipeline("orders"): Retry is not a policy',
        ] == found

    def test_names_that_are_no_text(self, shop: Operated) -> None:
        with pytest.raises(TypeError, match=r"pipeline\(\) expects the name of a pipeline as text, not 3"):
            shop.resilience.pipeline(3, retry())  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"pipeline\(\) expects the name of a template as text, not 3"):
            shop.resilience.pipeline("orders", config=3)  # type: ignore[arg-type]

    def test_failing_call_shows_nothing_of_ours(self, shop: Operated) -> None:
        """Also the first one of a new pipeline, whose values cannot be looked up yet."""
        broken = circuit_breaker(window_size=1, minimum_calls=1)
        with pytest.raises(ZeroDivisionError) as caught:
            shop.resilience.pipeline("orders", broken).call(lambda: 1 / 0)
        assert caught.value.__context__ is None
        with pytest.raises(CallNotPermittedError) as refusal:
            shop.resilience.pipeline("orders", broken).call(lambda: 1)
        assert refusal.value.__context__ is None


class TestTemplates:
    """A template may hold policies that have no `config` of their own."""

    def test_fallback_and_order(self) -> None:
        builder = Resilience.builder().config("base", fallback(Handler, skip_on=KeyError))
        builder.config("external", retry(max_attempts=1), order(Layer.FALLBACK, Layer.RETRY), extends="base")
        pipeline = builder.only("nothing").build().pipeline("orders", config="external")
        assert "instead" == pipeline.call(fails, OSError())
        with pytest.raises(KeyError):
            pipeline.call(fails, KeyError())

    def test_what_a_template_writes_beats_what_it_takes_over(self) -> None:
        builder = Resilience.builder().config("base", fallback(lambda context: "base", skip_on=KeyError))
        builder.config("external", fallback(lambda context: "own"), extends="base")
        pipeline = builder.only("nothing").build().pipeline("orders", config="external")
        assert "own" == pipeline.call(fails, OSError())
        with pytest.raises(KeyError):
            pipeline.call(fails, KeyError())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": 1}, "cannot be loaded: its load() gives dict, not ConfigFile"),
        (None, "cannot be loaded: its load() gives NoneType, not ConfigFile"),
        (
            ConfigFile("x", keys=("a",)),  # type: ignore[arg-type]
            "cannot be loaded: a key in what its load() gives is str, not Key",
        ),
        (ConfigFile("x", keys=3), "cannot be loaded: TypeError: 'int' object is not iterable"),  # type: ignore[arg-type]
    ],
)
def test_source_that_gives_something_else(given: object, said: str) -> None:
    class Own:
        def load(self) -> object:
            return given

    error = failure(Resilience.builder().source(Own()).only("nothing"))  # type: ignore[arg-type]
    (found,) = error.diagnostics
    assert ("R4C-CFG-008", f"configuration cannot be read: {said}", "Own") == (found.code, found.message, found.place)


def test_source_whose_keys_come_once() -> None:
    """They are not a tuple, but there; a reload asks for them again."""
    read = ConfigSources.read("x.properties", b"resilience4cata.instances.orders.retry.max-attempts=5")

    class Own:
        def load(self) -> ConfigFile:
            return ConfigFile("x.properties", keys=iter(read.keys))  # type: ignore[arg-type]

    with pytest.warns(ResilienceWarning, match="no instance 'orders'"):
        resilience = Resilience.builder().source(Own()).only("nothing").build()
    resilience.pipeline("orders", retry())
    resilience.reload()
    assert "5" == resilience.describe("orders").of("retry")["max_attempts"].value
