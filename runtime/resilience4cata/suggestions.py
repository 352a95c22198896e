"""Which known word was probably meant: "did you mean", and when a rewrite is safe.

Words are compared *folded*: case and the characters ``-_.`` do not count, so ``waitInOpen``, ``wait-in-open`` and
``WAIT_IN_OPEN`` are one word. All functions are pure, and none ever suggests the word it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATED = {ord(separator): " " for separator in "-_."}


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant by ``word``, or None.

    Tried in this order: equal after folding; the smallest distance, if at most ``max(len, 3) // 3`` (``len`` of the
    folded word) and a letter is left of it; the same words in another order; the only candidate that ``word`` is the
    beginning of. Ties go to the alphabetically first. A word without any letter or digit of its own (``"--"``) means
    nothing.
    """
    wanted = _fold(word)
    if not wanted:
        return None
    others = sorted({candidate for candidate in candidates if candidate != word})
    folded = [(_fold(other), other) for other in others]
    return (
        next((other for fold, other in folded if fold == wanted), None)
        or _nearest(wanted, folded)
        or _reordered(word, others)
        or _completed(wanted, folded)
    )


def did_you_mean_path(word: str, candidates: Iterable[str]) -> str | None:
    """The same for dotted paths and ids (``acme.payments.Client#charge``), compared part by part.

    What paths have in common says nothing about the part that differs, so each part has to be near its counterpart.
    With fewer or more parts, the only path with the same end is meant, or the only one that begins so.
    """
    wanted = _parts(word)
    others = sorted({candidate for candidate in candidates if candidate != word})
    best, least = None, None
    for other in others:
        found = _apart(wanted, _parts(other), least)
        if found is not None and (least is None or found < least):
            best, least = other, found
    return best or _with_end(wanted, others) or _completed(_fold(word), [(_fold(other), other) for other in others])


def certain(word: str, suggestion: str, candidates: Iterable[str] = ()) -> bool:
    """Whether writing ``suggestion`` for ``word`` is a safe fix: equal after folding, or one edit away.

    Where ``candidates`` are given, none of them but ``suggestion`` may be as near: a second word that is equal after
    folding spoils an equal one, a second word within one edit spoils a near one.
    """
    reach = _within_one(word, suggestion)
    if reach is None:
        return False
    rivals = (_within_one(word, other) for other in candidates if other != suggestion)
    return all(rival is None or rival > reach for rival in rivals)


def distance(word: str, other: str) -> int:
    """Edits between two words as written: insert, delete, replace, swap two neighbours (optimal string alignment)."""
    return _distance(_bits(word), len(word), other, max(len(word), len(other)))


def _fold(word: str) -> str:
    """The word without case and separators."""
    # Three times as fast as a table for `translate`.
    return word.casefold().replace("-", "").replace("_", "").replace(".", "")


def _within_one(word: str, other: str) -> int | None:
    """Distance of two folded words if it is 0 or 1, else None; None also for a word and itself, and for empty ones."""
    left, right = _fold(word), _fold(other)
    if word == other or not left or not right or abs(len(left) - len(right)) > 1:
        return None
    if _is_another_word(left, right):
        return None
    found = _distance(_bits(left), len(left), right, 1)
    return found if found <= 1 else None


def _is_another_word(left: str, right: str) -> bool:
    """Whether two folded words have no letter in common: one letter in place of another one is no slip."""
    return set(left).isdisjoint(right)


def _nearest(wanted: str, folded: list[tuple[str, str]]) -> str | None:
    """The candidate at the smallest tolerated distance; the first of equals, so ``folded`` comes sorted."""
    limit = max(len(wanted), 3) // 3
    bits = _bits(wanted)
    letters = frozenset(wanted)
    best = None
    for fold, candidate in folded:
        # One edit changes at most two members of the set of letters: a bound that costs far less than the distance.
        if not fold or abs(len(fold) - len(wanted)) > limit or len(letters.symmetric_difference(fold)) > 2 * limit:
            continue
        if _is_another_word(wanted, fold):
            continue
        found = _distance(bits, len(wanted), fold, limit)
        if found <= limit:
            best, limit = candidate, found - 1
            if limit < 1:
                break
    return best


def _reordered(word: str, others: list[str]) -> str | None:
    """The first candidate that has the same words in another order (``delay_max`` for ``max_delay``)."""
    words = _words(word)
    if len(words) < 2:
        return None
    return next((other for other in others if _words(other) == words), None)


def _completed(wanted: str, folded: list[tuple[str, str]]) -> str | None:
    """The candidate that begins with the wanted word, if there is exactly one."""
    longer = [candidate for fold, candidate in folded if fold.startswith(wanted)]
    return longer[0] if len(longer) == 1 else None


def _words(name: str) -> list[str]:
    """The words of a name in alphabetical order; ``-_.`` and humps (``maxDelay``) separate them."""
    spaced = "".join(
        f" {character}" if character.isupper() and before.islower() else character
        for before, character in zip(" " + name, name, strict=False)
    )
    return sorted(spaced.translate(_SEPARATED).casefold().split())


def _parts(path: str) -> list[str]:
    return path.replace("#", ".").split(".")


def _apart(wanted: list[str], parts: list[str], least: int | None) -> int | None:
    """The distance of two paths, if each of their parts is near the other's; None also if it is not below ``least``."""
    if len(wanted) != len(parts):
        return None
    total = 0
    for part, other in zip(wanted, parts, strict=True):
        if part != other:
            near = _part_apart(part, other)
            if near is None or (least is not None and total + near >= least):
                return None
            total += near
    return total


def _part_apart(part: str, other: str) -> int | None:
    wanted, fold = _fold(part), _fold(other)
    if wanted == fold:
        return 0
    if wanted and _nearest(wanted, [(fold, other)]) is not None:
        return distance(wanted, fold)
    return 1 if _reordered(part, [other]) is not None else None


def _with_end(wanted: list[str], others: list[str]) -> str | None:
    """The only path that ends with all these parts, or that these end with; one part alone says too little."""
    found = [other for other in others if _have_one_end(wanted, _parts(other))]
    return found[0] if len(found) == 1 else None


def _have_one_end(wanted: list[str], parts: list[str]) -> bool:
    shared = min(len(wanted), len(parts))
    return shared > 1 and len(wanted) != len(parts) and wanted[-shared:] == parts[-shared:]


def _bits(word: str) -> dict[str, int]:
    """For each character, an integer whose bit ``i`` is set where the word has the character at ``i``."""
    bits: dict[str, int] = {}
    for index, character in enumerate(word):
        bits[character] = bits.get(character, 0) | 1 << index
    return bits


def _distance(bits: dict[str, int], length: int, other: str, limit: int) -> int:
    """Optimal string alignment distance of the word of ``bits`` and ``length`` to ``other``.

    Anything above ``limit`` may come back as ``limit + 1``. A column of the table of distances is held in two
    integers, one bit for each row that is one more (``rises``) or one less (``falls``) than the row above, so a
    character costs a handful of operations whatever the length of the word. Source: H. Hyyrö, "A bit-vector algorithm
    for computing Levenshtein and Damerau edit distances", Nordic Journal of Computing 10 (2003), figure 5.
    """
    if not length:
        return min(len(other), limit + 1)
    everywhere = (1 << length) - 1
    last = 1 << (length - 1)
    rises, falls, diagonal, matches_before = everywhere, 0, 0, 0
    score, remaining = length, len(other)
    for character in other:
        matches = bits.get(character, 0)
        swapped = ((~diagonal & matches) << 1) & matches_before
        diagonal = ((((matches & rises) + rises) ^ rises) | matches | falls | swapped) & everywhere
        right_up = falls | (everywhere & ~(diagonal | rises))
        right_down = diagonal & rises
        if right_up & last:
            score += 1
        elif right_down & last:
            score -= 1
        # Each remaining character can lower the last row by one at most.
        remaining -= 1
        if score - remaining > limit:
            return limit + 1
        right_up = right_up << 1 | 1
        rises = (right_down << 1 | ~(diagonal | right_up)) & everywhere
        falls = right_up & diagonal
        matches_before = matches
    return score
