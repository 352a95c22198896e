"""Reports as GitHub's workflow commands."""

import re

from .reports import ALL, PLAIN, render


def test_github() -> None:
    """Commands with everything special escaped; columns only within one line."""
    assert (
        "::error file=acme/users.py,line=12,endLine=12,col=6,endColumn=37,title=R4C-FB-002 (missing-fallback)::"
        "@fallback(method=\"find_fallbak\") on acme.users.UserClient.find: no method named 'find_fallbak' found"
        "%0Adid you mean 'find_fallback'?%0Aexpected: def find_fallbak(self, id: str[, error: Exception]) -> User"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html\n"
        "::warning file=pagos/año 100%25%2Ca%3Ab#?.py,line=3,endLine=7,title=R4C-CMP-004 (policies-disagree)::"
        "@a \"<b>\" & '漢' 😀: 100%25 of%0D%0Alines ::error:: \x1b]]>, ok%0Adecide"
        "%0AD:/otro/módulo.py:2:3: one <source>%0Aacme/users.py: a file"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-CMP-004.html\n"
        "::error file=D%3A/trabajo/a b.py,title=R4C-SRC-001 (unreadable-source)::cannot be checked: no"
        "%0Ahttps://resilience4cata.readthedocs.io/en/rules/R4C-SRC-001.html\n"
        "Found 2 errors and 1 warning in 3 files (checked 3 files)\n"
    ) == render("github", *ALL)


def test_github_is_clean() -> None:
    assert "All checks passed.\n" == render("github")


def test_github_statistics() -> None:
    """They are for those who read the log."""
    lines = render("github", PLAIN, statistics=True).splitlines()
    assert ["1  R4C-FB-002  missing-fallback", "Found 1 error in 1 file (checked 3 files)"] == lines[1:]


def test_github_limits() -> None:
    """Titles have at most 255 characters, messages 64 KB."""
    (line, _) = render("github", PLAIN._replace(name="n" * 500, message="漢" * 50_000)).splitlines()
    found = re.fullmatch(r"::error .*,title=(.*?)::(.*)", line)
    assert found is not None
    assert (255, True) == (len(found[1]), 65_533 <= len(found[2].encode()) <= 65_536)
