"""Files in the working folder."""

from __future__ import annotations

from pathlib import Path


def write(path: str, text: str = "") -> None:
    """Write a file with the folders above it, in UTF-8 and with the line ends that the text has."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8", newline="")
