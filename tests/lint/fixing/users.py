"""A file with two findings that can be repaired, what becomes of it, and what is said about that."""

from __future__ import annotations

from pathlib import Path

WRONG = """from resilience4cata import fallback, timeout


class Users:
    @timeout("2 s")
    @fallback(method="_nobdy")
    def find(self) -> str: ...

    def _nobody(self) -> str: ...
"""
RIGHT = WRONG.replace("2 s", "2s").replace("nobdy", "nobody")
UNSAFE = WRONG.replace("2 s", "2 seconds")
COUNTED = "Found 2 errors in 1 file (2 fixed, 0 remaining; checked 1 file)\n"
CHANGED = """\
-    @timeout("2 s")
-    @fallback(method="_nobdy")
+    @timeout("2s")
+    @fallback(method="_nobody")
"""
BLANK = " \n"
DIFF = f"""\
--- acme.py
+++ acme.py
@@ -2,8 +2,8 @@
{BLANK}{BLANK} class Users:
{CHANGED}     def find(self) -> str: ...
{BLANK}     def _nobody(self) -> str: ...
"""


def read(path: str = "acme.py") -> str:
    """What a file holds, with the line ends that it has."""
    return Path(path).read_bytes().decode()
