"""What the plugin costs: mypy over 5,000 decorated functions, with and without it, in turns.

Typeshed and the library come from the cache in all cases, as they do in daily work. The generated code is checked anew
each time: once without any fault, once with a finding for every function. mypy itself takes time for each error, so
that a plugin that does nothing but report as many is measured beside. A warm run has nothing to check at all, so that
what is left is the time that the plugin takes to start. Prints processor times of user code, and fails if one is beyond
its limit.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from resilience4cata_mypy.cache import FOLDERS

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


# One error for each function, at its outermost decorator, and no thought about it.
REPORTING = """from mypy.errorcodes import ErrorCode
from mypy.nodes import Decorator
from mypy.plugin import MethodContext, Plugin
from mypy.types import Type

CODE = ErrorCode("X-001", "One of many", "Benchmark")


class Reporting(Plugin):
    def get_method_hook(self, fullname: str):
        return self.report if fullname.startswith("resilience4cata.") and fullname.endswith(".__call__") else None

    def report(self, context: MethodContext) -> Type:
        node = context.context
        if isinstance(node, Decorator) and context.args[0][0].line == node.original_decorators[0].line:
            context.api.fail(f"@policy on {node.fullname}: something is wrong, and this says what", node, code=CODE)
        return context.default_return_type


def plugin(version: str) -> type[Plugin]:
    return Reporting
"""


class Way(Enum):
    """What is in mypy's list of plugins."""

    WITHOUT = ""
    WITH = "resilience4cata_mypy"
    REPORTING = "reporting.py"


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
    """The generated project of a case, with a cache for each way."""

    def __init__(self, folder: Path, case: Case) -> None:
        self._folder = folder
        self._case = case
        folder.mkdir()
        self._modules = generate(folder, case.decorators)
        (folder / Way.REPORTING.value).write_text(REPORTING)
        self.ways = tuple(Way) if case.findings else (Way.WITHOUT, Way.WITH)
        for way in self.ways:
            self._check(self._primed(way), way, *(self._modules if case.is_warm else ["imports.py"]))

    def measure(self, way: Way) -> float:
        """The seconds of one run over everything, with a fresh copy of the cache."""
        cache = self._folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self._primed(way), cache)
        return self._check(cache, way, *self._modules)

    def _primed(self, way: Way) -> Path:
        return self._folder / f"primed-{way.name}"

    def _check(self, cache: Path, way: Way, *targets: str) -> float:
        config = self._folder / f"{way.name}.ini"
        config.write_text("[mypy]\nstrict = true\n" + (f"plugins = {way.value}\n" if way.value else ""))
        command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache), *targets]
        before = os.times()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        result = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, check=False)
        after = os.times()
        expected = self._case.findings if way is not Way.WITHOUT and "imports.py" not in targets else 0
        if result.stdout.count(": error: ") != expected:
            raise SystemExit(result.stdout[-3000:] + result.stderr)
        return after.children_user - before.children_user


def compare(project: Project) -> dict[Way, float]:
    """The best time of each way."""
    times: dict[Way, list[float]] = {way: [] for way in project.ways}
    for _ in range(ROUNDS):
        for way in project.ways:
            times[way].append(project.measure(way))
    return {way: min(measured) for way, measured in times.items()}


def main() -> None:
    print(f"mypy over {FUNCTIONS:,} decorated functions, best of {ROUNDS}, seconds of processor time:")
    slow = []
    # As it is where packages are installed: their modules are compiled once.
    for folder in FOLDERS:
        compileall.compile_dir(folder, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        for number, case in enumerate(CASES):
            times = compare(Project(Path(name, str(number)), case))
            with_plugin, without = times[Way.WITH], times[Way.WITHOUT]
            ratio, more = with_plugin / without, with_plugin - without
            limit = f"{more:+.2f} (limit +{case.most})" if case.is_warm else f"x {ratio:.3f} (limit {case.limit})"
            print(f"  {case.name}: without the plugin {without:.2f}, with it {with_plugin:.2f}, {limit}", flush=True)
            if Way.REPORTING in times:
                errors_alone = times[Way.REPORTING] / without
                print(f"    mypy alone for as many errors: x {errors_alone:.3f}", flush=True)
            if more > case.most if case.is_warm else ratio > case.limit:
                slow.append(case.name)
    if slow:
        sys.exit(f"beyond the limit: {', '.join(slow)}")


if __name__ == "__main__":
    main()
