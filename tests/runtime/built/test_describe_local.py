"""What a built application says of functions that came later, that another function made, or that are guarded twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from resilience4cata import Resilience

from ..live import Application, application

SHOP = """
    from resilience4cata import *

    def make(attempts=2):
        @retry(max_attempts=attempts)
        def charge(): ...
        return charge

    def make_client():
        class Client:
            @retry(max_attempts=5)
            def charge(self): ...
        return Client

    def other():
        def unguarded(): ...
        return unguarded

    def fetch(): ...

    quick = timeout("1s")(fetch)
    patient = timeout("9s")(fetch)
    listed = retry(max_attempts=6)(sorted)
    """


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.chdir(tmp_path)
    with application(tmp_path) as found:
        yield found


@pytest.fixture
def resilience() -> Resilience:
    return Resilience.builder().only("shop").build()


@pytest.fixture
def shop(resilience: Resilience, app: Application) -> ModuleType:
    """Declared after `build()`."""
    return app.load("shop", SHOP)


def attempts(resilience: Resilience, target: object) -> tuple[str, str]:
    found = resilience.describe(target)
    return found.id, found.of("retry")["max_attempts"].value


class TestByObject:
    def test_local_function(self, resilience: Resilience, shop: ModuleType) -> None:
        """Each has its own policies, though they share an id."""
        one, other = shop.make(3), shop.make(4)
        assert ("shop.make#charge", "3") == attempts(resilience, one)
        assert ("shop.make#charge", "4") == attempts(resilience, other)

    def test_local_function_that_was_there(self, app: Application) -> None:
        shop = app.load("shop", SHOP)
        one, other = shop.make(3), shop.make(4)
        resilience = Resilience.builder().only("shop").build()
        assert ["3", "4"] == [attempts(resilience, function)[1] for function in (one, other)]

    def test_called_before(self, resilience: Resilience, shop: ModuleType) -> None:
        charge = shop.make(3)
        with resilience.activate():
            charge()
        assert ("shop.make#charge", "3") == attempts(resilience, charge)

    def test_method_of_a_local_class(self, resilience: Resilience, shop: ModuleType) -> None:
        cls = shop.make_client()
        bound = resilience.wrap(cls())
        for target in (cls.charge, cls().charge, bound.charge):
            assert ("shop.make_client.<locals>.Client#charge", "5") == attempts(resilience, target)

    def test_guarded_twice(self, resilience: Resilience, shop: ModuleType) -> None:
        found = [resilience.describe(function) for function in (shop.quick, shop.patient)]
        assert [("shop#fetch", "1s"), ("shop.fetch#fetch", "9s")] == [
            (description.id, description.of("timeout")["value"].value) for description in found
        ]

    def test_no_function(self, resilience: Resilience, shop: ModuleType) -> None:
        assert "6" == attempts(resilience, shop.listed)[1]

    def test_unguarded(self, resilience: Resilience, shop: ModuleType) -> None:
        with pytest.raises(LookupError, match=r"nothing guarded has the id 'shop\.other#unguarded'"):
            resilience.describe(shop.other())

    def test_element(self, resilience: Resilience, shop: ModuleType) -> None:
        assert "shop.make.<locals>.charge" == resilience.element(shop.make()).definition.id


class TestByName:
    def test_function_that_came_later(self, resilience: Resilience, shop: ModuleType) -> None:
        del shop
        assert "1s" == resilience.describe("shop#fetch").of("timeout")["value"].value

    def test_one(self, resilience: Resilience, shop: ModuleType) -> None:
        charge = shop.make(3)
        assert ("shop.make#charge", "3") == attempts(resilience, "shop.make#charge")
        del charge

    def test_several_alike(self, resilience: Resilience, shop: ModuleType) -> None:
        several = [shop.make(3) for _ in range(3)]
        assert ("shop.make#charge", "3") == attempts(resilience, "shop.make#charge")
        assert 3 == len(several)

    def test_several_that_differ(self, resilience: Resilience, shop: ModuleType) -> None:
        several = [shop.make(3), shop.make(4)]
        with pytest.raises(LookupError) as caught:
            resilience.describe("shop.make#charge")
        assert "several functions have the id 'shop.make#charge'; describe one of them itself" == str(caught.value)
        del several[0]
        assert ("shop.make#charge", "4") == attempts(resilience, "shop.make#charge")

    def test_none_any_more(self, resilience: Resilience, shop: ModuleType) -> None:
        shop.make(3)
        with pytest.raises(LookupError, match=r"nothing guarded has the id 'shop\.make#charge'"):
            resilience.describe("shop.make#charge")

    def test_method_of_a_local_class(self, resilience: Resilience, shop: ModuleType) -> None:
        cls = shop.make_client()
        assert "5" == attempts(resilience, "shop.make_client.<locals>.Client#charge")[1]
        del cls

    def test_values_that_cannot_be_hashed(self, resilience: Resilience, app: Application) -> None:
        text = """
            from resilience4cata import *

            def make(attempts):
                @retry(max_attempts=attempts, retry_on=[OSError])
                def charge(): ...
                return charge
            """
        shop = app.load("shop", text)
        several = [shop.make(3), shop.make(3)]
        assert ("shop.make#charge", "3") == attempts(resilience, "shop.make#charge")
        several.append(shop.make(4))
        with pytest.raises(LookupError, match="several functions"):
            resilience.describe("shop.make#charge")
