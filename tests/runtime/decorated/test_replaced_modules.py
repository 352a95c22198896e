"""Modules that are no longer those of their names: what they declared runs its policies all the same."""

from __future__ import annotations

import functools
import runpy
import subprocess
import sys
from types import ModuleType

import pytest

from resilience4cata import Resilience, retry

from ..live import Application
from .running import running

SHOP = """
    from resilience4cata import fallback, retry

    calls = []

    @retry(max_attempts=2)
    def charge():
        calls.append("function")
        raise ConnectionError

    @retry(max_attempts=3)
    class Client:
        def charge(self):
            calls.append("method")
            raise ConnectionError

    class Prices:
        @fallback(method="known")
        def price(self):
            raise ConnectionError

        def known(self):
            return 20
"""

PROGRAM = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from pathlib import Path

    from resilience4cata import ConfigSources, Resilience, retry

    calls = []

    @retry(max_attempts=2, delay="0s")
    def charge():
        calls.append("function")
        raise ConnectionError

    @retry(max_attempts=3, delay="0s")
    class Client:
        def charge(self):
            calls.append("method")
            raise ConnectionError

    def counted():
        calls.clear()
        for call in (charge, Client().charge):
            try:
                call()
            except ConnectionError:
                pass
        return calls.count("function"), calls.count("method")

    def work():
        before = counted()
        resilience = Resilience.builder().source(ConfigSources.file("shop.properties")).build()
        with resilience.activate():
            return before, counted(), resilience.describe(charge).id

    if __name__ == "__main__":
        Path("shop.properties").write_text("resilience4cata.instances.__main__#charge.retry.max-attempts=5\\n")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
            assert work() == executor.submit(work).result()
            print(*work())
"""


def outcomes(namespace: dict[str, object]) -> list[object]:
    module = ModuleType("outcomes")
    vars(module).update(namespace)
    module.calls.clear()
    for call in (module.charge, module.Client().charge):
        with pytest.raises(ConnectionError):
            call()
    return [module.calls.count("function"), module.calls.count("method"), module.Prices().price()]


def test_spawned_process(app: Application) -> None:
    """There the module of the program is made twice, the second time with what the first one held: nothing was guarded,
    and no id had its settings."""
    app.write("shop.py", PROGRAM)
    done = subprocess.run(
        [sys.executable, "-W", "error", "shop.py"],
        cwd=app.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ("", "(2, 3) (5, 3) __main__#charge\n") == (done.stderr, done.stdout)


def test_file_that_was_run(app: Application) -> None:
    """`runpy` takes the module away when it has run."""
    path = app.write("shop.py", SHOP)
    with running("shop"):
        assert [2, 3, 20] == outcomes(runpy.run_path(str(path), run_name="shop"))


@pytest.mark.parametrize("again", [False, True])
def test_module_that_was_taken_out(app: Application, again: bool) -> None:
    with running("shop"):
        module = app.load("shop", SHOP)
        del sys.modules["shop"]
        if again:
            newer = app.load("shop", SHOP.replace("max_attempts=2", "max_attempts=4"))
            assert [4, 3, 20] == outcomes(vars(newer))
        assert [2, 3, 20] == outcomes(vars(module))


def test_declared_no_more(app: Application) -> None:
    """`build()` does not judge what is gone."""
    module = app.load("shop", SHOP.replace('method="known"', 'method="gone"'))
    assert ["R4C-FB-002"] == [diagnostic.code for diagnostic in app.diagnostics("shop")]
    del sys.modules["shop"]
    assert () == app.diagnostics("shop")
    assert isinstance(Resilience.builder().only("shop").build(), Resilience)
    assert "shop" == module.__name__


def test_filled_with_the_same(app: Application) -> None:
    """Another object for the module, with the very same things in it: that is declared there."""
    module = app.load("shop", SHOP)
    other = ModuleType("shop")
    vars(other).update(vars(module))
    sys.modules["shop"] = other
    resilience = Resilience.builder().only("shop").build()
    assert ["shop#charge", "shop.Client#charge"] == [
        resilience.describe(target).id for target in ("shop#charge", other.Client.charge)
    ]


def test_guarded_elsewhere_too(app: Application) -> None:
    """What is declared no more does not count beside what still is: it was an error that `retry` is written twice."""
    module = app.load("shop", SHOP)

    @functools.wraps(module.charge)
    def foreign() -> object:
        return module.charge()

    guarded = retry(max_attempts=5)(foreign)
    del sys.modules["shop"]
    assert () == app.diagnostics("shop")
    assert callable(guarded)
