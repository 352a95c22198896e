"""Durations: the one grammar, why a text is none, and what was probably meant.

    duration = "0" | number unit | iso        ASCII only, no blanks, no sign, nothing around it
    number   = [1-9][0-9]* | "0"              unit = ns | us | ms | s | m | h | d   (m: a minute, d: exactly 24 h)
    iso      = "PT" [n"H"] [n"M"] [n["."1 to 9 digits]"S"]      in this order, at least one part, no leading zeros

Values are whole nanoseconds from 0 to `MAX_NANOSECONDS`; nothing passes through float. A text outside the grammar goes
to the diagnosers, in the order in which they stand below. The first to recognise it names the reason and may offer
*repairs*: texts with that one fault mended. What is then still no duration is diagnosed again, so faults combine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .suggestions import certain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import timedelta
    from re import Match

    _Repairs = Callable[[Match[str]], "tuple[str, ...] | _Fault"]

MAX_NANOSECONDS = 2**63 - 1
_UNITS = {"d": 24 * 3600 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_ISO_FORM = r"PT(?=.)(?:(n)H)?(?:(n)M)?(?:((?:n)(?:\.[0-9]{1,9})?)S)?".replace("n", "0|[1-9][0-9]*")
PATTERN = rf"^(?:0|(?:0|[1-9][0-9]*)(?:{'|'.join(_UNITS)})|{_ISO_FORM})$"  # the grammar without its bound, for editors
# Read but never written: weeks, and months as thirty days. A year has no certain length, so it has no scale.
_SCALES = _UNITS | {"w": 7 * _UNITS["d"], "mo": 30 * _UNITS["d"]}
# The first of each group is the unit, which may be mistyped with its last letter doubled; the others have plurals.
_NAMES = (
    "ns n nsec nsecond nano nanosec nanosecond; us u usec usecond micro microsec microsecond; ms msec msecond milli "
    "millisec millisecond; s sec second; m min minute; h hr hour; d day; w wk week; mo mon month; y yr year"
)
_UNIT_OF = {name + s: unit for unit, *names in map(str.split, _NAMES.split(";")) for name in names for s in ("", "s")}
_UNIT_OF |= {unit + s: unit for unit in _SCALES for s in ("", unit[-1])} | {"mos": "mo", "y": "y"}
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {name: value for value, name in enumerate(_COUNTED.split())}
_NUMBERS |= {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60, "ninety": 90}

_MINUS = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
# Blanks that neither `str.isspace` nor `\s` knows: zero-width space, word joiner, byte order mark.
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), " ")
_BLANK = r"\s\u200b\u2060\ufeff"  # in brackets
# Full-width forms, both micro signs (U+00B5 and the Greek letter U+03BC), typographic apostrophes and quotes.
_ASCII = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_ASCII |= {"\u00b5": "u", "\u03bc": "u", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}


class Problem(NamedTuple):
    """Why a text is no duration: code of the rule, reason, place, and the durations that were probably meant.

    `position` is the index of the first character at fault: the sign, blank, mark, separator, colon, slash, exponent's
    `e`, leading zero or odd character; the first letter of a wrong unit, or of a word; the start of a second quantity.
    In ISO texts also the first lower-case or date letter; the part out of order, or without a letter ISO knows; the
    letter after which everything is missing (iso-empty); the character that P or T should precede. None where no
    character is at fault: empty, no-unit, overflow.
    """

    code: str
    reason: str
    position: int | None
    suggestions: tuple[str, ...]


class DurationError(ValueError):
    """A value that is no duration; `text` is the value as text, `problem` says why."""

    def __init__(self, text: str, problem: Problem) -> None:
        super().__init__(text, problem)
        self.text, self.problem = text, problem

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        where = "" if self.problem.position is None else f" at character {self.problem.position + 1}"
        meant = " or ".join(map(repr, self.problem.suggestions))
        advice = f"did you mean {meant}?" if meant else "write a whole number and a unit, such as '500ms'"
        return f"[{self.problem.code}] {shown!r} is not a duration: {self.problem.reason}{where}; {advice}"


class _Fault(NamedTuple):
    """What one diagnoser found; `repairs` are texts, not yet known to be durations."""

    reason: str
    position: int | None
    repairs: tuple[str, ...] = ()


def inspect(text: str) -> int | Problem:
    """Nanoseconds of a duration, or why the text is none. Never raises; time is linear in the length of the text."""
    value = _value(text)
    if value is not None and value <= MAX_NANOSECONDS:
        return value
    fault = _Fault("overflow", None) if value is not None else _diagnose(text)
    suggestions = dict.fromkeys(_valid(fault.repairs))
    if any(minus in text for minus in _MINUS):
        # One guard for all diagnosers: a minus may be dropped only where it says nothing, before zero.
        suggestions = {suggestion: None for suggestion in suggestions if _value(suggestion) == 0}
    codes = {"no-unit": "R4C-DU-002", "negative": "R4C-DU-003", "overflow": "R4C-DU-004"}
    return Problem(codes.get(fault.reason, "R4C-DU-001"), fault.reason, fault.position, tuple(suggestions))


def parse(text: str) -> int:
    """Nanoseconds of a duration; DurationError if the text is none."""
    found = inspect(text)
    if isinstance(found, Problem):
        raise DurationError(text, found)
    return found


def nanoseconds(value: str | timedelta) -> int:
    """Exact nanoseconds of a duration or a timedelta.

    DurationError if it is none or outside 0..MAX_NANOSECONDS, TypeError for anything else, bare numbers included.
    """
    if isinstance(value, str):
        return parse(value)
    from datetime import timedelta

    given: object = value
    if not isinstance(given, timedelta):
        msg = f"a duration is a string such as '5s' or a timedelta, not {type(value).__name__}"
        raise TypeError(msg)
    total = ((value.days * 86_400 + value.seconds) * 10**6 + value.microseconds) * 1000
    if 0 <= total <= MAX_NANOSECONDS:
        return total
    code, reason = ("R4C-DU-003", "negative") if total < 0 else ("R4C-DU-004", "overflow")
    raise DurationError(str(value), Problem(code, reason, None, ()))


def format_duration(nanoseconds: int) -> str:
    """The canonical spelling: the largest unit that divides exactly; ValueError outside 0..MAX_NANOSECONDS."""
    if not 0 <= nanoseconds <= MAX_NANOSECONDS:
        msg = f"a duration has 0 to {MAX_NANOSECONDS} nanoseconds, not {nanoseconds}"
        raise ValueError(msg)
    return _spell(nanoseconds)


def _value(text: str) -> int | None:
    """Nanoseconds of a text that keeps to the grammar, possibly above MAX_NANOSECONDS; None for any other text."""
    number = text.rstrip("dhmnsu")
    scale = _UNITS.get(text[len(number) :])
    if scale is None:
        return _iso_value(text) if text[:2] == "PT" else 0 if text == "0" else None
    # `isdecimal` and `int` take the digits of every script, and `int` refuses more than 4,300 of them.
    if not number.isdecimal() or not number.isascii() or (number[0] == "0" and number != "0"):
        return None
    return int(number) * scale if len(number) < 20 else MAX_NANOSECONDS + 1


def _iso_value(text: str) -> int | None:
    """The same for a text that begins with PT."""
    found = _match(_ISO_FORM, text)
    return None if found is None else _total(zip(found.groups("0"), "hms", strict=True))


def _match(pattern: str, text: str) -> Match[str] | None:
    """The match of the whole text; `re` is loaded, and patterns compiled, only where one is needed: not for "5s"."""
    import re

    return re.fullmatch(pattern, text, re.DOTALL)


def _total(quantities: Iterable[tuple[str, str]]) -> int | None:
    """The exact sum of decimal numbers and their units, possibly above MAX_NANOSECONDS; None if finer than 1 ns."""
    total = 0
    for number, unit in quantities:
        whole, _, fraction = number.replace(",", ".").partition(".")
        whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
        if len(whole) > 19:
            total, whole = MAX_NANOSECONDS + 1, ""
        # 30 days can be halved 17 times before they are no whole number of nanoseconds.
        value, rest = divmod(int(whole + fraction[:18] or "0") * _SCALES[unit], 10 ** min(len(fraction), 18))
        if rest or len(fraction) > 18:
            return None
        total += value
    return total


def _spell(total: int, preferred: str = "") -> str:
    """A duration in the preferred unit if that divides it exactly, else in the largest unit that does, or "0"."""
    if not total and not preferred:
        return "0"
    unit = next(unit for unit in (preferred, *_UNITS) if unit in _UNITS and total % _UNITS[unit] == 0)
    return f"{total // _UNITS[unit]}{unit}"


def _spell_iso(total: int) -> str:
    """An ISO duration in hours, minutes and seconds."""
    minutes, rest = divmod(total, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 10**9}.{rest % 10**9:09}".rstrip("0").rstrip(".")
    parts = ((str(hours), "H"), (str(minutes), "M"), (seconds, "S"))
    return "PT" + ("".join(number + letter for number, letter in parts if number != "0") or "0S")


def _unit_of(word: str) -> str | None:
    """The unit that a word names, in any case, or with one typo if it is long."""
    word = word.lower()
    if word in _UNIT_OF or len(word) < 4:
        return _UNIT_OF.get(word)
    near = {unit for name, unit in _UNIT_OF.items() if len(name) > 3 and name[0] == word[0] and certain(word, name)}
    return near.pop() if len(near) == 1 else None


def _parts(text: str) -> list[tuple[str, str]]:
    """The numbers and units of a text in which both are known to be well formed; the letters of ISO are units too."""
    import re

    return [(number, unit.lower()) for number, unit in re.findall(r"([\d.,]+)([A-Z]|[a-z]+)", text)]


def _diagnose(text: str) -> _Fault:
    """The first fault found in a text outside the grammar."""
    for reason, pattern, repairs in _DIAGNOSERS:
        if found := _match(pattern, text):
            made = repairs(found)
            at = found.start("at") if "at" in found.re.groupindex else None
            return made if isinstance(made, _Fault) else _Fault(reason, at, made)
    return _Fault("format", 0)


def _valid(repairs: Iterable[str], most: int = 9) -> Iterator[str]:
    """The repairs that are durations and, for the others, what comes of their own repairs, at most `most` deep."""
    for repair in repairs:
        value = _value(repair)
        if value is None and most:
            yield from _valid(_diagnose(repair).repairs, most - 1)
        elif value is not None and value <= MAX_NANOSECONDS:
            yield repair


_DIAGNOSERS: list[tuple[str, str, _Repairs]] = []


def _diagnoser(reason: str, pattern: str) -> Callable[[_Repairs], _Repairs]:
    """Register a function from the match of a whole text to its repairs, or to a more precise fault than `reason`.

    The group `at` of the pattern begins at the character at fault; without it, none is.
    """

    def register(repairs: _Repairs) -> _Repairs:
        _DIAGNOSERS.append((reason, pattern, repairs))
        return repairs

    return register


def _fault(reason: str, pattern: str, *templates: str) -> None:
    """Register a diagnoser whose repairs are templates over the groups of the pattern."""
    _diagnoser(reason, pattern)(lambda found: tuple(map(found.expand, templates)))


# Long texts must stay fast: nothing is given back in vain (`(?>`, `*+`). `*+` after a group is broken before 3.11.5.
_NUMBER = r"(?>\d+[.,]?\d*|[.,]\d+)"
_QUANTITY = rf"(?:{_NUMBER}(?:[mun]s|[smhd])(?![A-Za-z]))"
_ISO = r"(?i:P[T\d.,]|T\d|PT?\Z)"

# Faults of any text, ISO or not.
_fault("empty", rf"[{_BLANK}]*")
_fault("negative", rf"([{_BLANK}+]*+(?i:PT?|T)?)(?P<at>[{_MINUS}])(.*[^\W_].*)", r"\1\3")


@_diagnoser("non-ascii", rf"[\x00-\x7f{_BLANK}]*+(?P<at>.).*")
def _in_ascii(found: Match[str]) -> tuple[str, ...]:
    """`5µs`: digits of all scripts and the characters of `_ASCII` have one reading, others none."""
    spaced = found[0].translate(_INVISIBLE)
    plain = [str(int(one)) if one.isdecimal() else _ASCII.get(one, one) for one in spaced]
    return ("".join(plain),) if all(one.isascii() or one.isspace() for one in plain) else ()


_fault("no-number", rf"[{_BLANK}]*+(?P<at>(?i:{'|'.join(_UNIT_OF)}))[{_BLANK}]*", r"1\g<at>")


@_diagnoser("word", rf"[{_BLANK}]*+(?!(?i:PT?)[{_BLANK}]*\Z)(?P<at>[A-Za-z])\D*")
def _in_digits(found: Match[str]) -> tuple[str, ...]:
    """`inf`; `five seconds`."""
    first, *others = found[0].translate(_INVISIBLE).lower().split()
    known = first in _NUMBERS and len(others) < 2 and (others or first not in ("a", "an"))
    return (f"{_NUMBERS[first]}{''.join(others)}",) if known else ()


@_diagnoser("space", rf"[^{_BLANK}]*+(?P<at>.).*")
def _joined(found: Match[str]) -> tuple[str, ...]:
    """`5 s`, `1 000ms`; a blank between letters, or between digits that are no thousands, may mean anything."""
    words = found[0].translate(_INVISIBLE).split()
    seams = [before[-1] + word[0] for before, word in pairwise(words)]
    joined = "".join(word + "'" * seam.isdigit() for word, seam in zip(words, [*seams, ""], strict=True))
    return () if any(map(str.isalpha, seams)) else (joined,)


_fault("sign", r"((?i:PT?|T)?)(?P<at>\+)\+*(.*)", r"\1\3")
_fault("order", rf"(?P<at>(?i:{'|'.join(_UNIT_OF)}))([\d.,_']+)", r"\2\g<at>")
_fault("word", rf"(?!{_ISO})(?P<at>[A-Za-z]).*")


@_diagnoser("clock", r"(\d{1,9})(?P<at>:)([0-5]?\d)(?::([0-5]?\d))?([.,]\d{1,9})?")
def _clock(found: Match[str]) -> tuple[str, ...]:
    """`00:01:30`; two fields may be hours and minutes or minutes and seconds."""
    fields = [field for field in found.group(1, 3, 4) if field]
    fields[-1] += found[5] or ""
    readings = ("hms",) if found[4] else ("ms",) if found[5] else ("hm", "ms")
    return tuple(_spell(_total(zip(fields, units, strict=True)) or 0) for units in readings)


@_diagnoser("format", r"(\d{1,19})(?P<at>/)0*([1-9]\d{0,18})([a-z]+)")
def _divided(found: Match[str]) -> tuple[str, ...]:
    """`1/2s`."""
    total, rest = divmod(int(found[1]) * _UNITS.get(found[4], 0), int(found[3]))
    return () if rest or found[4] not in _UNITS else (_spell(total),)


@_diagnoser("exponent", r"(\d+)(?:[.,](\d*))?(?P<at>[eE])\+?(-?\d+)([A-Za-z].*)")
def _multiplied(found: Match[str]) -> tuple[str, ...]:
    """`1e3ms`, `1.5e3ms`."""
    whole, fraction, _, power, rest = found.groups("")
    if len(power) > 2 or power[0] == "-":
        return ()
    digits, left = fraction[: int(power)].ljust(int(power), "0"), fraction[int(power) :]
    return (f"{whole}{digits}{'.' * bool(left)}{left}{rest}",)


_fault("no-unit", rf"(?:{_NUMBER}|\d+(?:[_',]\d+)+(?:\.\d*)?)(?:[eE][+-]?\d+)?", r"\g<0>s", r"\g<0>ms")
_diagnoser("separator", r"[^_]*+(?<=\d)(?P<at>_).*")(lambda found: (found[0].replace("_", ""),))


@_diagnoser("format", r"(?>(?:[A-Za-z\d.,]|(?<=\d)'(?=\d))*)(?P<at>.).*")
def _unwrapped(found: Match[str]) -> tuple[str, ...]:
    """`"5s"`, `5s;`: quotes and a final mark say nothing."""
    bare = found[0].strip("\"'`").rstrip(".,;")
    return (bare,) if bare != found[0] else ()


# Faults of ISO texts.
_diagnoser("case", rf"(?={_ISO})[^a-z]*+(?P<at>[a-z]).*")(lambda found: (found[0].upper(),))
_fault("iso-p", r"(?P<at>T)\d.*", r"P\g<0>")
_fault("iso-empty", r"P(?P<at>T)", "0s")
_fault("iso-empty", r"(P.+|)(?P<at>[PT])", r"\1")
_fault("iso-comma", r"(P[^,]*)(?P<at>,)(.*)", r"\1.\3")
# Without a letter: seconds; but after hours, minutes are as likely.
_fault("iso-unit", rf"PT{_NUMBER}H(?P<at>{_NUMBER})", r"\g<0>M", r"\g<0>S")
_fault("iso-unit", rf"PT(?>(?:{_NUMBER}[HM])*)(?P<at>{_NUMBER})", r"\g<0>S")
_fault("iso-unit", rf"P(?>(?:{_NUMBER}[YMWDHS])*(?:T(?:{_NUMBER}[YMWDHS])*)?)(?P<at>.).*")
_fault("iso-t", rf"(P(?>(?:{_NUMBER}[YWD])*))(?P<at>(?=.*[HS])(?>(?:{_NUMBER}[HMS])+))", r"\1T\2")
_fault("calendar", r"P([^A-Z]+)(?P<at>M)", r"PT\1M")
_fault("calendar", r"P(?:[^YMT]*(?=M)|[^Y]*(?=Y))(?P<at>[YM]).*")


@_diagnoser("iso-date", r"P[^WD]*(?P<at>[WD]).*")
def _added(found: Match[str]) -> tuple[str, ...] | _Fault:
    """`P1DT2H`, `1h30m`, `1.5s`: the sum in the smallest unit, several parts in ISO too if that has their units."""
    parts = _parts(found[0])
    units = [unit for _, unit in parts]
    total = _total(parts)
    if total is None:
        return _Fault("too-fine", found.start("at"))
    iso = len(parts) == len({*units} & {*"dhms"}) > 1
    return (_spell(total, min(units, key=_SCALES.__getitem__)), *([_spell_iso(total)] * iso))


@_diagnoser("iso-fraction", r"PT(?>(?:\d+(?:\.\d{1,9})?S|\d+[HM])*)\d*(?P<at>\.).*")
@_diagnoser("iso-order", rf"P(?>(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?)(?P<at>.).*")
def _added_iso(found: Match[str]) -> tuple[str, ...] | _Fault:
    """`PT1S1M`, `PT1.5M`; one part stays one part where it can: PT90S, not PT1M30S."""
    parts = _parts(found[0])
    total = _total(parts)
    if total is None:
        return _Fault("too-fine", found[0].index("."))
    alone = _match(r"\d+[hms]", _spell(total)) if len(parts) == 1 else None
    return (f"PT{alone[0].upper()}" if alone else _spell_iso(total),)


_fault("leading-zero", r"((?:.*?[A-Z])?)(?P<at>0+)(\d.*)", r"\1\3")

# Faults of numbers with units.
_GROUPED = r"((?:.*?[A-Za-z])?)([1-9]\d{0,2}(?P<at>[,'])\d{3}(?>(?:(?P=at)\d{3})*))((?:\.\d*)?[A-Za-z].*)"
_diagnoser("separator", _GROUPED)(lambda found: (found[1] + found[2].replace(found["at"], "") + found[4],))
_MALFORMED = rf"(?>(?:{_NUMBER}[A-Za-z]+)?)(?>(?:\d+(?:[.,]\d+)?[A-Za-z]+)*)\d*+(?P<at>[.,']).*"
_diagnoser("format", _MALFORMED)(_unwrapped)


@_diagnoser("unit", rf"((?>{_QUANTITY}*))({_NUMBER})(?P<at>[A-Za-z]+)(.*)")
def _renamed(found: Match[str]) -> _Fault:
    """`5secs`, `2S`, `1M`, `1w`, `1mo`."""
    before, number, word, after = found.groups()
    unit = _unit_of(word)
    reason = "case" if word.lower() in _UNITS else "calendar" if unit in ("mo", "y") else "unit"
    total = _total([(number, unit)]) if unit in _SCALES else None
    quantity = f"{number}{unit}" if unit in _UNITS else _spell(total or 0)
    repairs = () if total is None else (f"{before}{quantity}{after}",)
    return _Fault("case-m" if word == "M" else reason, found.start("at"), repairs)


_fault("compound", rf"(?>{_QUANTITY}*)(?<=h)(?P<at>\d\d)", r"\g<0>m")
_fault("compound", rf"(?>{_QUANTITY}*)(?<=m)(?P<at>\d\d)", r"\g<0>s")
_fault("compound", rf"(?>{_QUANTITY}+)(?P<at>\d+)")
_diagnoser("compound", rf"{_QUANTITY}(?P<at>\d).*")(_added)
_diagnoser("decimal", r"\d*(?P<at>[.,])\d*[a-z]+")(_added)
