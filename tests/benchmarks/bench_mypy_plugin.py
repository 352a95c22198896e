"""What the plugin costs: mypy over 5,000 decorated functions, with and without it, in turns.

Typeshed and the library come from the cache in all cases, as they do in daily work. The generated code is checked anew
each time: once without any fault, once with a finding for every function. A warm run has nothing to check at all, so
that what is left is the time that the plugin takes to start. Prints processor times of user code, and fails if one is
beyond its limit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FUNCTIONS = 5_000
IN_A_CLASS = 10
IN_A_MODULE = 100
ROUNDS = 5

HEAD = '''"""Clients of a remote service."""

from __future__ import annotations

from dataclasses import dataclass

from resilience4cata import bulkhead, circuit_breaker, fallback, retry, timeout

from shared import external_call, slow_call


@dataclass(frozen=True)
class Record:
    id: str
    amount: int = 0
    tags: tuple[str, ...] = ()


class Connection:
    def get(self, path: str, **parameters: str | int) -> dict[str, str]:
        return {"path": path} | {name: str(value) for name, value in parameters.items()}

'''

SHARED = """from resilience4cata import circuit_breaker, resilience_policy, retry, timeout

external_call = resilience_policy("external-call", retry(max_attempts=3, delay="100ms"), timeout("2s"))
slow_call = resilience_policy("slow-call", circuit_breaker(wait_in_open="30s"), timeout("10s"))
"""

CLASS = '''
class Client{number}:
    """A client."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.seen: dict[str, Record] = {{}}

    def unknown(self, id: str, limit: int = 10) -> list[Record]:
        return []

    def refused(self, id: str, limit: int, error: ConnectionError) -> list[Record]:
        return []

    def connected(self, id: str, limit: int = 10) -> bool:
        return True
'''

# Values come from those that people choose, in all combinations.
DECORATORS = (
    '    @retry(max_attempts={some}, delay="{many}ms")\n    @timeout("2s")\n',
    "    @external_call\n",
    '    @fallback(method="unknown")\n    @retry(max_attempts={some})\n',
    "    @bulkhead(max_concurrent={many})\n    @circuit_breaker(failure_rate_threshold=50)\n",
    '    @slow_call\n    @retry(max_attempts={some}, max_duration="{many}m")\n',
    '    @fallback(method=("unknown", "refused"), skip_on=KeyError)\n    @timeout("{some}s")\n',
)

# Each is one finding.
FAULTY_DECORATORS = (
    '    @retry(max_attempts=0, delay="{many}ms")\n    @timeout("2s")\n',
    '    @timeout("{many} s")\n',
    '    @fallback(method="unknwon")\n    @retry(max_attempts={some})\n',
    "    @bulkhead(max_concurrent=0)\n    @circuit_breaker(failure_rate_threshold=50)\n",
    '    @slow_call\n    @timeout(value="0{many}")\n',
    '    @fallback(method="connected")\n    @timeout("{some}s")\n',
)

METHOD = '''
{decorators}    def find_{number}(self, id: str, limit: int = 10) -> list[Record]:
        """The records that match, the best first."""
        if not id or limit < 1:
            raise ValueError(f"nothing to find: {{id!r}}, {{limit}}")
        answer = self.connection.get(f"/records/{{id}}", limit=limit, page=1)
        found: list[Record] = []
        for name, value in sorted(answer.items()):
            known = self.seen.get(name)
            if known is not None and known.amount > {number}:
                found.append(known)
                continue
            record = Record(name, len(value), tuple(part.strip() for part in value.split(",")))
            self.seen[record.id] = record
            found.append(record)
        return [record for record in found if record.tags][:limit]
'''


class Case(NamedTuple):
    """A project, the findings in it, and how many times the plugin may take what mypy takes without it.

    `most` bounds the difference in seconds instead, where there is next to nothing that mypy itself would do.
    """

    name: str
    decorators: Sequence[str]
    findings: int
    limit: float = 0.0
    most: float = 0.0

    @property
    def is_warm(self) -> bool:
        """Whether everything comes from the cache."""
        return self.most > 0


CASES = (
    Case("no fault", DECORATORS, 0, limit=1.05),
    Case("a finding for each", FAULTY_DECORATORS, FUNCTIONS, limit=1.10),
    Case("warm, nothing to check", DECORATORS, 0, most=0.15),
)


def generate(folder: Path, decorators: Sequence[str]) -> list[str]:
    """Write the modules, and return their names."""
    (folder / "shared.py").write_text(SHARED)
    (folder / "imports.py").write_text(HEAD)
    names = [f"clients_{module}.py" for module in range(FUNCTIONS // IN_A_MODULE)]
    for module, name in enumerate(names):
        parts = [HEAD]
        for number in range(IN_A_MODULE):
            if number % IN_A_CLASS == 0:
                parts.append(CLASS.format(number=number // IN_A_CLASS))
            values = {"some": 2 + number % 4, "many": 10 * (1 + (module + number) % 20)}
            parts.append(METHOD.format(number=number, decorators=decorators[number % len(decorators)].format(**values)))
        (folder / name).write_text("".join(parts))
    return names


class Project:
    """The generated project of a case, with a cache for each of the two ways."""

    def __init__(self, folder: Path, case: Case) -> None:
        self._folder = folder
        self._case = case
        folder.mkdir()
        self._modules = generate(folder, case.decorators)
        for plugin in (True, False):
            self._check(self._primed(plugin), plugin, *(self._modules if case.is_warm else ["imports.py"]))

    def measure(self, plugin: bool) -> float:
        """The seconds of one run over everything, with a fresh copy of the cache."""
        cache = self._folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self._primed(plugin), cache)
        return self._check(cache, plugin, *self._modules)

    def _primed(self, plugin: bool) -> Path:
        return self._folder / f"primed-{plugin}"

    def _check(self, cache: Path, plugin: bool, *targets: str) -> float:
        config = self._folder / ("with.ini" if plugin else "without.ini")
        config.write_text("[mypy]\nstrict = true\n" + ("plugins = resilience4cata_mypy\n" if plugin else ""))
        command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache), *targets]
        before = os.times()
        # As it is where packages are installed: their modules are compiled once.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        result = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, check=False)
        after = os.times()
        expected = self._case.findings if plugin and "imports.py" not in targets else 0
        if result.stdout.count(": error: ") != expected:
            raise SystemExit(result.stdout[-3000:] + result.stderr)
        return after.children_user - before.children_user


def compare(project: Project) -> tuple[float, float]:
    """The best times with the plugin and without it."""
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for plugin in (True, False):
            times[plugin].append(project.measure(plugin))
    return min(times[True]), min(times[False])


def main() -> None:
    print(f"mypy over {FUNCTIONS:,} decorated functions, best of {ROUNDS}, seconds of processor time:")
    slow = []
    with tempfile.TemporaryDirectory() as name:
        for number, case in enumerate(CASES):
            with_plugin, without = compare(Project(Path(name, str(number)), case))
            ratio, more = with_plugin / without, with_plugin - without
            limit = f"{more:+.2f} (limit +{case.most})" if case.is_warm else f"x {ratio:.3f} (limit {case.limit})"
            print(f"  {case.name}: without the plugin {without:.2f}, with it {with_plugin:.2f}, {limit}", flush=True)
            if more > case.most if case.is_warm else ratio > case.limit:
                slow.append(case.name)
    if slow:
        sys.exit(f"beyond the limit: {', '.join(slow)}")


if __name__ == "__main__":
    main()
