"""Recording keeps nothing alive."""

from __future__ import annotations

import gc
import weakref

from resilience4cata import retry, timeout
from tests.runtime.live import recorded_numbers

from .test_recording import on, untyped


class TestLifetime:
    """Recording keeps nothing alive."""

    def test_throw_away_functions(self) -> None:
        gc.collect()
        before = recorded_numbers()
        for _ in range(100_000):

            @retry()
            def throw_away() -> None: ...

        del throw_away
        assert recorded_numbers() <= before

    def test_throw_away_classes(self) -> None:
        def make() -> weakref.ref[type]:
            @retry()
            class Client:
                @timeout("1s")
                def call(self) -> None: ...

            return weakref.ref(Client)

        gc.collect()
        before = recorded_numbers()
        references = [make() for _ in range(50)]
        gc.collect()
        assert [None] * 50 == [reference() for reference in references]
        assert recorded_numbers() <= before

    def test_frames_and_locals(self) -> None:
        class Big: ...

        def make() -> tuple[object, weakref.ref[Big]]:
            big = Big()

            @retry()
            def call() -> None: ...

            return call, weakref.ref(big)

        call, reference = make()
        assert reference() is None
        assert 1 == len(on(call))

    def test_what_cannot_be_held_weakly_is_kept_once_per_place(self) -> None:
        class Descriptor:
            __slots__ = ()

            def __get__(self, target: object, owner: type) -> int:
                return 1

        before = recorded_numbers()
        for _ in range(1_000):
            untyped(retry())(Descriptor())
        assert 1 == len(recorded_numbers() - before)
