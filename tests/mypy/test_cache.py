"""What makes mypy's cache stale: other rules or another plugin, since the cache holds their messages."""

from __future__ import annotations

from pathlib import Path

from resilience4cata.identity import own_version
from resilience4cata_mypy.cache import FOLDERS


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
