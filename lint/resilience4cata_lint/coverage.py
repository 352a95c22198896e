"""What a run looked at: which findings it would have made if they were there."""

from __future__ import annotations

from collections.abc import Sequence

from resilience4cata.records import dataclass, field

from . import files


@dataclass(slots=True)
class Coverage:
    """`paths` are the files that were reported on, `folders` what they were looked for in.

    `codes` are the rules that counted, None for those that are on by default; `closed` tells whether the run saw a
    whole project.
    """

    paths: Sequence[str] = ()
    folders: Sequence[str] = ()
    codes: frozenset[str] | None = None
    closed: bool = False
    _known: frozenset[str] | None = field(default=None, init=False)

    def holds(self, path: str, code: str) -> bool:
        """Whether the run would have reported `code` in the file at `path`. One that is gone was looked for."""
        return self._looks_at(path) and self._counts(code)

    def _looks_at(self, path: str) -> bool:
        if self._known is None:
            self._known = frozenset(map(files.canonical, self.paths))
        return files.canonical(path) in self._known or any(files.is_below(path, folder) for folder in self.folders)

    def _counts(self, code: str) -> bool:
        from resilience4cata.diagnostics import FRONT_ENDS, Needs
        from resilience4cata.rules import all_rules

        rule = all_rules().get(code)
        if rule is None:
            return True
        provided = FRONT_ENDS["lint"] if self.closed else FRONT_ENDS["lint"] & ~Needs.PROJECT
        selected = rule.on_by_default if self.codes is None else code in self.codes
        return selected and rule.needs in provided
