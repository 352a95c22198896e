"""Caches that are damaged, foreign, or made by somebody who means harm: they count as empty."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from resilience4cata_lint import store
from resilience4cata_lint.codec import decode
from resilience4cata_lint.store import Store, digest
from tests.lint.cached_project import check, entries, make_project, uncached
from tests.lint.folder import write

VERSION = "0" * 32
OTHER = "1" * 32
DAY = 86_400


@pytest.fixture(autouse=True, scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project, in the working folder, with a full cache."""
    folder, before = tmp_path_factory.mktemp("project"), Path.cwd()
    os.chdir(folder)
    make_project()
    yield folder
    os.chdir(before)


@pytest.fixture(scope="module")
def expected(here: Path) -> tuple[int, str, str]:
    """What a check says."""
    return uncached()


@pytest.fixture(scope="module")
def kept(here: Path) -> dict[Path, bytes]:
    """The entries of a cache that is as it should be."""
    check()
    return {path: path.read_bytes() for path in entries()}


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)
# Whole runs: how long one takes says nothing about it.
few = settings(max_examples=30, deadline=None)


def signed(value: object) -> bytes:
    """Data with a checksum that is right."""
    text = json.dumps(value).encode()
    return digest(text).encode() + b"\n" + text


@few
@given(st.binary(max_size=300))
def test_any_bytes(expected: tuple[int, str, str], kept: dict[Path, bytes], data: bytes) -> None:
    """Property: whatever stands in all entries, the check says what it says without them."""
    for path in kept:
        path.write_bytes(data)
    assert expected == check()


@few
@given(st.floats(0, 1))
def test_any_cut(expected: tuple[int, str, str], kept: dict[Path, bytes], part: float) -> None:
    """Property: entries that end early count as not there."""
    for path, content in kept.items():
        path.write_bytes(content[: int(part * len(content))])
    assert expected == check()


@few
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_any_other_byte(expected: tuple[int, str, str], kept: dict[Path, bytes], part: float, change: int) -> None:
    """Property: entries that have another byte somewhere count as not there."""
    for path, content in kept.items():
        changed = bytearray(content)
        changed[int(part * len(content))] ^= change
        path.write_bytes(changed)
    assert expected == check()


@few
@given(plain)
def test_any_value_with_a_right_checksum(
    expected: tuple[int, str, str], kept: dict[Path, bytes], value: object
) -> None:
    """Property: data of any shape, saved as the linter saves its own, counts as not there."""
    for path in kept:
        path.write_bytes(signed(value))
    assert expected == check()


@few
@given(plain)
def test_facts_and_notes_of_any_shape(expected: tuple[int, str, str], kept: dict[Path, bytes], value: object) -> None:
    """Property: an entry that belongs to its file or run, and holds anything but facts or notes, is made anew."""
    # A run that asked nothing says the same for ever.
    assume(value != {})
    for path, content in kept.items():
        entry = json.loads(content.partition(b"\n")[2])
        entry["facts" if path.name.startswith("facts-") else "notes"] = value
        path.write_bytes(signed(entry))
    assert expected == check()


@given(plain)
def test_decoding_anything(value: object) -> None:
    """Property: what are no facts is refused in one way."""
    with pytest.raises(ValueError, match="no facts"):
        decode(value, "a.py")


def test_deep_data() -> None:
    """Data that is nested beyond measure is damaged data."""
    kept = Store("deep", VERSION)
    kept.save("name", 1)
    text = b"[" * 100_000 + b"]" * 100_000
    Path("deep", VERSION, "name.json").write_bytes(digest(text).encode() + b"\n" + text)
    assert kept.load("name") is None


def test_large_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a size that the linter never writes is not read."""
    kept = Store("large", VERSION)
    kept.save("name", "x" * 100)
    monkeypatch.setattr(store, "_LARGEST", 100)
    assert kept.load("name") is None


def test_what_is_saved() -> None:
    """Plain data comes back as it was, to the type."""
    kept = Store("plain", VERSION)
    value = {"a": [1, 1.0, True, None, "ä€𝄞\0", -(10**3000)], "b": [], "c": {}}
    kept.save("name", value)
    assert repr(value) == repr(kept.load("name"))


def test_texts_that_are_no_unicode() -> None:
    """Two surrogates would come back as one character: such data is not saved, nor left half written."""
    kept = Store("surrogates", VERSION)
    kept.save("name", "\ud800\udc00")
    assert kept.load("name") is None
    assert [] == list(Path("surrogates", VERSION).iterdir())


def test_another_version() -> None:
    """What another version saved is not looked at."""
    Store("versions", VERSION).save("name", 1)
    assert Store("versions", OTHER).load("name") is None


def test_others_are_told() -> None:
    """Git leaves the folder out, and so do programs that know the tag."""
    Store("told", VERSION).save("name", 1)
    assert "*\n" == Path("told/.gitignore").read_text(encoding="ascii")
    assert (
        Path("told/CACHEDIR.TAG").read_text(encoding="ascii").startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )


def test_what_is_old_is_removed() -> None:
    """Versions that nobody used for a month, and what runs that were killed left a day ago."""
    Store("old", OTHER).save("name", 1)
    Store("old", VERSION).save("name", 1)
    left = Path("old", VERSION, "name.1.2.tmp")
    recent = Path("old", VERSION, "name.3.4.tmp")
    write(str(left), "")
    write(str(recent), "")
    for path, days in ((left, 2), (Path("old", OTHER), 31)):
        at = path.stat().st_mtime - days * DAY
        os.utime(path, (at, at))
    Store("old", VERSION).save("other", 1)
    assert [".gitignore", VERSION, "CACHEDIR.TAG"] == sorted(path.name for path in Path("old").iterdir())
    assert ["name.3.4.tmp", "name.json", "other.json"] == sorted(path.name for path in Path("old", VERSION).iterdir())
