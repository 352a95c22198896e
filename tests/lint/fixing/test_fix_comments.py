"""Comments that silence nothing."""

import pytest

from ..folder import write
from .repairing import repaired

HEAD = "from resilience4cata import retry, timeout\n\n\n"


def on_decorator(comment: str) -> str:
    """What becomes of a comment behind a decorator with which nothing is wrong."""
    source = f'{HEAD}@timeout("2s"){comment}\ndef f() -> None: ...\n'
    return repaired(source).removeprefix(f'{HEAD}@timeout("2s")').removesuffix("\ndef f() -> None: ...\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  # r4c: ignore[R4C-DU-001]", ""),
        ("\t# r4c: ignore[R4C-DU-001, R4C-DU-002,R4C-DU-003]", ""),
        ("  # r4c: ignore", ""),
        ("  # noqa: E501  # r4c: ignore[R4C-DU-001]", "  # noqa: E501"),
        ("  # r4c: ignore[R4C-DU-001]  # noqa: E501", "  # noqa: E501"),
        ("  # r4c: ignore[R4C-DU-001]  as agreed", "  # r4c: ignore[R4C-DU-001]  as agreed"),
        ("  # r4c: ignore[DU-1]", ""),
        ("  # r4c: ignore[nothing-like-it]", "  # r4c: ignore[nothing-like-it]"),
        ("  # r4c: ignore[nothing-like-it, R4C-DU-001]", "  # r4c: ignore[nothing-like-it]"),
        ("  # r4c: ignore[R4C-DU-001 , nothing-like-it]", "  # r4c: ignore[nothing-like-it]"),
    ],
)  # fmt: skip
def test_behind_code(before: str, after: str) -> None:
    """The codes that silence nothing go, with the whole comment if none is left, but not with somebody's words."""
    assert after == on_decorator(before)


def test_needed_one_stays() -> None:
    """Of two codes, the one that silences something."""
    source = f'{HEAD}@timeout("2 s")  # r4c: ignore[R4C-VA-001, R4C-DU-001]\ndef f() -> None: ...\n'
    assert source.replace("R4C-VA-001, ", "") == repaired(source)


def test_misspelt_code() -> None:
    """It is written as it was meant, and silences then."""
    source = f'{HEAD}@timeout("2 s")  # r4c: ignore[DU-001]\ndef f() -> None: ...\n'
    assert source.replace("[DU", "[R4C-DU") == repaired(source, "--select", "SUP,DU-001")


def test_line_of_its_own() -> None:
    """The whole line goes."""
    source = f"# r4c: file-ignore[R4C-NE-002]\n{HEAD}@retry()\ndef f() -> None: ...\n"
    assert f"{HEAD}@retry()\ndef f() -> None: ...\n" == repaired(source)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "resilience4cata.toml",
            '[resilience4cata.defaults]\n# r4c: ignore[R4C-CFG-011]\nretry = { delay = "1s" }\n',
            '[resilience4cata.defaults]\nretry = { delay = "1s" }\n',
        ),
        (
            "resilience4cata.toml",
            '[resilience4cata.defaults]\nretry = { delay = "#1s" }  # r4c: ignore[R4C-CFG-011]\n',
            '[resilience4cata.defaults]\nretry = { delay = "#1s" }\n',
        ),
        (
            "resilience4cata.properties",
            "! r4c: ignore[R4C-CFG-011, R4C-CFG-008]\r\nresilience4cata.defaults.retry.delay = 1s\r\n",
            "resilience4cata.defaults.retry.delay = 1s\r\n",
        ),
        (
            "resilience4cata.yaml",
            "resilience4cata:\n  # r4c: ignore[R4C-CFG-011]\n  defaults:\n    retry: {delay: 1s}\n",
            "resilience4cata:\n  defaults:\n    retry: {delay: 1s}\n",
        ),
    ],
    ids=["toml", "toml behind", "properties", "yaml"],
)
def test_in_configuration(path: str, before: str, after: str) -> None:
    write("acme.py", f"{HEAD}@retry()\ndef f() -> None: ...\n")
    assert after == repaired(before, "--select", "SUP-001", path=path)
