"""How long `import resilience4cata` takes, as a multiple of `import tenacity`, in one run with rounds interleaved."""

from __future__ import annotations

import statistics
import subprocess
import sys

from installed import compile_packages  # type: ignore[import-not-found]  # beside this script, in no package

ROUNDS = 25
PROGRAM = "import time; start = time.process_time_ns(); import {0}; print(time.process_time_ns() - start)"


def seconds(module: str) -> float:
    """Processor time of importing `module` in a fresh interpreter."""
    command = [sys.executable, "-I", "-c", PROGRAM.format(module)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1e9


def main() -> None:
    """Print the medians and their ratio."""
    compile_packages()
    times: dict[str, list[float]] = {"resilience4cata": [], "tenacity": []}
    for _ in range(ROUNDS):
        for module, taken in times.items():
            taken.append(seconds(module))
    ours, theirs = (statistics.median(taken) for taken in times.values())
    print(f"import, milliseconds of processor time, median of {ROUNDS}:")
    print(f"  resilience4cata {ours * 1e3:.1f}, tenacity {theirs * 1e3:.1f}; ratio {ours / theirs:.2f} (budget 1.00)")


if __name__ == "__main__":
    main()
