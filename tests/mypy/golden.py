"""Golden files: programs together with what mypy must say about them.

A file `golden/<name>.case` holds one or more modules, each after a line `--- module.py`. What is expected stands below
the line that it is about, as comments that mypy never sees:

    @timeout("2 s")
    # E:10-15: @timeout("2 s") on places.app.f: "2 s" is not a duration: ...  [R4C-DU-001]
    # N:10-15: expected: ...

`E` is an error and `N` a note, followed by the first column and the last. `pytest tests/mypy --update-golden` rewrites
these comments to what mypy says now.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "golden"

_EXPECTATION: Final = re.compile(r"\s*# [EN]:\d+-\d+: ")
_MESSAGE: Final = re.compile(
    r"(?P<path>[^:]+):(?P<line>\d+):(?P<column>\d+):(?P<end_line>\d+):(?P<end>\d+): (?P<kind>error|note): (?P<text>.*)"
)
_SEPARATOR: Final = "--- "


@dataclass(frozen=True)
class Case:
    """A golden file: its name, and its modules' lines, expectations included."""

    name: str
    modules: Mapping[str, list[str]]

    def sources(self) -> dict[str, str]:
        """The modules as mypy sees them, by path."""
        return {
            f"{self.name}/{module}": "".join(f"{line}\n" for line in lines if not _EXPECTATION.match(line))
            for module, lines in self.modules.items()
        }

    def text(self) -> str:
        """The whole file."""
        return "".join(f"{_SEPARATOR}{module}\n" + "".join(f"{n}\n" for n in ls) for module, ls in self.modules.items())


def parse(name: str, text: str) -> Case:
    """Read a golden file. Raises ValueError if it begins with no module: what stands there would be lost on update."""
    if not text.startswith(_SEPARATOR):
        msg = f"{name}.case begins with no '{_SEPARATOR}module.py'"
        raise ValueError(msg)
    modules: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(_SEPARATOR):
            lines = modules.setdefault(line.removeprefix(_SEPARATOR), [])
        else:
            lines.append(line)
    return Case(name, modules)


def cases(folder: Path = FOLDER) -> list[Case]:
    """All golden files of a folder, by name."""
    return [parse(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.case"))]


def with_messages(case: Case, messages: Iterable[str]) -> Case:
    """The case with what mypy said in place of what was expected."""
    said: dict[tuple[str, int], list[str]] = defaultdict(list)
    for message in messages:
        found = _MESSAGE.match(message)
        if found is not None and found["path"].startswith(f"{case.name}/"):
            module = found["path"].removeprefix(f"{case.name}/")
            kind = "E" if found["kind"] == "error" else "N"
            said[module, int(found["line"])].append(f"# {kind}:{found['column']}-{found['end']}: {found['text']}")
    return Case(case.name, {module: list(_annotated(module, lines, said)) for module, lines in case.modules.items()})


def _annotated(module: str, lines: Iterable[str], said: Mapping[tuple[str, int], list[str]]) -> Iterable[str]:
    number = 0
    for line in lines:
        if _EXPECTATION.match(line):
            continue
        number += 1
        yield line
        indentation = line[: len(line) - len(line.lstrip())]
        for message in said.get((module, number), ()):
            yield f"{indentation}{message}"


def update(folder: Path, changed: Iterable[Case]) -> None:
    """Write golden files anew."""
    for case in changed:
        (folder / f"{case.name}.case").write_text(case.text(), encoding="utf-8")
