"""The harness finds what is wrong with a page."""

from pathlib import Path

import pytest

from .pages import Block, Page
from .running import run


def page(folder: Path, text: str, language: str = "en") -> Page:
    (folder / language).mkdir(exist_ok=True)
    found = Page(language, "page", folder)
    found.path.write_text(text, encoding="utf-8")
    return found


def printed(folder: Path, text: str) -> list[str]:
    found = page(folder, text)
    return run(found, found.blocks, folder)


def test_blocks_share_a_namespace(tmp_path: Path) -> None:
    """A block knows what those before it defined."""
    assert ["", "3\n"] == printed(tmp_path, "```python\na = 1\n```\n\ntext\n\n```python\nprint(a + 2)\n```\n")


def test_failures_show_the_line_of_the_page(tmp_path: Path) -> None:
    """A block that raises fails, and the traceback points into the page."""
    with pytest.raises(pytest.fail.Exception) as failed:
        printed(tmp_path, "# Title\n\n```python\na = 1\n1 / 0\n```\n")
    assert 'page.md", line 5, in <module>' in str(failed.value)
    assert str(failed.value).endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time; time.sleep(1)", "a page must not sleep for 1s"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "a page must not use the network"),
        ("import warnings; warnings.warn('old')", "old"),
    ],
)
def test_pages_behave(tmp_path: Path, code: str, reason: str) -> None:
    """Sleeping, the network and warnings fail a page."""
    with pytest.raises(pytest.fail.Exception) as failed:
        printed(tmp_path, f"```python\n{code}\n```\n")
    assert str(failed.value).rstrip().endswith(reason)


def test_files_are_imported_at_the_end(tmp_path: Path) -> None:
    """What nobody imported is imported, so that it cannot be broken without notice."""
    with pytest.raises(pytest.fail.Exception) as failed:
        printed(tmp_path, "```python\n# acme/client.py\nraise OSError('broken')\n```\n")
    assert str(failed.value).endswith("OSError: broken\n")


def test_commands_show_what_they_print(tmp_path: Path) -> None:
    """A console block is compared with its commands and their output; a file that a command runs is not imported."""
    text = "```python\n# show.py\nprint(6 * 7)\n```\n\n```console\n$ python show.py\nanything\n```\n"
    assert ["", "$ python show.py\n42\n"] == printed(tmp_path, text)


def test_output_belongs_to_the_block_above(tmp_path: Path) -> None:
    """A text block right below code is its output; with prose between, it stands for itself."""
    text = "```python\nprint(1)\n```\n\n```text\n1\n```\n\nAnd:\n\n```text\nx\n```\n"
    found = [(block.language, block.output, block.line) for block in page(tmp_path, text).blocks]
    assert [("python", "1\n", 2), ("text", "", 12)] == found


def test_only_comments_may_be_translated() -> None:
    """Two blocks mean the same if they differ in comments alone."""
    english = Block("python", (), "a = 1  # one\n", 1)
    assert english.meaning == Block("python", (), "a = 1  # uno\n", 9).meaning
    assert english.meaning != Block("python", (), "a = 2  # one\n", 1).meaning
    keys = Block("toml", (), '# one\n[a]\nb = "c#d"  # two\n', 1)
    assert keys.meaning == Block("toml", (), '# uno\n[a]\nb = "c#d"\n', 1).meaning
    assert keys.meaning != Block("toml", (), '# one\n[a]\nb = "c#e"  # two\n', 1).meaning


def test_anchors(tmp_path: Path) -> None:
    """Headings give the anchors that links may name; those within code do not."""
    found = page(tmp_path, "# A title\n\n## The waits, exactly\n\n```python\n# no heading\n```\n")
    assert {"a-title", "the-waits-exactly"} == found.anchors
