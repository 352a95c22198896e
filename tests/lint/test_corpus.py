"""Code of other people, which has nothing to do with this library: there is nothing to find."""

from __future__ import annotations

import ast
import itertools
import re
import sysconfig
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from resilience4cata_lint.engine import Report, analyse
from resilience4cata_lint.options import load
from resilience4cata_lint.reading import Means

pytestmark = pytest.mark.slow

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
INSTALLED = Path(sysconfig.get_path("purelib"))
_MOST = 1_500_000
_LARGEST = 30_000
"""Characters of all rewritten modules, and of one: each of them is really analysed."""
_SIMILAR = re.compile(r"\b(retry|timeout|fallback|bulkhead|circuit_breaker|rate_limiter|hedge|order)\b")


def check(folder: Path) -> Report:
    """Analyse a folder with the options of nobody, without a cache."""
    return analyse([str(folder)], load([str(folder)]), means=Means())


@pytest.mark.parametrize("folder", [STANDARD_LIBRARY, INSTALLED], ids=["standard library", "installed"])
def test_as_it_is(folder: Path) -> None:
    """No module imports us, so nothing is reported."""
    report = check(folder)
    assert ([], []) == (report.diagnostics, report.failures)
    assert report.files > 500


def test_with_an_import_that_nobody_uses(tmp_path: Path) -> None:
    """Each module imports us for nothing. Those come first that use words of ours for something else."""
    written = 0
    for index, (path, text) in enumerate(modules()):
        target = tmp_path / f"package{index % 40}" / f"{path.stem}_{index}.py"
        target.parent.mkdir(exist_ok=True)
        target.write_text(importing(text, index), encoding="utf-8")
        written += len(text)
        if written > _MOST:
            break
    report = check(tmp_path)
    assert ([], []) == (report.diagnostics, report.failures)
    assert report.files >= _MOST // _LARGEST


def modules() -> Iterator[tuple[Path, str]]:
    """Every fourth module in UTF-8: those with words like ours, then others."""
    found = sorted([*INSTALLED.rglob("*.py"), *STANDARD_LIBRARY.glob("*.py"), *STANDARD_LIBRARY.glob("*/*.py")])
    texts = [(path, text) for path in found[::4] if (text := read(path)) is not None]
    yield from sorted(texts, key=lambda one: -len(set(_SIMILAR.findall(one[1]))))


def read(path: Path) -> str | None:
    try:
        with tokenize.open(path) as file:
            text = file.read()
            return text if file.encoding in {"utf-8", "utf-8-sig"} and len(text) < _LARGEST else None
    except (SyntaxError, UnicodeDecodeError):
        return None


def importing(text: str, index: int) -> str:
    """The module with an import of ours behind its docstring and its `from __future__`, under a name of its own."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    before = [*itertools.takewhile(_comes_first, tree.body)]
    if len(before) == len(tree.body):
        return text
    first = tree.body[len(before)]
    line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", []))])
    # A statement may share its line with what comes first.
    if before and before[-1].end_lineno == line:
        return text
    lines = text.split("\n")
    new = ("import resilience4cata as unused_of_ours", "from resilience4cata import retry as unused_of_ours")
    return "\n".join([*lines[: line - 1], new[index % 2], *lines[line - 1 :]])


def _comes_first(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
