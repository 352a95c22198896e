"""What makes mypy's cache stale: other rules or another plugin, since the cache holds their messages."""

from __future__ import annotations

from pathlib import Path

from resilience4cata.identity import own_version
from resilience4cata_mypy.cache import FOLDERS
from tests.mypy.modes import reworded
from tests.mypy.running import copy_plugin, mypy, write


def test_the_version_changes_with_any_source_file(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    (folder / "rules").mkdir(parents=True)
    rule = folder / "rules" / "durations.py"
    rule.write_text("MESSAGE = 'one'\n")
    before = own_version([folder])
    assert before == own_version([folder])
    rule.write_text("MESSAGE = 'two'\n")
    after = own_version([folder])
    assert before != after
    rule.rename(folder / "rules" / "values.py")
    assert after != own_version([folder])


def test_the_rules_and_the_plugin_are_what_counts() -> None:
    assert [("resilience4cata", True), ("resilience4cata_mypy", False)] == [
        (folder.name, (folder / "rules" / "durations.py").is_file()) for folder in FOLDERS
    ]


def test_another_wording_is_seen_at_once(tmp_path: Path) -> None:
    """mypy's cache holds our messages: after an edit of a rule, or another release, it is of no use."""
    plugin = copy_plugin(tmp_path / "copy")
    folder = tmp_path / "project"
    write(folder, {"app.py": 'from resilience4cata import timeout\n\na = timeout("1 s")\n'})
    before = [mypy(folder, cache=tmp_path / "cache", plugin=plugin).messages for _ in range(2)]
    assert [1, 1] == [len(messages) for messages in before]
    assert "is not a duration" in before[1][0]
    reworded(plugin)
    after = mypy(folder, cache=tmp_path / "cache", plugin=plugin).messages
    assert [before[1][0].replace("is not a duration", "is no length of time")] == after
