"""The builder and `build()`: everything recorded, with all sources, checked at once."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import pytest

import resilience4cata
from resilience4cata import (
    ConfigSources,
    FallbackContext,
    FallbackHandler,
    Resilience,
    ResilienceWarning,
    Severity,
    fallback,
    resilience_policy,
    retry,
    timeout,
)
from resilience4cata.facts import At, ConfigFile

from .live import Application, failure

NOBODY = "no.such.module"


FAULTY = """
    from __future__ import annotations
    from resilience4cata import fallback, retry, timeout, resilience_policy

    slow = resilience_policy("slow", timeout("2s"))
    fast = resilience_policy("fast", timeout("5s"))

    class User: ...

    class UserClient:
        @fallback(method="find_fallbak")
        @retry(max_attempts=0)
        def find(self, id: str) -> User: ...

        def find_fallback(self, id: str, error: Exception) -> User: ...

        @slow
        @fast
        def load(self): ...

        @timeout("1s")
        @property
        def name(self): ...
    """

MESSAGE = """\
4 errors in resilience policies and their configuration
acme/users.py:10:6: error: [R4C-FB-002] @fallback(method="find_fallbak") on acme.users.UserClient.find:
    no method named 'find_fallbak' found
    did you mean 'find_fallback'?
    expected: def find_fallbak(self, id: str[, error: Exception]) -> User
acme/users.py:11:25: error: [R4C-VA-001] @retry(max_attempts=0) on acme.users.UserClient.find:
    0 is out of range: 'max_attempts' must be a whole number, at least 1
acme/users.py:17:6: error: [R4C-CMP-004] @fast on acme.users.UserClient.load:
    composed policies disagree on timeout value: "2s" from resilience_policy("slow") but "5s" from \
resilience_policy("fast")
    set it explicitly on the method to resolve
    acme/users.py:4:42: "2s" is set here
    acme/users.py:5:42: "5s" is set here
acme/users.py:20:6: error: [R4C-LOC-001] @timeout() on acme.users.UserClient.name:
    a policy cannot guard a property
    move it below @property
    acme/users.py:21:6: the property is made here"""


def test_every_mistake_at_once(app: Application) -> None:
    """One error, whose message is the text of each diagnostic."""
    app.write("acme/__init__.py", "")
    app.write("acme/users.py", FAULTY)
    error = failure(Resilience.builder().only("acme").scan("acme"))
    assert MESSAGE == str(error)
    codes = ["R4C-FB-002", "R4C-VA-001", "R4C-CMP-004", "R4C-LOC-001"]
    assert codes == [d.code for d in error.diagnostics]
    first = error.diagnostics[0]
    assert At("acme/users.py", 10, 6, 10, 37) == first.at
    assert ("find_fallback",) == first.suggestions


def test_the_error_can_be_pickled(app: Application) -> None:
    app.load("acme", FAULTY)
    error = failure(Resilience.builder().only("acme"))
    again = pickle.loads(pickle.dumps(error))
    assert (str(error), error.diagnostics) == (str(again), again.diagnostics)
    assert all(isinstance(d, tuple) for d in again.diagnostics)


def test_nothing_wrong(app: Application) -> None:
    app.load("acme", "from resilience4cata import retry\n@retry(max_attempts=3)\ndef call(): ...")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resilience = Resilience.builder().only("acme").profiles("test", "prod").build()
    assert () == resilience.diagnostics
    assert ("test", "prod") == resilience.profiles


def test_warnings_only(app: Application) -> None:
    """They do not fail, are told where `build()` is called, and stay in the result."""
    app.load("acme", "from resilience4cata import retry\n@retry()\nclass Settings:\n    limit = 5\n")
    builder = Resilience.builder().only("acme")
    with pytest.warns(ResilienceWarning) as caught:
        resilience = builder.build()
    text = (
        "acme.py:2:2: warning: [R4C-LOC-005] @retry() on acme.Settings:\n"
        "    a class without public methods has nothing to guard"
    )
    assert [text] == [str(w.message) for w in caught]
    assert [__file__] == [w.filename for w in caught]
    assert [text] == [d.text for d in resilience.diagnostics]


def test_warnings_beside_errors(app: Application) -> None:
    """They are in `diagnostics`, in order of place, but not in the message."""
    app.load(
        "acme",
        "from resilience4cata import retry\n@retry()\nclass Settings: ...\n@retry(max_attempts=0)\ndef call(): ...\n",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = failure(Resilience.builder().only("acme"))
    assert [Severity.WARNING, Severity.ERROR] == [d.severity for d in error.diagnostics]
    assert "LOC-005" not in str(error)
    assert str(error).startswith("1 error in ")


def test_templates_in_code(app: Application) -> None:
    """Policies given to the builder are judged where they stand, in a chain over several lines too."""
    module = app.load(
        "acme",
        """
        from resilience4cata import Resilience, retry, timeout

        elsewhere = retry(delay="-1s")

        def builder():
            return (
                Resilience.builder()
                .only("acme")
                .config("Slow Calls", timeout("5"), extends="nobody")
                .config("external", retry(max_attempts=0), elsewhere)
                .defaults(retry(max_attempts=-1))
                .instance("payments", timeout("0"))
            )

        @retry(config="external")
        def known(): ...

        @retry(config="externl")
        def unknown(): ...
        """,
    )
    found = [(d.code, d.subject, *d.place.split(":")[1:]) for d in failure(module.builder()).diagnostics]
    expected = [
        ("R4C-DU-003", 'retry(delay="-1s")', "3", "25"),
        ("R4C-CFG-004", 'config("Slow Calls")', "9", "17"),
        ("R4C-DU-002", 'timeout("5") in config("Slow Calls")', "9", "39"),
        ("R4C-CFG-002", "", "9", "53"),
        ("R4C-VA-001", 'retry(max_attempts=0) in config("external")', "10", "48"),
        ("R4C-VA-001", "retry(max_attempts=-1)", "11", "38"),
        ("R4C-CFG-009", 'instance("payments")', "12", "19"),
        ("R4C-DU-005", 'timeout("0")', "12", "39"),
        ("R4C-CFG-001", '@retry(config="externl") on acme.unknown', "18", "15"),
    ]
    assert [row[:1] + row[2:] for row in expected] == [row[:1] + row[2:] for row in found]
    assert [row[1] for row in expected if row[0][:7] != "R4C-CFG"] == [
        row[1] for row in found if row[0][:7] != "R4C-CFG"
    ]


@pytest.mark.parametrize("given", ["retry", 5, None, resilience_policy("x", retry())])
@pytest.mark.parametrize("method", ["config", "instance"])
def test_what_is_no_single_policy(method: str, given: Any) -> None:
    builder: Any = Resilience.builder()
    with pytest.raises(TypeError, match=r"^expected single policies such as retry\(\.\.\.\), not "):
        getattr(builder, method)("x", given)
    with pytest.raises(TypeError, match=r"^expected single policies"):
        builder.defaults(given)


class TestSources:
    def test_templates_of_files_count(self, app: Application) -> None:
        app.write("r.toml", '[resilience4cata.configs.external]\nretry = { delay = "100ms" }\n')
        app.load("acme", "from resilience4cata import retry\n@retry(config='external')\ndef call(): ...")
        assert ["R4C-CFG-001"] == [d.code for d in app.diagnostics("acme")]
        assert () == app.diagnostics("acme", sources=("r.toml",))

    def test_unknown_key(self, app: Application) -> None:
        """Where the file says it, with the nearest valid spelling."""
        app.write("r.toml", '[resilience4cata.configs.external.circuit-breaker]\nwait-in-opne = "30s"\n')
        error = failure(Resilience.builder().only(NOBODY).source(ConfigSources.file("r.toml")))
        expected = (
            "r.toml:2:1: error: [R4C-CFG-011] configs.external.circuit-breaker.wait-in-opne:\n"
            "    unknown key 'wait-in-opne'\n"
            "    did you mean 'wait-in-open'?"
        )
        assert [expected] == [d.text for d in error.diagnostics]

    def test_not_strict(self, app: Application) -> None:
        """An unknown key is then a warning; other mistakes stay errors."""
        app.write("r.toml", '[resilience4cata.configs.external.retry]\ndelya = "30s"\n')
        builder = Resilience.builder().only(NOBODY).source(ConfigSources.file("r.toml"))
        assert ["R4C-CFG-011"] == [d.code for d in failure(builder.strict()).diagnostics]
        with pytest.warns(ResilienceWarning, match="CFG-011"):
            assert [Severity.WARNING] == [d.severity for d in builder.strict(False).build().diagnostics]

    def test_missing_file(self, app: Application) -> None:
        error = failure(Resilience.builder().only(NOBODY).source(ConfigSources.file("absent.toml")))
        assert ["absent.toml"] == [d.at.source for d in error.diagnostics]

    def test_environment(self, app: Application) -> None:
        """Variables of templates that are known, from files or from code, are looked up."""
        app.write("r.properties", "resilience4cata.configs.external.retry.delay=1s\n")
        variables = {
            "RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY": "5",
            "RESILIENCE4CATA_CONFIGS_IN_CODE_TIMEOUT_VALUE": "2 s",
            "RESILIENCE4CATA_CONFIGS_UNKNOWN_TIMEOUT_VALUE": "2 s",
        }
        builder = (
            Resilience.builder()
            .only(NOBODY)
            .source(ConfigSources.environment(variables))
            .source(ConfigSources.file("r.properties"))
            .config("in-code", timeout("1s"))
        )
        assert [
            "env RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY",
            "env RESILIENCE4CATA_CONFIGS_IN_CODE_TIMEOUT_VALUE",
            "env RESILIENCE4CATA_CONFIGS_UNKNOWN_TIMEOUT_VALUE",
        ] == [d.at.source for d in failure(builder).diagnostics]

    def test_a_source_of_ones_own(self) -> None:
        class Empty:
            def load(self) -> ConfigFile:
                return ConfigFile("memory")

        class Failing:
            def load(self) -> ConfigFile:
                msg = "no route"
                raise OSError(msg)

        assert () == Resilience.builder().only(NOBODY).source(Empty()).build().diagnostics
        error = failure(Resilience.builder().only(NOBODY).source(Failing()))
        assert "no route" in str(error)


class TestScan:
    def test_broken_module_does_not_hide_the_others(self, app: Application) -> None:
        app.write("acme/__init__.py", "")
        app.write(
            "acme/legacy.py", "from resilience4cata import retry\nretry(max_attempts=0)(len)\nretry(max_atempts=3)\n"
        )
        app.write("acme/users.py", "from resilience4cata import retry\n@retry(max_attempts=0)\ndef call(): ...")
        error = failure(Resilience.builder().only("acme").scan("acme"))
        assert ["acme/users.py"] == [d.at.source for d in error.diagnostics]
        last = str(error).splitlines()[-1]
        assert last == (
            "not checked, since it cannot be imported: acme.legacy "
            "(TypeError: retry() has no attribute 'max_atempts'; did you mean 'max_attempts'?)"
        )
        assert isinstance(error.__cause__, TypeError)

    def test_broken_module_alone(self, app: Application) -> None:
        app.write("acme/__init__.py", "")
        app.write("acme/legacy.py", "import module_that_is_missing")
        with pytest.raises(ModuleNotFoundError, match="module_that_is_missing"):
            Resilience.builder().only("acme").scan("acme").build()

    def test_only(self, app: Application) -> None:
        """A package with what is below it, not its namesakes."""
        for name in ("acme/__init__.py", "acme/deep.py", "acmecorp.py", "other.py"):
            app.write(name, "from resilience4cata import retry\n@retry(max_attempts=0)\ndef call(): ...")
        for name in ("acme.deep", "acmecorp", "other"):
            __import__(name)
        assert ["acme/__init__.py", "acme/deep.py"] == [d.at.source for d in app.diagnostics("acme")]
        assert ["acme/deep.py", "other.py"] == [d.at.source for d in app.diagnostics("acme.deep", "other")]

    def test_everything_by_default(self, app: Application) -> None:
        """Without `only`, every declaration of the process counts."""
        app.write("one.py", "from resilience4cata import retry\n@retry(max_attempts=0)\ndef call(): ...")
        app.write("two.py", "import one\nfrom resilience4cata import Resilience\nResilience.builder().build()")
        result = subprocess.run([sys.executable, "two.py"], capture_output=True, text=True, check=False)
        assert "one.py:2:21: error: [R4C-VA-001] @retry(max_attempts=0) on one.call:" in result.stderr


class TestRoot:
    """The package root."""

    def test_exports(self) -> None:
        assert len(set(resilience4cata.__all__)) == len(resilience4cata.__all__)
        assert [] == [name for name in resilience4cata.__all__ if not hasattr(resilience4cata, name)]
        assert set(resilience4cata.__all__) <= set(dir(resilience4cata))
        with pytest.raises(AttributeError, match=r"^module 'resilience4cata' has no attribute 'retyr'$"):
            resilience4cata.retyr  # type: ignore[attr-defined]

    def test_star_import(self) -> None:
        namespace: dict[str, object] = {}
        exec("from resilience4cata import *", namespace)
        assert set(resilience4cata.__all__) <= set(namespace)

    def test_import_is_cheap(self) -> None:
        """Declaring policies loads neither the rules nor what only they need."""
        # Paths by hand: what makes an editable installation work imports much on its own.
        code = f"import sys; sys.path[:] = {sys.path!r}; import resilience4cata; print(*sys.modules)"
        command = [sys.executable, "-I", "-S", "-c", code]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        loaded = set(result.stdout.split())
        heavy = {"ast", "asyncio", "dataclasses", "inspect", "pathlib", "threading", "tomllib"}
        own = {f"resilience4cata.{name}" for name in ("rules", "extract", "config", "resilience", "facts", "registry")}
        assert "resilience4cata.policies" in loaded
        assert set() == loaded & (heavy | own)


class TestHandlerFactory:
    """Handlers that need arguments are made by whoever knows them."""

    def test_a_constructor_may_ask_for_arguments(self) -> None:
        """With a factory, a handler whose class cannot be called plainly is no fault, and the factory makes it."""

        class Answer(FallbackHandler[str]):
            def __init__(self, text: str) -> None:
                self.text = text

            def apply(self, context: FallbackContext) -> str:
                return self.text

        @fallback(Answer)
        def find() -> str:
            raise ConnectionError

        with Resilience.builder().only(__name__).handler_factory(lambda kind: kind("made")).build().activate():
            assert find() == "made"


def test_a_locked_name_that_no_instance_has(app: Application) -> None:
    """Told at the call, at the name itself."""
    app.load("acme", 'from resilience4cata import circuit_breaker\n@circuit_breaker(name="payments")\ndef pay(): ...')
    builder = Resilience.builder().only("acme").locked("payments", "paymets")
    with pytest.warns(ResilienceWarning):
        (found,) = builder.build().diagnostics
    line = "locked(\"paymets\"): no instance 'paymets' is declared; did you mean 'payments'?"
    assert ("R4C-CFG-009", line) == (found.code, found.line)
    assert 68 == found.at.column
