"""What `r4c check` costs, as ratios to other tools that look at the same files in the same run.

The tree is Home Assistant (about eleven thousand files) with twenty files planted in it that use the library, some
across modules and some with faults. Tools take turns, so that all see the same machine; medians count. It fails if a
budget is exceeded.

    python tests/benchmarks/bench_linter.py [--rounds 7] [--only tree,cached,file,flake8,fixit,memory,growth]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from installed import compile_packages  # type: ignore[import-not-found]  # beside this script, in no package

PACKAGE = "homeassistant==2026.11.0"
# pip would else refuse a package that the running interpreter is too old for; it is only read.
REQUIRES = ["--python-version", "3.14.9", "--only-binary", ":all:"]
PLANTED = 20
MANY = 100_000
BIN = Path(sys.executable).parent
R4C = [str(BIN / "r4c"), "check"]
RUFF = [str(BIN / "ruff"), "check", "--isolated", "--select", "F"]

# Others' tools, in an environment that knows nothing of ours.
PEERS = ("flake8>=7.2,<8", "fixit>=2.1,<3")

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
    cache = cache_folder()
    tree = cache / PACKAGE
    if not (tree / "complete").exists():
        shutil.rmtree(tree, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *REQUIRES]
        subprocess.run([*pip, "--dest", str(cache), PACKAGE], check=True)
        with zipfile.ZipFile(next(cache.glob(f"{PACKAGE.replace('==', '-')}-*.whl"))) as wheel:
            wheel.extractall(tree)
        plant(tree / "homeassistant" / "planted")
        (tree / "complete").touch()
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


class Line(NamedTuple):
    """A line of the table: what was measured, and the most that it may be."""

    name: str
    value: float
    budget: float
    unit: str = "x"
    hint: str = ""


def cache_folder() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "resilience4cata-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def peers() -> Path:
    """Where the programs of the other tools are, installed once."""
    folder = cache_folder() / "peers"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *PEERS], check=True)
        (folder / "complete").touch()
    return folder / "bin"


def seconds(command: Sequence[str], folder: Path | None = None) -> float:
    began = time.perf_counter()
    result = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    took = time.perf_counter() - began
    if result.returncode not in {0, 1}:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr.decode(errors='replace')}")
    return took


def medians(
    commands: Sequence[Sequence[str]], rounds: int, folder: Path | None = None, before: Callable[[], None] | None = None
) -> list[float]:
    """Median seconds of each command; they take turns, each after `before`."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(rounds):
        for command, measured in zip(commands, times, strict=True):
            if before is not None:
                before()
            measured.append(seconds(command, folder))
    return list(map(statistics.median, times))


def ratio(name: str, times: Sequence[float], budget: float) -> Line:
    ours, theirs = times
    return Line(name, ours / theirs, budget, hint=f"{ours:.3f} s to {theirs:.3f} s")


def tree(rounds: int, scratch: Path) -> Iterator[Line]:
    """The whole tree, without caches of ours or ruff's."""
    root = corpus()
    files = python_files(root)
    size = sum(path.stat().st_size for path in files)
    print(
        f"{len(files)} files, {size / 1e6:.0f} MB, {PLANTED} of them planted; {os.cpu_count()} processors", flush=True
    )
    commands = [[*R4C, "--no-cache", str(root)], [*RUFF, "--no-cache", str(root)]]
    yield ratio("the tree, to ruff --no-cache", medians(commands, rounds), 0.6)
    if hasattr(os, "posix_fadvise"):
        took = medians(commands, rounds, before=lambda: forget(files))
        yield ratio("the same, read from the disk", took, float("inf"))


def cached(rounds: int, scratch: Path) -> Iterator[Line]:
    """The whole tree once more."""
    root = corpus()
    commands = [
        [*R4C, "--cache-dir", str(scratch / "r4c"), str(root)],
        [*RUFF, "--cache-dir", str(scratch / "ruff"), str(root)],
    ]
    medians(commands, 1)
    yield ratio("the tree again, to ruff with its cache", medians(commands, rounds), 0.9)


def project(folder: Path, files: int) -> Path:
    """A project of some files that all use the library."""
    (folder / "acme").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (folder / "acme" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "acme" / "policies.py").write_text(POLICIES, encoding="utf-8")
    for number in range(files):
        text = CLIENT.format(number=number).replace("homeassistant.planted", "acme")
        (folder / "acme" / f"client_{number}.py").write_text(text, encoding="utf-8")
    return folder


def file(rounds: int, scratch: Path) -> Iterator[Line]:
    """One file, to flake8 without plugins."""
    flake8 = [str(peers() / "flake8"), "acme/client_0.py"]
    folder = project(scratch / "file", 1)
    check = [*R4C, "acme/client_0.py"]
    cold, warm, theirs = medians([[*R4C, "--no-cache", check[-1]], check, flake8], rounds + 1, folder)
    yield ratio("one file that uses the library, to flake8", (cold, theirs), 2.0)
    yield ratio("the same, cached", (warm, theirs), 0.5)
    folder = scratch / "unrelated"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "client_0.py").write_text("import os\n\nprint(os.curdir)\n", encoding="utf-8")
    yield ratio("one file that does not", medians([check, flake8], rounds, folder), 0.5)


def flake8(rounds: int, scratch: Path) -> Iterator[Line]:
    """flake8 with our plugins, to flake8 without; there is no budget for it."""
    folder = project(scratch / "flake8", 1)
    commands = [[str(place / "flake8"), "acme/client_0.py"] for place in (BIN, peers())]
    yield ratio("flake8 with the plugins, to flake8", medians(commands, rounds, folder), float("inf"))


def fixit(rounds: int, scratch: Path) -> Iterator[Line]:
    """Files that all use the library."""
    folder = project(scratch / "fixit", PLANTED)
    commands = [[*R4C, "--no-cache", "."], [str(peers() / "fixit"), "--quiet", "lint", "."]]
    yield ratio(f"{PLANTED} files that use the library, to fixit", medians(commands, rounds, folder), 1 / 8)


def memory(rounds: int, scratch: Path) -> Iterator[Line]:
    """A hundred thousand files, one in a hundred of which uses the library."""
    folder = scratch / "memory"
    for number in range(MANY):
        package = folder / f"p{number // 200}"
        if number % 200 == 0:
            package.mkdir(parents=True)
        text = CLIENT.format(number=number) if number % 100 == 0 else f"import os\n\nX{number} = os.curdir\n" * 20
        (package / f"m{number}.py").write_text(text, encoding="utf-8")
    command = [*R4C, "--jobs", "2", "--cache-dir", str(scratch / "memory-cache"), str(folder)]
    for name in (f"memory for {MANY} files", "the same, cached"):
        yield Line(name, most_memory(command), 300, "MB")


def most_memory(command: Sequence[str]) -> float:
    """The most that a command and the processes that it started took together, in megabytes, as far as Linux tells."""
    most = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            with contextlib.suppress(OSError):
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
                most = max(most, sum(map(proportional_kilobytes, (str(process.pid), *children))))
            time.sleep(0.005)
    return most / 1024


def proportional_kilobytes(process: str) -> int:
    """What a process takes, with its part of what it shares with others."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def growth(rounds: int, scratch: Path) -> Iterator[Line]:
    """Four times as many bytes of files that use the library: time per byte, without the start."""
    folders = [project(scratch / f"growth-{files}", files) for files in (1, 300, 1200)]
    start, small, large = medians([[*R4C, "--no-cache", "--jobs", "1", str(folder)] for folder in folders], rounds)
    yield Line("time per byte at four times the bytes", (large - start) / (small - start) / 4, 1.25)


SECTIONS = {
    "tree": tree,
    "cached": cached,
    "file": file,
    "flake8": flake8,
    "fixit": fixit,
    "memory": memory,
    "growth": growth,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="SECTION,…")
    arguments = parser.parse_args()
    compile_packages()
    failed = False
    for name in arguments.only.split(","):
        with tempfile.TemporaryDirectory(prefix="r4c-bench-") as scratch:
            for line in SECTIONS[name](arguments.rounds, Path(scratch)):
                exceeded = line.value > line.budget
                failed |= exceeded
                allowed = "" if line.budget == float("inf") else f"<= {line.budget:.4g}"
                mark = "EXCEEDED" if exceeded else ""
                print(
                    f"{line.name:<44} {line.value:7.2f} {line.unit:<2} {allowed:<8} {mark:<8} {line.hint}", flush=True
                )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
