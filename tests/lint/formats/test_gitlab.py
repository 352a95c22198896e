"""Reports as GitLab's code quality."""

import json

from resilience4cata.facts import At

from .reports import ALL, PLAIN, render


def test_gitlab() -> None:
    """The code stands in the description, since the widget shows nothing else."""
    expected = [
        {
            "description": 'R4C-FB-002: @fallback(method="find_fallbak") on acme.users.UserClient.find: '
            "no method named 'find_fallbak' found; did you mean 'find_fallback'?",
            "check_name": "R4C-FB-002",
            "fingerprint": "790cc0fc5a1d9a6d82228f65893ac138",
            "severity": "major",
            "location": {
                "path": "acme/users.py",
                "positions": {"begin": {"line": 12, "column": 6}, "end": {"line": 12, "column": 37}},
            },
        },
        {
            "description": "R4C-CMP-004: @a \"<b>\" & '漢' 😀: 100% of lines ::error:: \x1b]]>, ok; decide",
            "check_name": "R4C-CMP-004",
            "fingerprint": "2c19cf6eb123e3810f393dac55ba102e",
            "severity": "minor",
            "location": {
                "path": "pagos/año 100%,a:b#?.py",
                "positions": {"begin": {"line": 3, "column": 5}, "end": {"line": 7, "column": 2}},
            },
        },
        {
            "description": "R4C-SRC-001: cannot be checked: no",
            "check_name": "R4C-SRC-001",
            "fingerprint": "48e6c26ac55b4cebc8b6cfaf82a8ed19",
            "severity": "major",
            "location": {
                "path": "D:/trabajo/a b.py",
                "positions": {"begin": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}},
            },
        },
    ]
    found = render("gitlab", *ALL)
    assert (True, expected) == (found.isascii() and found.endswith("]\n"), json.loads(found))


def test_gitlab_is_clean() -> None:
    assert "[]\n" == render("gitlab")


def test_fingerprints() -> None:
    """Each is unique; lines and columns do not count, path, code, subject and message do."""
    moved = PLAIN._replace(at=At("acme/users.py", 99, 1, 99, 2))
    others = [
        PLAIN._replace(at=At("acme/others.py", 12, 6, 12, 37)),
        PLAIN._replace(code="R4C-FB-003"),
        PLAIN._replace(subject="other"),
        PLAIN._replace(message="other"),
    ]
    found = [issue["fingerprint"] for issue in json.loads(render("gitlab", PLAIN, moved, *others))]
    assert (found[0] + "-2", len(found)) == (found[1], len(set(found)))
    numbered = [PLAIN._replace(message=f"given in a.py:{line}:1 and on line {line}") for line in (3, 4)]
    first, second = (json.loads(render("gitlab", each))[0]["fingerprint"] for each in numbered)
    assert first == second
