"""What the README shows is what happens."""

from dataclasses import replace
from pathlib import Path

import pytest

from .pages import DOCS, Block, Page
from .running import run

README = Page("..", "README")
ITS_FAULT, MENDED = "find_fallbak", "find_fallback"


def run_with(blocks: list[Block], folder: Path) -> list[str]:
    """What the blocks of code print, with the configuration in place."""
    return run(README, [block for block in blocks if block.language in {"python", "toml"}], folder)


def test_start_up_finds_the_fault(tmp_path: Path) -> None:
    """`build()` ends with the very text that the README begins with."""
    blocks = README.blocks
    shown = next(block.text for block in blocks if block.language == "" and ITS_FAULT in block.text)
    with pytest.raises(pytest.fail.Exception) as failed:
        run_with(blocks, tmp_path)
    assert str(failed.value).endswith(f"1 error in resilience policies and their configuration\n{shown}")


def test_code_runs_once_it_is_mended(tmp_path: Path) -> None:
    """With the fault repaired, the rest does what it says."""
    blocks = [replace(block, text=block.text.replace(ITS_FAULT, MENDED)) for block in README.blocks]
    code = [block for block in blocks if block.language in {"python", "toml"}]
    assert [block.output for block in code] == run_with(blocks, tmp_path)


def test_links_lead_somewhere() -> None:
    """Each link names a file that is there."""
    assert [] == [path for path, _ in README.links if not (DOCS.parent / path).exists()]
