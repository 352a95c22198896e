"""The lines of files, for those who have something to show or to look up there."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping, Sequence

from resilience4cata.records import dataclass, field

from . import files


@dataclass(slots=True)
class Sources:
    """Reads files once. `texts` holds what is in no file, by shown path."""

    texts: Mapping[str, bytes] = field(default_factory=dict)
    _lines: dict[str, Sequence[str]] = field(default_factory=dict)

    def data(self, path: str) -> bytes:
        """What is in the file shown as `path`; nothing if it cannot be read any more."""
        try:
            return self.texts[path] if path in self.texts else files.read(path)
        except OSError:
            return b""

    def lines(self, path: str) -> Sequence[str]:
        """The lines of the file shown as `path`, without line ends; none if it cannot be read any more."""
        if path not in self._lines:
            data = self.data(path)
            # Split as Python and its parsers do: form feeds and Unicode separators end no line.
            text = _decoded(data).replace("\r\n", "\n").replace("\r", "\n")
            self._lines[path] = text.split("\n")
        return self._lines[path]


def _decoded(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding, errors="replace")
    except (SyntaxError, LookupError, ValueError):  # no encoding, none for text, or one that refuses (`undefined`)
        return data.decode("utf-8-sig", errors="replace")
