"""What was probably meant by an unknown word, and when a rewrite is safe."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata.suggestions import certain, did_you_mean, did_you_mean_path, distance

NAMES = [
    *("backoff", "delay", "failure_rate_threshold", "half_open_calls", "initial_limit", "jitter", "max_attempts"),
    *("max_delay", "max_duration", "max_wait", "minimum_calls", "multiplier", "wait_in_open", "window_size"),
    "window_type",
]

# Few letters, so that words are often near one another; separators and case, so that they are often equal.
WORDS = st.text("abAB_-.", max_size=7)


def fold(word: str) -> str:
    return "".join(character for character in word.casefold() if character not in "-_.")


def alignment(word: str, other: str) -> int:
    """Optimal string alignment distance by the definition: the whole table, row by row."""
    table = [[max(row, column) for column in range(len(other) + 1)] for row in range(len(word) + 1)]
    for row in range(1, len(word) + 1):
        for column in range(1, len(other) + 1):
            cost = table[row - 1][column - 1] + (word[row - 1] != other[column - 1])
            cost = min(cost, table[row - 1][column] + 1, table[row][column - 1] + 1)
            if row > 1 and column > 1 and word[row - 2 : row] == other[column - 2 : column][::-1]:
                cost = min(cost, table[row - 2][column - 2] + 1)
            table[row][column] = cost
    return table[-1][-1]


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [
        ("waitInOpen", "wait_in_open"),
        ("WAIT-IN.OPEN", "wait_in_open"),
        ("wait-in-opne", "wait_in_open"),
        ("multiplyer", "multiplier"),
        ("max_atempts", "max_attempts"),
        ("jtter", "jitter"),
        ("deley", "delay"),
        ("maximum_calls", "minimum_calls"),
        ("attempts_max", "max_attempts"),
        ("OpenInWait", "wait_in_open"),
        ("threshold.failure.rate", "failure_rate_threshold"),
        ("fail", "failure_rate_threshold"),
        ("min", "minimum_calls"),
        ("max_at", "max_attempts"),
        # Two names begin so.
        ("window", None),
        # Three edits, where five letters allow one.
        ("dolly", None),
        ("timeout", None),
        ("", None),
        ("--", None),
    ],
)
def test_did_you_mean(word: str, suggestion: str | None) -> None:
    """Equal after folding, then near, then the same words, then the only beginning; else nothing."""
    assert suggestion == did_you_mean(word, NAMES)


@pytest.mark.parametrize(
    ("word", "candidates", "suggestion"),
    [
        ("a-b", ["a_b_", "ab", "A_B"], "A_B"),
        ("cat", ["cut", "bat", "cot"], "bat"),
        ("delay", ["delays", "delay"], "delays"),
        ("delay", ["delay"], None),
        ("delay", [], None),
        # Equal after folding beats an earlier name at distance 1.
        ("max_wait", ["max_bait", "maxwait"], "maxwait"),
        # The nearest wins, not the first that is near enough.
        ("failures", ["faileres", "fallibes"], "faileres"),
        ("abcdef", ["aacdex", "abcdex"], "abcdex"),
        ("abcdefghi", ["aacdefgxx", "abcdefgxx"], "abcdefgxx"),
        # A near name beats the same words in another order.
        ("to_a_b", ["b_a_to", "to_a_c"], "to_a_c"),
        # Other words in common are not the same words.
        ("size_of_window", ["window_size"], None),
        ("delay_delay_max", ["max_delay"], None),
        # A name given twice is one name.
        ("thresh", ["threshold_of_failures"] * 2, "threshold_of_failures"),
        # One letter in place of another is another word.
        ("a", ["h"], None),
        ("a", ["h", "ha"], "ha"),
        # A longer word is no beginning of a shorter one.
        ("max_attempts_of_call", ["max"], None),
    ],
)
def test_order_of_preference(word: str, candidates: list[str], suggestion: str | None) -> None:
    """Nearer kinds come first, ties are alphabetical, and the word itself is never suggested."""
    assert suggestion == did_you_mean(word, candidates)
    assert suggestion == did_you_mean(word, iter(candidates[::-1]))


@pytest.mark.parametrize(
    ("word", "limit"), [("a", 1), ("abcde", 1), ("abcdef", 2), ("abcdefgh", 2), ("abcdefghi", 3), ("a_b_c_d_e", 1)]
)
def test_limit_of_distance(word: str, limit: int) -> None:
    """A third of the folded word's length may be wrong, rounded down, and always one letter."""
    near, far = word + "x" * limit, "x" * (limit + 1) + word
    assert (near, None) == (did_you_mean(word, [near]), did_you_mean(word, [far]))


@given(WORDS, st.lists(WORDS, max_size=6))
@example("ab", ["ba", "a_b", "AB"])
def test_suggestion_is_another_candidate(word: str, candidates: list[str]) -> None:
    """A suggestion is one of the candidates, never the word, and the order of the candidates does not matter."""
    suggestion = did_you_mean(word, candidates)
    assert suggestion is None or suggestion in candidates
    assert suggestion != word
    assert suggestion == did_you_mean(word, sorted(candidates, reverse=True))


@given(WORDS, st.lists(WORDS, max_size=6))
def test_nearest_candidate_is_suggested(word: str, candidates: list[str]) -> None:
    """As long as a candidate is near enough, the suggestion is the first of the nearest."""
    others = [other for other in candidates if other != word and set(fold(other)) & set(fold(word))]
    limit = max(len(fold(word)), 3) // 3
    near = [(found, other) for other in others if (found := alignment(fold(word), fold(other))) <= limit]
    if fold(word) and near:
        assert min(near)[1] == did_you_mean(word, candidates)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
@example("ca", "abc")
@example("", "ab")
@example("ab", "")
def test_distance(word: str, other: str) -> None:
    """The bit-vector distance is the one of the definition, in both directions."""
    expected = alignment(word, other)
    assert (expected, expected) == (distance(word, other), distance(other, word))


@given(st.text(max_size=90), st.text(max_size=90))
def test_distance_of_any_text(word: str, other: str) -> None:
    """The same for long words of any characters, beyond the width of a machine word."""
    assert alignment(word, other) == distance(word, other)


@pytest.mark.parametrize(
    ("word", "suggestion", "candidates", "expected"),
    [
        ("waitInOpen", "wait_in_open", (), True),
        ("wait-in-opne", "wait_in_open", (), True),
        ("deley", "delay", (), True),
        ("delay", "delay", (), False),
        ("dolly", "delay", (), False),
        ("fail", "failure_rate", (), False),
        ("max_delay", "delay_max", (), False),
        ("", "a", (), False),
        ("--", "-", (), False),
        ("a", "-", (), False),
        ("deley", "delay", ("delay", "deley", "jitter"), True),
        ("cat", "cut", ("cut", "bat"), False),
        ("cat", "cut", ("cut", "cats"), False),
        # Equal after folding is nearer than one edit.
        ("max_wait", "maxwait", ("maxwait", "max_bait"), True),
        ("max_bat", "max_bait", ("max_bait", "maxbat"), False),
        ("max_wait", "maxwait", ("maxwait", "max-wait"), False),
    ],
)
def test_certain(word: str, suggestion: str, candidates: tuple[str, ...], expected: bool) -> None:
    """A rewrite is safe at distance 1 or if equal after folding, unless another candidate is as near."""
    assert expected is certain(word, suggestion, candidates)


@given(WORDS, WORDS)
def test_certain_without_candidates(word: str, suggestion: str) -> None:
    """By itself, certainty is a distance of at most 1 between folded words that are written differently.

    One letter in place of another one is no slip but another word.
    """
    near = alignment(fold(word), fold(suggestion)) <= 1
    in_common = bool(set(fold(word)) & set(fold(suggestion)))
    assert (near and word != suggestion and in_common) is certain(word, suggestion)


@given(WORDS, st.lists(WORDS, max_size=6))
def test_certain_suggestion_is_the_one_suggested(word: str, candidates: list[str]) -> None:
    """Where one candidate is certain, it is the one that is suggested, and no other is certain too."""
    safe = {candidate for candidate in candidates if certain(word, candidate, candidates)}
    if safe:
        assert {did_you_mean(word, candidates)} == safe


def test_thousands_of_candidates_are_quick() -> None:
    """Twenty thousand names take a fraction of a second, near or not."""
    candidates = [f"acme.payments.client_{number}.charge_customer_{number % 97}" for number in range(20_000)]
    started = time.process_time()
    assert candidates[777] == did_you_mean("acme.payments.cleint_777.charge_customer_1", candidates)
    assert time.process_time() - started < 3


def test_long_words_are_quick() -> None:
    """Words of ten thousand characters are compared without a table of a hundred million cells."""
    word = "abcdefghij" * 1000
    other = word[:5000] + "x" + word[5001:]
    started = time.process_time()
    assert other == did_you_mean(word, [other, word[::-1], "short", word * 2])
    assert time.process_time() - started < 3


IDS = [
    "acme.payments.clients.PaymentsClient#charge",
    "acme.payments.clients.PaymentsClient#refund",
    "acme.payments.clients.RefundsClient#send",
    "acme.payments.clients#ping",
    "payments",
]


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [
        # What paths have in common says nothing about the rest.
        ("acme.payments.clients.Foo#bar", None),
        ("acme.payments.clients.UserClient#send", None),
        ("acme.payments.users#ping", None),
        ("acme.payments.clients#xyz", None),
        # Each part is near its counterpart.
        ("acme.payment.clints.PaymentClient#chrge", IDS[0]),
        ("acme.payments.clients.payments_client#refund", IDS[1]),
        ("acme.payments.clients.ping", IDS[3]),
        ("payment", "payments"),
        # Parts are missing in front, or there are too many.
        ("PaymentsClient#charge", IDS[0]),
        ("src.acme.payments.clients#ping", IDS[3]),
        ("charge", None),
        ("", None),
        (".", None),
    ],
)
def test_paths(word: str, suggestion: str | None) -> None:
    """Paths are compared part by part."""
    assert suggestion == did_you_mean_path(word, IDS)
