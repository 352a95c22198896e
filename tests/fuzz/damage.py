"""Real files with something deleted, repeated or exchanged, the same at every run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")


def real_files(*suffixes: str) -> list[Path]:
    """The files of the fixtures with these suffixes, in a fixed order."""
    folders = (ROOT / "fixtures" / "rules", ROOT / "fixtures" / "shop")
    hidden = {".r4c_cache", ".mypy_cache", "__pycache__"}
    found = (path for folder in folders for path in folder.rglob("*") if not hidden & set(path.parts))
    return sorted(path for path in found if path.suffix in suffixes and path.is_file())


def damaged(files: list[Path], number: int, seed: int) -> Iterator[bytes]:
    """So many contents, each of a file with one to three damages."""
    chance = random.Random(seed)
    for _ in range(number):
        content = chance.choice(files).read_bytes()
        for _ in range(chance.randint(1, 3)):
            content = _damage(content, chance)
        yield content


def _damage(content: bytes, chance: random.Random) -> bytes:
    parts = _TOKEN.findall(content) if chance.random() < 0.8 else [bytes([byte]) for byte in content]
    if len(parts) < 2:
        return content
    at, other = sorted(chance.sample(range(len(parts)), 2))
    match chance.randrange(5):
        case 0:
            del parts[at]
        case 1:
            parts.insert(other, parts[at])
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case 3:
            parts[at : at + 1] = [bytes([chance.randrange(256)])]
        case _:
            # The rest of the file is lost.
            del parts[other:]
    return b"".join(parts)
