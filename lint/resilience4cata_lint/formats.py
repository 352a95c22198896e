"""The names of the formats, for those who need no more than these."""

from typing import Final

FORMATS: Final = ("full", "concise", "json", "github", "gitlab", "sarif", "junit")

FOR_PROGRAMS: Final = frozenset({"json", "gitlab", "sarif", "junit"})
"""Those that are one document, to which nothing may be added."""
