"""Durations written as text: the grammar, what each mistake is called, and what is suggested."""

import json
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata import durations
from resilience4cata.durations import MAX_NANOSECONDS, Problem, format_duration, inspect, parse

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "cases" / "durations.json").read_text(encoding="utf-8")
)

# Written a second time, in another way than the module does it.
GRAMMAR = re.compile(
    r"0|(0|[1-9][0-9]*)(ns|us|ms|s|m|h|d)"
    r"|PT(?=[0-9])((0|[1-9][0-9]*)H)?((0|[1-9][0-9]*)M)?((0|[1-9][0-9]*)(\.[0-9]{1,9})?S)?"
)
UNITS = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86_400),
}
MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"

PIECES = st.sampled_from(
    [
        *("0", "1", "5", "30", "007", "1.5", ".5", "2,5", "1,000", "1_000", "99999999999999999999", "0.0000000001"),
        *("ns", "us", "ms", "s", "m", "h", "d", "w", "mo", "y", "sec", "minutes", "Hours", "M", "S", "H", "D", "Y"),
        *("P", "PT", "T", "p", "pt", "e", "E", "inf", "five", "seconds", "an", "hour", "foo", "x"),
        *(" ", "\t", "\n", "\u00a0", "\u200b", "\x00", "+", "-", "\u2212", ":", "/", "'", '"', ";", ".", ",", "_"),
        *("\u00b5s", "\u03bcs", "\uff12", "\u0663", "\u00bd", "\u00b2", "\u221e", "\U0001f389", "\ud800"),
    ]
)
NEARLY = st.lists(PIECES, max_size=8).map("".join)
TEXTS = st.text() | NEARLY
LENGTHS = st.integers(0, MAX_NANOSECONDS) | st.builds(
    lambda number, unit: min(number * unit, MAX_NANOSECONDS),
    st.integers(0, 10**4),
    st.sampled_from([1, 10**3, 10**6, 10**9, 60 * 10**9, 3600 * 10**9, 86_400 * 10**9]),
)


def problem(text: str) -> Problem:
    found = inspect(text)
    assert isinstance(found, Problem), f"{text!r} was accepted as {found}"
    return found


def test_all_cases_are_there() -> None:
    """The table has 99 literals, none of them twice."""
    assert (99, 99) == (len(CASES), len({case["literal"] for case in CASES}))


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["literal"]))
def test_case(case: dict[str, Any]) -> None:
    """Each literal has exactly the length, or the code, reason and suggestions, that the table says."""
    found = inspect(case["literal"])
    actual: dict[str, Any] = {"literal": case["literal"]}
    if isinstance(found, Problem):
        actual |= {"code": found.code, "reason": found.reason, "suggestions": list(found.suggestions)}
    else:
        actual |= {"nanoseconds": found}
    assert case == actual


@pytest.mark.parametrize(
    ("text", "reason", "position", "suggestions"),
    [
        ("  ", "empty", None, ()),
        ("\u200b", "empty", None, ()),
        ("1e3", "no-unit", None, ("1000s", "1000ms")),
        ("0.5", "no-unit", None, ("500ms", "500us")),
        ("1,000", "no-unit", None, ("1000s", "1000ms")),
        ("05", "no-unit", None, ("5s", "5ms")),
        ("Minutes", "no-number", 0, ("1m",)),
        ("2,5h", "decimal", 1, ("150m",)),
        (".5s", "decimal", 0, ("500ms",)),
        ("60.0s", "decimal", 2, ("60s",)),
        ("1.5d", "decimal", 1, ("36h",)),
        ("0.0000152587890625d", "decimal", 1, ("1318359375ns",)),
        ("9223372036854775807.0ns", "decimal", 19, ("9223372036854775807ns",)),
        ("0.00001us", "too-fine", 1, ()),
        ("0.00000000000000000001w", "unit", 22, ()),
        ("1.5e3ms", "exponent", 3, ("1500ms",)),
        ("1E+3S", "exponent", 1, ("1000s",)),
        ("1e10ns", "exponent", 1, ("10000000000ns",)),
        ("1e-3s", "exponent", 1, ()),
        ("1e999999s", "exponent", 1, ()),
        ("1h15m30s", "compound", 2, ("4530s", "PT1H15M30S")),
        ("1d2h", "compound", 2, ("26h", "PT26H")),
        ("30m1h", "compound", 3, ("90m", "PT1H30M")),
        ("1h30", "compound", 2, ("90m", "PT1H30M")),
        ("1m30", "compound", 2, ("90s", "PT1M30S")),
        ("5s30", "compound", 2, ()),
        ("1h5", "compound", 2, ()),
        ("3 sec", "space", 1, ("3s",)),
        ("1h 30m", "space", 2, ("90m", "PT1H30M")),
        ("1 hour 30 minutes", "space", 1, ("90m", "PT1H30M")),
        ("10 Seconds", "space", 2, ("10s",)),
        ("1 Hour 2 mins 3 secs 4 millis", "space", 1, ("3723004ms",)),
        ("1 000ms", "space", 1, ("1000ms",)),
        ("1 5s", "space", 1, ()),
        ("5 m s", "space", 1, ()),
        ("\ufeff5s", "space", 0, ("5s",)),
        ("1.5S", "case", 3, ("1500ms",)),
        ("1H30M", "case", 1, ("90m", "PT1H30M")),
        ("1.5M", "case-m", 3, ("90s",)),
        ("5sec", "unit", 1, ("5s",)),
        ("5secnds", "unit", 1, ("5s",)),
        ("5minuts", "unit", 1, ("5m",)),
        ("5mseconds", "unit", 1, ("5ms",)),
        ("5fours", "unit", 1, ()),
        ("5mis", "unit", 1, ()),
        ("1hour30min", "unit", 1, ("90m", "PT1H30M")),
        ("1w2d", "unit", 1, ("9d",)),
        ("5dseconds", "unit", 1, ()),
        ("1h5foo", "unit", 3, ()),
        ("0x10s", "unit", 1, ()),
        ("2months", "calendar", 1, ("60d",)),
        ("0.00000762939453125mo", "calendar", 19, ("19775390625ns",)),
        ("1.5years", "calendar", 3, ()),
        ("\u0663s", "non-ascii", 0, ("3s",)),
        ("\uff11\uff0c\uff15\uff53", "non-ascii", 0, ("1500ms",)),
        ("\uff15\u200bs", "non-ascii", 0, ("5s",)),
        ("\u201c5s\u201d", "non-ascii", 0, ("5s",)),
        ("\u20185s\u2019", "non-ascii", 0, ("5s",)),
        ("5\u00b2s", "non-ascii", 1, ()),
        ("\u00bds", "non-ascii", 0, ()),
        ("\u221e", "non-ascii", 0, ()),
        ("5s\U0001f389", "non-ascii", 2, ()),
        ("5s\ud800", "non-ascii", 2, ()),
        ("1_0s", "separator", 1, ("10s",)),
        ("1'000s", "separator", 1, ("1000s",)),
        ("1,000.5s", "separator", 1, ("1000500ms",)),
        ("5s1,000ms", "separator", 3, ("6000ms",)),
        ("007ms", "leading-zero", 0, ("7ms",)),
        ("0" * 40 + "5s", "leading-zero", 0, ("5s",)),
        ("PT01H05M", "leading-zero", 2, ("PT1H5M",)),
        ("++5s", "sign", 0, ("5s",)),
        ("PT+5S", "sign", 2, ("PT5S",)),
        ("-5 s", "negative", 0, ()),
        (" -5s", "negative", 1, ()),
        ("--5s", "negative", 0, ()),
        ("+-5s", "negative", 1, ()),
        ("PT-5S", "negative", 2, ()),
        ("\u22125s", "negative", 0, ()),
        ("-inf", "negative", 0, ()),
        ("- 0.0 s", "negative", 0, ("0s",)),
        ("P1D", "iso-date", 2, ("1d",)),
        ("P1DT2H30M", "iso-date", 2, ("1590m", "PT26H30M")),
        ("PT1D", "iso-date", 3, ("1d",)),
        ("p1dt2h", "case", 0, ("26h", "PT26H")),
        ("P1DT", "iso-empty", 3, ("1d",)),
        ("PT5", "iso-unit", 2, ("PT5S",)),
        ("PT1M30", "iso-unit", 4, ("PT1M30S",)),
        ("PT1H30", "iso-unit", 4, ("PT1H30M", "PT1H30S")),
        ("PT1S5", "iso-unit", 4, ()),
        ("PT1H5X", "iso-unit", 4, ()),
        ("P1D2H", "iso-t", 3, ("26h", "PT26H")),
        ("P1M30S", "iso-t", 1, ("PT1M30S",)),
        ("T90M", "iso-p", 0, ("PT90M",)),
        ("P1Y2M3DT4H", "calendar", 2, ()),
        ("PT1H0.5M", "iso-fraction", 5, ("PT1H30S",)),
        ("PT1,5H2,5S", "iso-comma", 3, ("PT1H30M2.5S",)),
        ("PT1H2S3M", "iso-order", 6, ("PT1H3M2S",)),
        ("P1HT2M", "iso-order", 1, ("PT1H2M",)),
        ("01:30", "clock", 2, ("90m", "90s")),
        ("1:02.5", "clock", 1, ("62500ms",)),
        ("00:75", "format", 2, ()),
        ("3/2h", "format", 1, ("90m",)),
        ("1/3s", "format", 1, ()),
        ("1/0s", "format", 1, ()),
        ("5s-", "format", 2, ()),
        ("5-10s", "format", 1, ()),
        ("5s+5s", "format", 2, ()),
        ("1h,30m", "format", 2, ()),
        ("1.000,5s", "format", 1, ()),
        ("'5s'", "format", 0, ("5s",)),
        ("5s;", "format", 2, ("5s",)),
        ("5\x00s", "format", 1, ()),
        ("${TIMEOUT}", "format", 0, ()),
        ("Seconds5", "order", 0, ("5s",)),
        ("Infinity", "word", 0, ()),
        (" forever", "word", 1, ()),
        ("two minutes", "word", 0, ("2m",)),
        ("an hour", "word", 0, ("1h",)),
        ("\u200bfive\u200bseconds", "word", 1, ("5s",)),
        ("five hours ago", "word", 0, ()),
        ("a", "word", 0, ()),
        ("ten", "word", 0, ("10s", "10ms")),
        ("five-seconds", "word", 0, ()),
        ("python3", "word", 0, ()),
        ("PT2562048H", "overflow", None, ()),
    ],
    ids=ascii,
)
def test_neighbour_of_a_case(text: str, reason: str, position: int | None, suggestions: tuple[str, ...]) -> None:
    """Texts like those of the table, but not in it, are diagnosed as well; the place is the character at fault."""
    codes = {"no-unit": "R4C-DU-002", "negative": "R4C-DU-003", "overflow": "R4C-DU-004"}
    assert Problem(codes.get(reason, "R4C-DU-001"), reason, position, suggestions) == inspect(text)


@given(LENGTHS)
def test_round_trip(length: int) -> None:
    """What is formatted is read back as the same length."""
    assert length == inspect(format_duration(length))


@given(LENGTHS.filter(bool))
def test_canonical_unit_is_the_largest(length: int) -> None:
    """No larger unit than that of the formatted text divides the length."""
    unit = format_duration(length).lstrip("0123456789")
    divisors = [name for name, seconds in UNITS.items() if length % int(seconds * 10**9) == 0]
    assert max(divisors, key=UNITS.__getitem__) == unit


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0, "0"),
        (60 * 10**9, "1m"),
        (90 * 10**9, "90s"),
        (1_500_000_000, "1500ms"),
        (86_400 * 10**9, "1d"),
        (MAX_NANOSECONDS, f"{MAX_NANOSECONDS}ns"),
    ],
)
def test_format(length: int, text: str) -> None:
    """Lengths have one canonical spelling."""
    assert text == format_duration(length)


@pytest.mark.parametrize("length", [-1, MAX_NANOSECONDS + 1])
def test_format_refuses_what_no_duration_has(length: int) -> None:
    """Only lengths that can be read back are written."""
    with pytest.raises(ValueError, match=str(length)):
        format_duration(length)


@given(TEXTS)
@example("5s\n")
@example("PT")
@example("1\u017f")
def test_only_the_grammar_is_accepted(text: str) -> None:
    """A text is a duration if it is spelled as the grammar says and is not too long, and never otherwise."""
    found = inspect(text)
    overflow = isinstance(found, Problem) and found.reason == "overflow"
    assert bool(GRAMMAR.fullmatch(text)) == (isinstance(found, int) or overflow)


@given(st.integers(0, 10**20), st.sampled_from(sorted(UNITS)))
@example(MAX_NANOSECONDS, "ns")
@example(MAX_NANOSECONDS + 1, "ns")
@example(106_751, "d")
def test_value(number: int, unit: str) -> None:
    """A number and a unit are worth their product; what does not fit into 63 bits is an overflow."""
    exact = number * UNITS[unit] * 10**9
    expected = exact if exact <= MAX_NANOSECONDS else Problem("R4C-DU-004", "overflow", None, ())
    assert expected == inspect(f"{number}{unit}")


@given(st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 999_999_999))
def test_iso_value(hours: int, minutes: int, seconds: int, fraction: int) -> None:
    """An ISO duration is worth the sum of its parts."""
    expected = (hours * 3600 + minutes * 60 + seconds) * 10**9 + fraction
    assert expected == inspect(f"PT{hours}H{minutes}M{seconds}.{fraction:09}S")


@given(TEXTS)
@example("-5s")
@example("-\ufeff0s")
@example("five-seconds")
@example("0-s")
def test_problem_is_well_formed(text: str) -> None:
    """Any text is a length, or a problem with a place in the text and valid suggestions, which keep a minus."""
    found = inspect(text)
    if isinstance(found, int):
        assert 0 <= found <= MAX_NANOSECONDS
        return
    assert found.position is None or 0 <= found.position < len(text)
    lengths = [inspect(suggestion) for suggestion in found.suggestions]
    assert [] == [length for length in lengths if isinstance(length, Problem)]
    assert len(found.suggestions) == len(set(found.suggestions))
    if any(minus in text for minus in MINUSES):
        assert {0} >= set(lengths)


@given(LENGTHS.map(format_duration), st.data())
def test_non_ascii_is_never_accepted(text: str, data: st.DataObject) -> None:
    """One character outside ASCII, anywhere, makes a duration none; also where Python's own parsers would take it."""
    at = data.draw(st.integers(0, len(text)))
    digits = st.characters(categories=["Nd"], exclude_characters="0123456789")
    alien = data.draw(digits | st.characters(min_codepoint=128))
    for changed in (text[:at] + alien + text[at:], text[:at] + alien + text[at + 1 :]):
        assert not isinstance(inspect(changed), int)


@given(
    st.sampled_from(MINUSES), st.integers(1, 10**6), st.sampled_from(sorted(UNITS)), st.sampled_from(["", " ", ".5"])
)
def test_minus_is_never_dropped(minus: str, number: int, unit: str, between: str) -> None:
    """A negative length is named as such, at its minus, and gets no suggestion."""
    assert Problem("R4C-DU-003", "negative", 0, ()) == inspect(f"{minus}{number}{between}{unit}")


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(sorted(UNITS))), min_size=2, max_size=5))
def test_compound_suggests_the_sum(quantities: list[tuple[int, str]]) -> None:
    """All suggestions for a compound are worth its sum; there are none only where the sum is too long."""
    exact = int(sum(number * UNITS[unit] for number, unit in quantities) * 10**9)
    found = problem("".join(f"{number}{unit}" for number, unit in quantities))
    expected = {exact} if exact <= MAX_NANOSECONDS else set()
    assert ("compound", expected) == (found.reason, {inspect(suggestion) for suggestion in found.suggestions})


@given(st.integers(0, 10**4), st.text("0123456789", max_size=12), st.sampled_from(sorted(UNITS)), st.sampled_from(".,"))
@example(107, "000", "d", ",")
def test_decimal_suggests_the_same_length(whole: int, fraction: str, unit: str, mark: str) -> None:
    """A decimal is rewritten without loss, or not at all; a comma before three digits groups thousands instead."""
    exact = Fraction(f"{whole}.{fraction}0") * UNITS[unit] * 10**9
    found = problem(f"{whole}{mark}{fraction}{unit}")
    lengths = [parse(suggestion) for suggestion in found.suggestions]
    if mark == "," and len(fraction) == 3 and 0 < whole < 1000:
        grouped = int(int(f"{whole}{fraction}") * UNITS[unit] * 10**9)
        assert ("separator", [grouped] * (grouped <= MAX_NANOSECONDS)) == (found.reason, lengths)
    elif exact.denominator == 1:
        assert ("decimal", [int(exact)]) == (found.reason, lengths)
    else:
        assert ("too-fine", []) == (found.reason, lengths)


@pytest.mark.parametrize(
    "unit",
    [
        *("1", "0", "9s", "a", "1a", "1h", "1.", ".", ",000", " ", "5 ", "5 s ", "\u0663", "\U0001f389", "-", "+", ":"),
        *("1:", "/", "1/", "_", "1_", "'", "1'", "e", "1e", "1e+", "min ", "1minuts", "five ", "P", "PT", "P1", "T1"),
        *("1H", "1H0", "1D", "1Y", "1M", "0.", "0H", "\x00", "\u200b", "\ud800", '"'),
    ],
    ids=ascii,
)
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("PT", ""), ("1", "s"), ("P", "!"), (" ", "-5 s"), ("5s", "\n")]
)
def test_long_texts_are_quick(before: str, unit: str, after: str) -> None:
    """Time grows with the length, not with its square: 40,000 characters would then take many seconds."""
    text = before + unit * (40_000 // len(unit)) + after
    started = time.process_time()
    problem(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("text", ["9" * 5000 + "s", "PT" + "9" * 5000 + "H", "PT1H" + "9" * 5000 + "S"])
def test_more_digits_than_int_takes(text: str) -> None:
    """Numbers beyond the 4,300 digits that `int` takes are an overflow like others."""
    assert Problem("R4C-DU-004", "overflow", None, ()) == inspect(text)


def test_patterns_that_every_release_reads_alike() -> None:
    """Before Python 3.11.5 a group that is repeated possessively leaves the match at a wrong place."""
    patterns = [pattern for _, pattern, _ in durations._DIAGNOSERS]
    assert len(patterns) > 30
    assert [] == [pattern for pattern in patterns if re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", pattern)]
