"""What the guide to editors gives them to read findings with fits what `r4c check` prints."""

import json
import re

import pytest

from .pages import LANGUAGES, Page

GUIDE = "guides/editors"


@pytest.mark.parametrize("language", LANGUAGES)
def test_problem_matcher(language: str) -> None:
    """The task for Visual Studio Code takes the finding that the page shows apart."""
    blocks = {block.language: block.text for block in Page(language, GUIDE).blocks}
    (task,) = json.loads(blocks["json"])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    matched = [found for line in blocks["console"].splitlines() if (found := re.match(pattern["regexp"], line))]
    parts = [{part: found[group] for part, group in pattern.items() if part != "regexp"} for found in matched]
    message = "[*] @fallback(method=\"none_lft\") on shop.stock.pieces: no function named 'none_lft' found"
    assert parts == [
        {
            "file": "shop/stock.py",
            "line": "5",
            "column": "2",
            "severity": "error",
            "code": "R4C-FB-002",
            "message": f"{message}; did you mean 'none_left'?",
        }
    ]
