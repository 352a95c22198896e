"""How long `r4c check` takes on a large tree, beside `ruff check --no-cache --select F` on the same tree.

The tree is Home Assistant (about eleven thousand files) with twenty files planted in it that use the library, some
across modules and some with faults. Each tool runs in turn, so that both see the same machine; medians are printed, and
nothing fails by time.

    python tests/benchmarks/bench_linter.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

PACKAGE = "homeassistant==2026.11.0"
# pip would else refuse a package that the running interpreter is too old for; it is only read.
REQUIRES = ["--python-version", "3.14.9", "--only-binary", ":all:"]
PLANTED = 20
BIN = Path(sys.executable).parent

POLICIES = '''\
"""Composed policies of the planted files."""

from resilience4cata import bulkhead, circuit_breaker, resilience_policy, retry, timeout

external_call = resilience_policy(
    "external-call", retry(max_attempts=3, delay="100ms"), circuit_breaker(wait_in_open="30s"), timeout("2s")
)
internal_call = resilience_policy("internal-call", timeout("500ms"), bulkhead(max_concurrent=50))
'''

CLIENT = '''\
"""A planted client, number {number}."""

from homeassistant.planted.policies import external_call
from resilience4cata import fallback, retry, timeout


class Client{number}:
    """Calls something far away."""

    @external_call
    @fallback(method="find_fallbak")
    def find(self, key: str) -> str:
        """Fails in production: the fallback is misspelt."""
        return key.upper()

    def find_fallback(self, key: str) -> str:
        return key

    @retry(max_attempts=3, delay="100ms")
    @timeout("2s")
    async def load(self, key: str, limit: int = 10) -> list[str]:
        return [key] * limit

    @timeout("1,5s")
    def status(self) -> int:
        return 200
'''

USER = '''\
"""A planted user of the composed policies, number {number}: it never names the library."""

from .policies import internal_call


@internal_call
class Repository{number}:
    def get(self, key: str) -> str:
        return key
'''


def corpus() -> Path:
    """The tree, made once below the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "resilience4cata-bench"
    tree = cache / PACKAGE
    if not (tree / "complete").exists():
        shutil.rmtree(tree, ignore_errors=True)
        cache.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *REQUIRES]
        subprocess.run([*pip, "--dest", str(cache), PACKAGE], check=True)
        with zipfile.ZipFile(next(cache.glob(f"{PACKAGE.replace('==', '-')}-*.whl"))) as wheel:
            wheel.extractall(tree)
        (tree / "complete").touch()
    plant(tree / "homeassistant" / "planted")
    return tree


def plant(folder: Path) -> None:
    """Write the planted files: the policies, clients that name the library, and users that do not."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "policies.py").write_text(POLICIES, encoding="utf-8")
    for number in range(PLANTED - 1):
        template, name = (USER, "repository") if number % 4 == 3 else (CLIENT, "client")
        (folder / f"{name}_{number}.py").write_text(template.format(number=number), encoding="utf-8")


def python_files(tree: Path) -> list[Path]:
    return [path for path in tree.rglob("*.py") if path.is_file()]


def forget(files: Sequence[Path]) -> None:
    """Ask the system to drop what it keeps of these files, so that the next run reads them from the disk."""
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def seconds(command: Sequence[str], before: Callable[[], None]) -> float:
    before()
    began = time.perf_counter()
    result = subprocess.run(command, capture_output=True, check=False)
    took = time.perf_counter() - began
    if result.returncode not in {0, 1}:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr.decode(errors='replace')}")
    return took


def measured(tree: Path, rounds: int, before: Callable[[], None]) -> Iterator[tuple[str, list[float]]]:
    """Seconds of each tool, the tools taking turns."""
    commands = {
        "r4c check": [str(BIN / "r4c"), "check", str(tree)],
        "ruff check --no-cache --select F": [
            str(BIN / "ruff"),
            "check",
            "--no-cache",
            "--isolated",
            "--select",
            "F",
            str(tree),
        ],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(seconds(command, before))
    yield from times.items()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    tree = corpus()
    files = python_files(tree)
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.0f} MB, {PLANTED} of them planted; {os.cpu_count()} processors")
    caches: dict[str, Callable[[], None]] = {"warm page cache": lambda: None}
    if hasattr(os, "posix_fadvise"):
        caches["cold page cache"] = lambda: forget(files)
    for name, before in caches.items():
        print(name)
        medians = {}
        for tool, times in measured(tree, rounds, before):
            medians[tool] = statistics.median(times)
            print(f"  {tool:<34} {medians[tool]:6.2f} s  ({min(times):.2f} to {max(times):.2f})")
        ours, theirs = medians.values()
        print(f"  ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
