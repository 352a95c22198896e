"""The rate limiter's cycles and reservations: the table of the cases, other settings, and what is reported."""

from __future__ import annotations

from resilience4cata.events import RateLimitDelayed, RateLimitExceeded
from resilience4cata.policies.machines.rate_limiter import RateLimiterSettings

from .doubles import MS, S
from .limiters import C, Limited


class TestTable:
    """Each row of the table: 1 per 250ms, times in cycles."""

    def test_no_wait(self) -> None:
        limited = Limited(1, C)
        limited.clock.now += C
        assert [None, C] == [limited.call(), limited.call()]
        assert [] == limited.scheduler.waits

    def test_waits_one_cycle(self) -> None:
        limited = Limited(1, C, max_wait=C)
        start = limited.clock.now
        assert [None, None] == [limited.call(), limited.call()]
        assert start + C == limited.clock.now

    def test_the_third_is_refused_without_consuming(self) -> None:
        limited = Limited(1, C, max_wait=C)
        now = limited.clock.now
        assert limited.quick()
        assert limited.machine.reserve(now, C).reservation is not None
        for _ in range(3):
            assert (None, 2 * C) == limited.machine.reserve(now, C)[:2]
        assert (0, 1, 3) == limited.machine.snapshot(now)
        limited.clock.now += C
        assert not limited.quick()
        limited.clock.now += C
        assert limited.quick()

    def test_idle_cycles_add_nothing(self) -> None:
        limited = Limited(1, C)
        assert limited.call() is None
        limited.clock.now += 5 * C
        assert [None, C] == [limited.call(), limited.call()]

    def test_a_reservation_is_given_back(self) -> None:
        limited = Limited(1, C, max_wait=C)
        now = limited.clock.now
        assert limited.quick()
        reservation = limited.machine.reserve(now, C).reservation
        assert reservation is not None
        limited.machine.give_back(reservation, now)
        limited.machine.give_back(reservation, now)
        assert (0, 0, 0) == limited.machine.snapshot(now)
        limited.clock.now += C
        assert limited.quick()
        assert not limited.quick()

    def test_nine_calls_of_three_a_cycle(self) -> None:
        limited = Limited(3, 10 * MS, max_wait=12 * MS)
        answers = []
        for _ in range(9):
            if limited.quick():
                answers.append("runs")
                continue
            reservation, wait, _ = limited.machine.reserve(limited.clock.now, 12 * MS)
            answers.append("refused" if reservation is None else f"waits {wait // MS}ms")
        assert ["runs"] * 3 + ["waits 10ms"] * 3 + ["refused"] * 3 == answers

    def test_around_a_boundary(self) -> None:
        """The last of one cycle and the first of the next: twice the permits, as documented, and no more."""
        limited = Limited(5, C)
        limited.quick()
        limited.clock.now += C - 1
        late = sum(limited.quick() for _ in range(20))
        limited.clock.now += 1
        assert (4, 5) == (late, sum(limited.quick() for _ in range(20)))


class TestCycles:
    """When cycles begin, and what happens between them."""

    def test_aligned_to_the_first_use(self) -> None:
        limited = Limited(1, C)
        limited.clock.now += 77 * MS
        start = limited.clock.now
        limited.quick()
        limited.clock.now += 7 * C + 100 * MS
        limited.quick()
        assert start + 8 * C == limited.machine.end

    def test_a_permit_given_back_in_its_cycle(self) -> None:
        """A waiter that is cancelled after its cycle began leaves the permit to the next call of that cycle."""
        limited = Limited(1, C, max_wait=C)
        limited.quick()
        reservation = limited.machine.reserve(limited.clock.now, C).reservation
        assert reservation is not None
        limited.clock.now += C
        assert not limited.quick()
        limited.machine.give_back(reservation, limited.clock.now)
        assert [None, None] == [limited.call(), limited.call()]
        assert [C] == limited.scheduler.waits

    def test_a_permit_given_back_too_late_is_lost(self) -> None:
        limited = Limited(1, C, max_wait=C)
        limited.quick()
        reservation = limited.machine.reserve(limited.clock.now, C).reservation
        assert reservation is not None
        limited.clock.now += 2 * C
        limited.machine.give_back(reservation, limited.clock.now)
        assert (1, 0, 0) == limited.machine.snapshot(limited.clock.now)

    def test_a_gap_is_taken_first(self) -> None:
        """The second of three waiters is cancelled: the next one gets its cycle."""
        limited = Limited(1, C)
        now = limited.clock.now
        limited.quick()
        waiters = [limited.machine.reserve(now, 9 * C) for _ in range(3)]
        assert [C, 2 * C, 3 * C] == [waiter.wait for waiter in waiters]
        assert waiters[1].reservation is not None
        limited.machine.give_back(waiters[1].reservation, now)
        assert [2 * C, 4 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(2)]

    def test_a_wait_beyond_the_deadline_is_refused_at_once(self) -> None:
        limited = Limited(1, C, max_wait=4 * C)
        limited.quick()
        assert C == limited.call(deadline=limited.clock.now + C - 1)
        assert (0, 0, 1) == limited.machine.snapshot(limited.clock.now)
        assert limited.call(deadline=limited.clock.now + C) is None

    def test_nothing_before_the_first_use(self) -> None:
        limited = Limited(3, C)
        assert (3, 0, 0) == limited.machine.snapshot(limited.clock.now)
        limited.machine.reconfigure(RateLimiterSettings(5, C, 0), limited.clock.now)
        assert 5 == sum(limited.quick() for _ in range(9))


class TestReconfigure:
    """Other limits count from the next cycle on, and keep reservations."""

    def test_from_the_next_cycle_on(self) -> None:
        limited = Limited(2, C)
        limited.quick()
        limited.machine.reconfigure(RateLimiterSettings(5, C, 0), limited.clock.now)
        assert 1 == sum(limited.quick() for _ in range(9))
        limited.clock.now += C
        assert 5 == sum(limited.quick() for _ in range(9))

    def test_reservations_stay(self) -> None:
        """Four wait for two cycles of two; the limit falls to one: they keep their moments, newcomers come after."""
        limited = Limited(2, C)
        now = limited.clock.now
        assert [True, True] == [limited.quick(), limited.quick()]
        assert [C, C, 2 * C, 2 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(4)]
        limited.machine.reconfigure(RateLimiterSettings(1, C, 0), now)
        assert 3 * C == limited.machine.reserve(now, 9 * C).wait
        limited.clock.now += C
        assert not limited.quick()

    def test_more_permits_for_cycles_that_were_full(self) -> None:
        limited = Limited(1, C)
        now = limited.clock.now
        limited.quick()
        assert [C, 2 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(2)]
        limited.machine.reconfigure(RateLimiterSettings(2, C, 0), now)
        assert [C, 2 * C, 3 * C, 3 * C] == [limited.machine.reserve(now, 9 * C).wait for _ in range(4)]

    def test_another_period(self) -> None:
        """Reservations count in the new cycle that their moment lies in, also after several changes."""
        limited = Limited(1, 100 * MS)
        now = limited.clock.now
        limited.quick()
        waiters = [limited.machine.reserve(now, S) for _ in range(5)]
        for period in (70, 30, 250):
            limited.machine.reconfigure(RateLimiterSettings(3, period * MS, 0), now)
        # The running cycle ends at 100ms; then 100..350ms (three reservations), 350..600ms (two).
        assert [350 * MS, 600 * MS] == [limited.machine.reserve(now, S).wait for _ in range(2)]
        for waiter in waiters:
            assert waiter.reservation is not None
            limited.machine.give_back(waiter.reservation, now)
        assert (0, 2, 0) == limited.machine.snapshot(now)


class TestEvents:
    def test_refused_and_delayed(self) -> None:
        limited = Limited(1, C, max_wait=C)
        limited.call()
        limited.call()
        limited.call(deadline=limited.clock.now)
        delayed, refused = limited.events.seen
        assert isinstance(delayed, RateLimitDelayed)
        assert isinstance(refused, RateLimitExceeded)
        assert (C, C) == (delayed.wait, refused.retry_after)
