"""What Python itself is written in: `make test-packages`.

Nobody wrote the standard library with policies in mind, and it has every kind of function. The plugin must say nothing
about it, must change nothing of what mypy says, and must survive policies on all of its functions and classes.
"""

from __future__ import annotations

import ast
import json
import sysconfig
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from tests.mypy.running import mypy, write

LIBRARY = Path(sysconfig.get_path("stdlib"))
PACKAGES = (
    "asyncio",
    "collections",
    "concurrent",
    "ctypes",
    "email",
    "html",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "sqlite3",
    "tomllib",
    "unittest",
    "urllib",
    "wsgiref",
    "xml",
    "zoneinfo",
)
CONFIGURATION = """\
[mypy]
check_untyped_defs = True
plugins = resilience4cata_mypy
mypy_path = $MYPY_CONFIG_FILE_DIR
"""
IMPORTS = "\nfrom resilience4cata import bulkhead, circuit_breaker, fallback, resilience_policy, retry, timeout\n"
POLICIES = (
    "@retry(max_attempts=3)",
    '@timeout("2s")',
    '@fallback(method="close")',
    "@bulkhead(max_concurrent=5)",
    "@circuit_breaker(failure_rate_threshold=50)",
    '@resilience_policy("library", retry(max_attempts=2), timeout("1s"))',
    "@retry",
)


def sources() -> Iterator[tuple[str, str]]:
    """Modules of the library: all that are no packages, and those of the packages above."""
    paths = [*LIBRARY.glob("*.py"), *(path for package in PACKAGES for path in (LIBRARY / package).rglob("*.py"))]
    for path in sorted(paths):
        name = path.relative_to(LIBRARY)
        if "test" not in name.parts:
            yield name.as_posix(), path.read_text(encoding="utf-8")


def with_policies(source: str) -> str:
    """The module with a policy on each function and each class, the outermost decorator."""
    lines = source.splitlines(keepends=True)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    for node, policy in zip(sorted(nodes, key=lambda node: -node.lineno), cycle(POLICIES), strict=False):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines.insert(first - 1, f"{' ' * node.col_offset}{policy}\n")
    return "".join(lines)


def said(folder: Path, *, plugin: bool, decorated: bool) -> list[dict[str, object]]:
    """What mypy says about copies of the modules in a package of their own, each with imports of policies."""
    modules = {
        f"library/{name}": (with_policies(source) if decorated else source) + IMPORTS for name, source in sources()
    }
    configuration = CONFIGURATION if plugin else CONFIGURATION.replace("plugins = resilience4cata_mypy\n", "")
    write(folder, {"mypy.ini": configuration, "library/__init__.py": "", **modules})
    result = mypy(folder, "--output", "json", cache=folder / "cache")
    return [json.loads(line) for line in result.output.splitlines()]


def is_ours(message: dict[str, object]) -> bool:
    return str(message["code"]).startswith("R4C")


@pytest.mark.parametrize("decorated", [False, True], ids=["as it is", "decorated"])
def test_nothing_else_changes(decorated: bool, tmp_path: Path) -> None:
    """mypy says the same with the plugin and without it, but for findings where there are policies."""
    found = {plugin: said(tmp_path / str(plugin), plugin=plugin, decorated=decorated) for plugin in (False, True)}
    assert found[False], "mypy has much to say about the library"
    assert found[False] == [message for message in found[True] if not is_ours(message)]
    assert decorated == any(map(is_ours, found[True]))
