"""Durations as lengths: texts and timedeltas become nanoseconds, or an error that says what is wrong."""

import copy
import pickle
import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata.durations import MAX_NANOSECONDS, DurationError, Problem, nanoseconds, parse

ADVICE = "write a whole number and a unit, such as '500ms'"


def test_parse() -> None:
    """A valid text gives its length; any other raises an error that carries the text and the problem."""
    assert 250_000_000 == parse("250ms")
    with pytest.raises(DurationError) as raised:
        parse("1.5s")
    expected = ("1.5s", Problem("R4C-DU-001", "decimal", 1, ("1500ms",)))
    assert expected == (raised.value.text, raised.value.problem)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.5s", "[R4C-DU-001] '1.5s' is not a duration: decimal at character 2; did you mean '1500ms'?"),
        ("5", "[R4C-DU-002] '5' is not a duration: no-unit; did you mean '5s' or '5ms'?"),
        (
            "-1s",
            "[R4C-DU-003] '-1s' is not a duration: negative at character 1; " + ADVICE,
        ),
        ("x" * 60, f"[R4C-DU-001] '{'x' * 60}' is not a duration: word at character 1; " + ADVICE),
        (
            "x" * 61,
            f"[R4C-DU-001] '{'x' * 57}...' is not a duration: word at character 1; " + ADVICE,
        ),
    ],
)
def test_message(text: str, message: str) -> None:
    """The message says what is wrong, where, and what to write; long texts are cut."""
    with pytest.raises(DurationError, match=f"^{re.escape(message)}$"):
        parse(text)


def test_error_is_a_value_error_and_survives_copies() -> None:
    """The error keeps its text and problem through pickle and copy, as between worker processes."""
    error = DurationError("1.5s", Problem("R4C-DU-001", "decimal", 1, ("1500ms",)))
    assert isinstance(error, ValueError)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (DurationError, error.text, error.problem, str(error)) == (
            type(other),
            other.text,
            other.problem,
            str(other),
        )


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=106_751)))
@example(timedelta(microseconds=1))
def test_timedelta(value: timedelta) -> None:
    """A timedelta is converted exactly."""
    assert value // timedelta(microseconds=1) * 1000 == nanoseconds(value)


@pytest.mark.parametrize(
    ("value", "code", "reason"),
    [
        (timedelta(microseconds=-1), "R4C-DU-003", "negative"),
        (timedelta.min, "R4C-DU-003", "negative"),
        (timedelta(microseconds=MAX_NANOSECONDS // 1000 + 1), "R4C-DU-004", "overflow"),
        (timedelta.max, "R4C-DU-004", "overflow"),
    ],
)
def test_timedelta_outside_the_range(value: timedelta, code: str, reason: str) -> None:
    """A negative timedelta and one above the limit are refused with the codes of texts."""
    with pytest.raises(DurationError) as raised:
        nanoseconds(value)
    assert (str(value), Problem(code, reason, None, ())) == (raised.value.text, raised.value.problem)


def test_longest_timedelta() -> None:
    """The limit itself, in whole microseconds, is accepted."""
    assert MAX_NANOSECONDS // 1000 * 1000 == nanoseconds(timedelta(microseconds=MAX_NANOSECONDS // 1000))


def test_nanoseconds_of_a_text() -> None:
    """A text is parsed; one that is no duration raises."""
    assert 90_000_000_000 == nanoseconds("PT1M30S")
    with pytest.raises(DurationError):
        nanoseconds("1h30m")


@pytest.mark.parametrize("value", [5, 0, 2.5, True, None, b"5s"])
def test_other_types_are_refused(value: Any) -> None:
    """Nothing but a text or a timedelta has a unit; a bool is no number of anything."""
    with pytest.raises(TypeError, match=type(value).__name__):
        nanoseconds(value)
