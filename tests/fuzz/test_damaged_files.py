"""Thousands of real files, each a little damaged."""

from pathlib import Path

import pytest

from tests.fuzz.checking import check, outside
from tests.fuzz.damage import damaged, real_files

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(4))
def test_python(seed: int) -> None:
    """Modules are checked as one project, so that what links them is damaged too."""
    for index, content in enumerate(damaged(real_files(".py"), 250, seed)):
        folder = Path(f"package{index % 10}")
        folder.mkdir(exist_ok=True)
        (folder / f"module{index}.py").write_bytes(content)
    assert [] == outside(check("--no-cache"))


@pytest.mark.parametrize("suffix", [".toml", ".properties", ".yaml", ".yml"])
def test_configuration(suffix: str) -> None:
    """All are files of one project, some of which say the same."""
    files = real_files(suffix) or real_files(".yaml", ".yml")
    names = []
    for index, content in enumerate(damaged(files, 300, 7)):
        names.append(f"settings{index}{suffix}")
        Path(names[-1]).write_bytes(content)
    Path("pyproject.toml").write_text(f"[tool.r4c]\nconfig-files = {names}\n", encoding="utf-8")
    Path("app.py").write_text(
        'from resilience4cata import retry\n\n\n@retry(config="external")\ndef f() -> None: ...\n', encoding="utf-8"
    )
    assert [] == outside(check("--no-cache"))
