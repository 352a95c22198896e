"""Objects that are bound to a `Resilience`, whose classes have wrappers too."""

from __future__ import annotations

from resilience4cata import retry

from .running import Failing, attempts, built, running


class TestBound:
    def test_super_in_a_bound_object(self) -> None:
        """What is bound to one `Resilience` does not run the policies of another one within it."""
        failing = Failing()

        @retry(max_attempts=3)
        class Base:
            def charge(self) -> object:
                return failing()

        class Derived(Base):
            def charge(self) -> object:
                return super().charge()

        resilience = built(__name__)
        with running():
            assert 3 == attempts(resilience.wrap(Derived()).charge, failing)

    def test_no_double_pipeline(self) -> None:
        """Whether or not what it is bound to is also what is active."""
        failing = Failing()

        class Client:
            @retry(max_attempts=3)
            def charge(self) -> object:
                return failing()

        resilience = built(__name__)
        client = resilience.wrap(Client())
        assert 3 == attempts(client.charge, failing)
        with resilience.activate():
            assert 3 == attempts(client.charge, failing)
            assert 3 == attempts(Client().charge, failing)
