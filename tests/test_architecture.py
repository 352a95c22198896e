"""The house stays in order: floors between modules, and sizes of files and functions."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    ROOT / "runtime" / "resilience4cata",
    ROOT / "mypy_plugin" / "resilience4cata_mypy",
    ROOT / "lint" / "resilience4cata_lint",
)
FOLDERS = ("runtime", "mypy_plugin", "lint", "tests", "fixtures")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def sources() -> Iterator[tuple[str, str]]:
    """Each module of the three packages: its path from the root, and its text."""
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end of the body; decorators are the caller's business."""
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def test_floors() -> None:
    """No module imports from a floor above its own."""
    # The script beside the interpreter, since the environment need not be activated.
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


def test_packages_are_found() -> None:
    """The checks of size look at something in each package."""
    assert [] == [package.name for package in PACKAGES if not (package / "__init__.py").is_file()]


def test_files_are_short() -> None:
    """No Python file of the project is longer than the limit, but for those that are named."""
    # Bytes, since some fixtures are in no encoding that they claim.
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines())
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    assert set(FOLDERS) == {path.partition("/")[0] for path in lengths}
    too_long = [path for path, lines in lengths.items() if lines > MAX_FILE_LINES]
    assert not too_long, "\n".join(f"{path}: {lengths[path]} lines" for path in too_long)


def test_functions_are_short() -> None:
    """No function is longer than the limit, what is nested in it included."""
    too_long = [
        f"{path}:{function.lineno}: {function.name}: {length(function)} lines, at most {MAX_FUNCTION_LINES}"
        for path, text in sources()
        for function in functions(ast.parse(text, path))
        if length(function) > MAX_FUNCTION_LINES
    ]
    assert not too_long, "\n".join(too_long)
