"""A small project with faults across its modules, and `r4c check` on it, for tests of the cache."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from resilience4cata_lint.cli import main
from tests.lint.faulty_modules import CLIENT, POLICIES, USER
from tests.lint.folder import write

FILES = {
    "pyproject.toml": "[project]\n",
    "acme/__init__.py": "",
    "acme/policies.py": POLICIES,
    "acme/user.py": USER,
    "acme/client.py": CLIENT,
    "acme/plain.py": "import os\n",
    "acme/broken.py": "from resilience4cata import retry\nx = (\n",
    "resilience4cata.toml": '[resilience4cata.configs.external]\nretry = { delay = "1,5s" }\n',
}


def make_project() -> None:
    """Write all files below the working folder."""
    for path, text in FILES.items():
        write(path, text)


def check(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `r4c check` in this process."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main(["check", *arguments])
    return code, output.getvalue(), errors.getvalue()


def uncached(*arguments: str) -> tuple[int, str, str]:
    """The same without any cache, by this process alone."""
    return check("--no-cache", "--jobs", "1", *arguments)


def entries(folder: str = ".r4c_cache") -> list[Path]:
    """The entries of a cache."""
    return sorted(Path(folder).glob("*/*.json"))
