"""Where policies and definitions stand: exact, coarse, and where the source is of no help."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from resilience4cata.extract.places import shown
from resilience4cata.facts import Applied, At, Declaration, Kind, Slot

from ..live import Application


def test_a_function_with_every_place(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry, timeout

        @timeout("2s")
        @retry(
            max_attempts=3, delay="1s",
        )
        async def load(id: str) -> int:
            return 1
        """,
    )
    element = app.elements("acme")["acme.load"]
    timeout_at, retry_at = At("acme.py", 3, 2, 3, 15), At("acme.py", 4, 2, 6, 2)
    timeout = Declaration("timeout", {"value": Slot(("2s",), At("acme.py", 3, 10, 3, 14))}, timeout_at)
    slots = {
        "max_attempts": Slot((3,), At("acme.py", 5, 18, 5, 19)),
        "delay": Slot(("1s",), At("acme.py", 5, 27, 5, 31)),
    }
    retry = Declaration("retry", slots, retry_at)
    assert (Applied(timeout, timeout_at), Applied(retry, retry_at)) == element.definition.decorators
    found = element.definition
    assert ("acme.load", "load", "acme", Kind.FUNCTION) == (found.id, found.name, found.owner, found.kind)
    assert At("acme.py", 7, 11, 7, 15) == found.at
    assert (True, False, False, True) == (found.is_async, found.yields, found.abstract, found.decorators_known)
    assert ("acme", False) == (element.scope.id, element.scope.is_class)
    assert element.body is None


def test_coarse_places(app: Application) -> None:
    """Without reading the source, a call's own place is known, and the first line of a definition."""
    app.load(
        "acme",
        """
        from resilience4cata import retry

        @retry(max_attempts=3)
        def load(): ...
        """,
    )
    element = app.elements("acme", exact=False)["acme.load"]
    at = At("acme.py", 3, 2, 3, 23)
    assert {"max_attempts": Slot((3,), at.inside("max_attempts"))} == dict(element.policies[0].policy.slots)  # type: ignore[union-attr]
    assert At("acme.py", 3) == element.definition.at


def test_without_debug_ranges(app: Application) -> None:
    """Only lines are left."""
    file = app.write("bare.py", "from resilience4cata import retry\n@retry(max_attempts=0)\ndef load(): ...\n")
    code = compile(file.read_text(), str(file), "exec")
    namespace: dict[str, Any] = {"__name__": "bare"}
    exec(code.replace(co_linetable=_lines_only(code)), namespace)
    element = app.elements("bare")["bare.load"]
    assert At("bare.py", 2) == element.policies[0].at
    assert At("bare.py", 3, 5, 3, 9) == element.definition.at


def _lines_only(code: Any) -> bytes:
    """The line table of `code` without columns: one entry of kind 13 for each instruction."""
    table, previous = bytearray(), code.co_firstlineno
    for position in code.co_positions():
        line = previous if position[0] is None else position[0]
        delta, previous = line - previous, line
        zigzag = delta << 1 if delta >= 0 else ((-delta) << 1) | 1
        table.append(0x80 | (13 << 3))
        while zigzag >= 64:
            table.append(64 | (zigzag & 63))
            zigzag >>= 6
        table.append(zigzag)
    return bytes(table)


def test_columns_count_characters(app: Application) -> None:
    app.load(
        "acme",
        """
        from resilience4cata import retry

        class Ünïcode:
            größe = "ß"; x = retry(name="çé", delay="5")(lambda: None)
        @retry(name="çé", delay="5")
        def größe_laden(): ...
        """,
    )
    elements = app.elements("acme")
    slot = elements["acme.größe_laden"].policies[0].policy.slots["delay"]  # type: ignore[union-attr]
    assert At("acme.py", 5, 25, 5, 28) == slot.at
    assert At("acme.py", 6, 5, 6, 16) == elements["acme.größe_laden"].definition.at
    assert At("acme.py", 4, 22, 4, 49) == elements["acme.Ünïcode.x"].policies[0].policy.at


def test_source_that_is_gone_or_changed(app: Application) -> None:
    source = """
        from resilience4cata import retry

        @retry(max_attempts=0)
        def load(): ...
        """
    app.load("acme", source)
    app.write("acme.py", "x = (\n")
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]
    app.write("acme.py", "\n\n\n\n\n\n")
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]
    (app.folder / "acme.py").unlink()
    assert [At("acme.py", 3, 2, 3, 23)] == [d.at for d in app.diagnostics("acme")]


@pytest.mark.parametrize("wrapper", ["property", "staticmethod", "classmethod"])
def test_policies_on_both_sides_of_a_wrapper(app: Application, wrapper: str) -> None:
    """The one above is seen too, although the wrapper holds what the one below made."""
    app.load(
        "acme",
        f"""
        from resilience4cata import retry, timeout

        class Store:
            @timeout("3s")
            @{wrapper}
            @retry(max_attempts=2)
            def load(it): ...
        """,
    )
    codes = {"property": "R4C-LOC-001", "staticmethod": "R4C-LOC-002", "classmethod": "R4C-LOC-002"}
    assert [(codes[wrapper], 4)] == [(found.code, found.at.line) for found in app.diagnostics("acme")]


@pytest.mark.parametrize(
    ("filename", "folder", "expected"),
    [
        (r"C:\work\acme\app.py", PureWindowsPath("C:/work"), "acme/app.py"),
        (r"c:\WORK\acme\app.py", PureWindowsPath("C:/work"), "acme/app.py"),
        (r"D:\libs\acme\app.py", PureWindowsPath("C:/work"), "D:/libs/acme/app.py"),
        (r"\\server\share\app.py", PureWindowsPath("C:/work"), "//server/share/app.py"),
        (r"acme\app.py", PureWindowsPath("C:/work"), "acme/app.py"),
        ("<stdin>", PureWindowsPath("C:/work"), "<stdin>"),
        ("/srv/acme/app.py", PurePosixPath("/srv"), "acme/app.py"),
        ("/libs/acme/app.py", PurePosixPath("/srv"), "/libs/acme/app.py"),
        (r"/libs/a\b.py", PurePosixPath("/srv"), r"/libs/a\b.py"),
        ("<stdin>", PurePosixPath("/srv"), "<stdin>"),
    ],
)
def test_names_of_files(filename: str, folder: PurePath, expected: str) -> None:
    """Messages have forward slashes on Windows too, inside the working folder and outside of it."""
    assert expected == shown(filename, folder)
