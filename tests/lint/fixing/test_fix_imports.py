"""Names of the library that an edit needs: reached as the module does it, imported where it must be."""

import pytest

from ..folder import write
from .repairing import repaired

BODY = "\n\n@retry(jitter={})\ndef f() -> None: ...\n"


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("from resilience4cata import retry\n", "from resilience4cata import Jitter, retry\n", "Jitter"),
        ("from resilience4cata import Z, retry\n", "from resilience4cata import Jitter, Z, retry\n", "Jitter"),
        ("from resilience4cata import Jitter, retry\n", None, "Jitter"),
        ("from resilience4cata import Jitter as J, retry\n", None, "J"),
        ("from resilience4cata import (retry)\n", "from resilience4cata import (Jitter, retry)\n", "Jitter"),
        (
            "from resilience4cata import (\n    Backoff,\n    retry,\n)\n",
            "from resilience4cata import (\n    Backoff,\n    Jitter,\n    retry,\n)\n",
            "Jitter",
        ),
        (
            "from resilience4cata import (\n    retry,  # again\n)\n",
            "from resilience4cata import (\n    retry,  # again\n)\nfrom resilience4cata import Jitter\n",
            "Jitter",
        ),
        ("from resilience4cata import retry  # so\n", "from resilience4cata import Jitter, retry  # so\n", "Jitter"),
        (
            "import resilience4cata\n\nretry = resilience4cata.retry\n",
            None,
            "resilience4cata.Jitter",
        ),
        ("import resilience4cata as r4c\nfrom resilience4cata import retry\n",
         "import resilience4cata as r4c\nfrom resilience4cata import Jitter, retry\n", "Jitter"),
    ],
)  # fmt: skip
def test_member(before: str, after: str | None, name: str) -> None:
    """A member instead of its name."""
    expected = (before if after is None else after) + BODY.format(f"{name}.FULL")
    assert expected == repaired(before + BODY.format('"full"'), "--select", "VA-006")


@pytest.mark.parametrize(
    "taken",
    ["Jitter = 1\n", "class Jitter: ...\n", "from acme import Jitter\n", "def g(Jitter: int) -> None: ...\n"],
)
def test_taken_name(taken: str) -> None:
    """No import that would hide, or be hidden by, what has the name already."""
    source = f"from resilience4cata import retry\n{taken}" + BODY.format('"full"')
    assert source == repaired(source, "--select", "VA-006")


OVERRIDE = """class {}:
    def find(self) -> int:
        return 1
"""
BASE = """from resilience4cata import retry


class Base:
    @retry(max_attempts=2)
    def find(self) -> int: ...
"""
GUARDED = OVERRIDE.replace("    def", "    @inherit_policies\n    def")
IMPORT = "from resilience4cata import inherit_policies\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from acme.base import Base\n", f"from acme.base import Base\n{IMPORT}"),
        ("import os\n\nfrom acme.base import Base\n", f"import os\n\nfrom acme.base import Base\n{IMPORT}"),
        ('"""Text."""\n\nfrom .base import Base\n', f'"""Text."""\n\n{IMPORT}\nfrom .base import Base\n'),
        ("import os\nfrom .base import Base\n", f"import os\n\n{IMPORT}from .base import Base\n"),
        (
            "# Free.\nfrom __future__ import annotations\n\nfrom .base import Base\n",
            f"# Free.\nfrom __future__ import annotations\n\n{IMPORT}\nfrom .base import Base\n",
        ),
        ("from acme.base import Base\r\n", f"from acme.base import Base\r\n{IMPORT[:-1]}\r\n"),
        (
            "from resilience4cata import retry\nfrom acme.base import Base\n",
            "from resilience4cata import inherit_policies, retry\nfrom acme.base import Base\n",
        ),
    ],
)
def test_new_import(before: str, after: str) -> None:
    """Below the other absolute imports, in a part of its own where those are of the standard library."""
    write("acme/__init__.py")
    write("acme/base.py", BASE)
    newline = "\r\n" if "\r" in before else "\n"
    source, expected = (f"\n\n{text}".format("Own(Base)") for text in (OVERRIDE, GUARDED))
    result = repaired(before + source.replace("\n", newline), "--select", "LOC-011", path="acme/own.py")
    assert after + expected.replace("\n", newline) == result


def test_one_import_for_two_edits() -> None:
    """Both overrides of a module need it, and it is made once."""
    write("acme/__init__.py")
    write("acme/base.py", BASE)
    source = f"from acme.base import Base\n\n\n{OVERRIDE.format('A(Base)')}\n\n{OVERRIDE.format('B(Base)')}"
    expected = f"from acme.base import Base\n{IMPORT}\n\n{GUARDED.format('A(Base)')}\n\n{GUARDED.format('B(Base)')}"
    assert expected == repaired(source, "--select", "LOC-011", path="acme/own.py")
