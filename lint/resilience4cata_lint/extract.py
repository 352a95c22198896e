"""From the bytes of one file to its facts, without looking at any other file."""

from __future__ import annotations

import ast
import codecs
import io
import sys
import tokenize
import warnings

from resilience4cata.facts import At, Unreadable

from .grammars import may_be_newer
from .index import Index
from .symbols import FileFacts
from .syntax import Lines
from .walk import Walk

__all__ = ["FileFacts", "extract"]


def extract(path: str, source: bytes, module: str, is_package: bool) -> FileFacts | Unreadable:
    """The facts of a file, or why it cannot be read. Never fails, whatever the bytes are.

    `path` is how the file is shown, `module` its dotted name, `is_package` whether it is the `__init__` of a package.
    """
    try:
        text = _decoded(source)
    except SyntaxError as error:  # the declared encoding is unknown, or contradicts the byte order mark
        return Unreadable(At(path, 1, 1), _reason(error.msg))
    except UnicodeDecodeError as error:
        return Unreadable(_undecodable(path, source, error), _reason(str(error)))
    except (LookupError, ValueError) as error:
        return Unreadable(At(path, 1, 1), _reason(str(error)))
    nul = text.find("\0")
    if nul >= 0:
        before = text[:nul]
        return Unreadable(
            At(path, before.count("\n") + 1, nul - before.rfind("\n")), "source code cannot contain null bytes"
        )
    return _parsed(path, text, module, is_package)


def _decoded(source: bytes) -> str:
    """The text as Python's own tokenizer sees it: decoded by PEP 263, line ends made one kind."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    text = source.removeprefix(codecs.BOM_UTF8).decode("utf-8" if encoding == "utf-8-sig" else encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parsed(path: str, text: str, module: str, is_package: bool) -> FileFacts | Unreadable:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        lines = Lines(text)
        return Index(Walk(tree, lines, module, is_package), path, module, is_package).facts()
    except SyntaxError as error:
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        return Unreadable(At(path, line, column), _refusal(error, text))
    except (RecursionError, MemoryError):  # the second is how Python's parser says that its stack is full
        return Unreadable(At(path, 1, 1), "nested too deeply to be read")
    except ValueError as error:  # lone surrogates, for example
        return Unreadable(At(path, 1, 1), _reason(str(error)))


def _undecodable(path: str, source: bytes, error: UnicodeDecodeError) -> At:
    before = source[: error.start]
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    # What stands before the first bad byte can be decoded.
    column = len(before[start:].decode(error.encoding, errors="replace").removeprefix("\ufeff")) + 1
    return At(path, line, column)


def _refusal(error: SyntaxError, text: str) -> str:
    """Why the parser refuses the text, and whose parser it is if that of a newer Python may take it."""
    reason = _reason(error.msg)
    lines = text.split("\n")
    line = lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
    if not may_be_newer(error.msg, line, sys.version_info[:2]):
        return reason
    ours = ".".join(map(str, sys.version_info[:2]))
    return f"{reason}, as Python {ours} reads it; run r4c with the Python of the project if that is newer"


def _reason(message: str) -> str:
    """Python's own words, as the part of a sentence."""
    text = message.strip().removesuffix(".")
    return text[:1].lower() + text[1:]
