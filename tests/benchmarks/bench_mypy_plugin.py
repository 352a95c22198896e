"""What the plugin costs: mypy over 5,000 decorated functions, with and without it, in turns.

Typeshed and the library come from the cache in both cases, as they do in daily work; the generated code is checked anew
each time. Prints the processor times and their ratio, which should stay at 1.05 or below.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

FUNCTIONS = 5_000
IN_A_CLASS = 10
IN_A_MODULE = 100
ROUNDS = 5
LIMIT = 1.05

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


def generate(folder: Path) -> None:
    """Write the modules."""
    (folder / "shared.py").write_text(SHARED)
    for module in range(FUNCTIONS // IN_A_MODULE):
        parts = [HEAD]
        for number in range(IN_A_MODULE):
            if number % IN_A_CLASS == 0:
                parts.append(CLASS.format(number=number // IN_A_CLASS))
            values = {"some": 2 + number % 4, "many": 10 * (1 + (module + number) % 20)}
            parts.append(METHOD.format(number=number, decorators=DECORATORS[number % len(DECORATORS)].format(**values)))
        (folder / f"clients_{module}.py").write_text("".join(parts))


def check(folder: Path, cache: Path, plugin: bool, *targets: str) -> float:
    """Run mypy, and return the processor time it took in seconds."""
    config = folder / ("with.ini" if plugin else "without.ini")
    config.write_text("[mypy]\nstrict = true\n" + ("plugins = resilience4cata_mypy\n" if plugin else ""))
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache), *targets]
    before = os.times()
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = os.times()
    if result.returncode != 0:
        raise SystemExit(result.stdout + result.stderr)
    return after.children_user + after.children_system - before.children_user - before.children_system


def measure(folder: Path, plugin: bool) -> float:
    """The time of one run over everything, with a fresh copy of the cache that holds only what the code imports."""
    primed = folder / f"primed-{plugin}"
    if not primed.exists():
        (folder / "imports.py").write_text(HEAD)
        check(folder, primed, plugin, "imports.py")
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(primed, cache)
    return check(folder, cache, plugin, *sorted(path.name for path in folder.glob("clients_*.py")))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder)
        for plugin in (True, False):
            measure(folder, plugin)
        times: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(ROUNDS):
            for plugin in (True, False):
                times[plugin].append(measure(folder, plugin))
    without, with_plugin = median(times[False]), median(times[True])
    ratio = min(times[True]) / min(times[False])
    print(f"mypy over {FUNCTIONS} decorated functions, seconds of processor time, median of {ROUNDS}:")
    print(
        f"  without the plugin {without:.2f}, with it {with_plugin:.2f}; ratio of the best {ratio:.3f} (limit {LIMIT})"
    )


if __name__ == "__main__":
    main()
