"""Little projects on disk whose effective settings the linter judges."""

from resilience4cata.diagnostics import Diagnostic
from resilience4cata_lint.engine import analyse
from resilience4cata_lint.options import load
from tests.lint.folder import write

CONFIG_FILES = 'config-files = ["resilience4cata.toml"]\n'


def diagnostics(code: str, toml: str | None = "", *paths: str, settings: str = "", **modules: str) -> list[Diagnostic]:
    """What is found in `app.py` with this code, in these other modules, and in `resilience4cata.toml`.

    Without `toml` nobody says which files configure the project. `settings` are further lines of `[tool.r4c]`.
    """
    write("pyproject.toml", f"[tool.r4c]\n{CONFIG_FILES if toml is not None else ''}{settings}")
    if toml is not None:
        write("resilience4cata.toml", toml)
    write("app.py", code)
    for name, text in modules.items():
        write(f"{name}.py", text)
    given = list(paths) or ["."]
    report = analyse(given, load(given))
    assert [] == report.failures
    return report.diagnostics


def found(code: str, toml: str | None = "", *paths: str, settings: str = "", **modules: str) -> list[str]:
    """The same as `path:line:column code`."""
    every = diagnostics(code, toml, *paths, settings=settings, **modules)
    return [f"{d.place} {d.code.removeprefix('R4C-')}" for d in every]
