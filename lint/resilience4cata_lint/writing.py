"""Writing files so that nobody ever sees half of one."""

# Paths stay the texts they were given as.
# ruff: noqa: PTH101, PTH105, PTH108, PTH116, PTH120

from __future__ import annotations

import contextlib
import os
import tempfile


def write(path: str, content: bytes) -> None:
    """Replace the file at `path` in one step, or make it; its mode is kept, and a link stays one. Raises OSError."""
    target = os.path.realpath(path)
    handle, name = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".r4c-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            # Windows removes nothing that may not be written to.
            os.chmod(name, 0o600)
            os.unlink(name)
        raise


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
