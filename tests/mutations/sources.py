"""The correct shop as text and syntax trees, and where its policies stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

SHOP: Final = Path(__file__).parents[2] / "fixtures" / "shop" / "correct"
_LIBRARY: Final = "resilience4cata"
Function = ast.FunctionDef | ast.AsyncFunctionDef
Owner = Function | ast.ClassDef


@dataclass(frozen=True)
class Use:
    """One written policy: a decorator of `owner`, or a member of a composed policy (then there is no owner).

    `policy` is the name that the library gives it, whatever it is called in the module. `within` is the class around
    the owner.
    """

    source: Source
    policy: str
    call: ast.Call
    owner: Owner | None
    within: ast.ClassDef | None

    @property
    def place(self) -> int:
        """Where its name begins: a finding about the policy as a whole is expected there."""
        return self.source.start(self.call)

    @property
    def title(self) -> str:
        """Where it stands, in words that no other has."""
        names = [node.name for node in (self.within, self.owner) if node is not None] or [f"line {self.call.lineno}"]
        return f"{self.source.path} {'.'.join(names)} @{self.policy}"

    def keyword(self, name: str) -> ast.keyword | None:
        """The argument that is written with this name."""
        return next((keyword for keyword in self.call.keywords if keyword.arg == name), None)

    def text(self, name: str) -> str | None:
        """The text that is written for a keyword, if it is a literal."""
        keyword = self.keyword(name)
        value = keyword.value if keyword is not None else None
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None

    @property
    def function(self) -> Function | None:
        return self.owner if isinstance(self.owner, Function) else None


@dataclass(frozen=True)
class Source:
    """One file of the shop; offsets count characters from its beginning."""

    path: str
    content: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.content)

    @cached_property
    def _lines(self) -> list[int]:
        starts = [0]
        for line in self.content.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def line_start(self, line: int) -> int:
        """The offset where a line begins, counted from 1."""
        return self._lines[line - 1]

    def start(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """The offset of a node. Trees count bytes; the shop is written in ASCII where code stands."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """The offset behind a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def code(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """The node as it is written."""
        return self.content[self.start(node) : self.end(node)]

    def find(self, text: str, after: str = "") -> int:
        """The offset of a text, which has to be there. Raises ValueError."""
        return self.content.index(text, self.content.index(after))

    @property
    def imports_at(self) -> int:
        """Where a further import may stand: before the first that is not from `__future__`."""
        imports = (node for node in self.tree.body if isinstance(node, ast.Import | ast.ImportFrom))
        return next(self.start(node) for node in imports if getattr(node, "module", "") != "__future__")

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What the library's names are called here: "retrying" for "retry", "r4c.timeout" for "timeout"."""
        found: dict[str, str] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == _LIBRARY:
                found.update((alias.asname or alias.name, alias.name) for alias in node.names)
        return found

    def policy(self, node: ast.expr) -> str | None:
        """The library's name for what an expression names."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "r4c":
            return node.attr
        return self.aliases.get(node.id) if isinstance(node, ast.Name) else None

    @cached_property
    def owners(self) -> list[tuple[Owner, ast.ClassDef | None]]:
        """Every class and function that is not nested in a function, with the class around it."""
        found: list[tuple[Owner, ast.ClassDef | None]] = []
        for node in self.tree.body:
            if isinstance(node, Owner):
                found.append((node, None))
            if isinstance(node, ast.ClassDef):
                found += [(member, node) for member in node.body if isinstance(member, Function)]
        return found

    def owner(self, name: str, within: str | None = None) -> Owner:
        """The class or function of that name. Raises StopIteration if there is none."""
        return next(o for o, c in self.owners if o.name == name and (c.name if c else None) == within)

    @cached_property
    def uses(self) -> list[Use]:
        """Every call of a policy on an element or within a composed policy, in the order of the text."""
        return [*self._members(), *self._decorators()]

    def _decorators(self) -> Iterator[Use]:
        for owner, within in self.owners:
            for node in owner.decorator_list:
                if isinstance(node, ast.Call) and (policy := self.policy(node.func)) is not None:
                    yield Use(self, policy, node, owner, within)

    def _members(self) -> Iterator[Use]:
        for node in self.tree.body:
            value = node.value if isinstance(node, ast.Assign) else None
            if isinstance(value, ast.Call) and self.policy(value.func) == "resilience_policy":
                for member in value.args:
                    if isinstance(member, ast.Call) and (policy := self.policy(member.func)) is not None:
                        yield Use(self, policy, member, None, None)


class Shop:
    """All files of the correct shop, by their path relative to its folder."""

    def __init__(self) -> None:
        caches = {".mypy_cache", ".r4c_cache", ".ruff_cache", "__pycache__"}
        names = [p for p in SHOP.rglob("*") if p.is_file() and not caches & set(p.parts)]
        self.sources: Final = {
            path: Source(path, (SHOP / path).read_text(encoding="utf-8"))
            for path in sorted(name.relative_to(SHOP).as_posix() for name in names)
        }

    def __getitem__(self, path: str) -> Source:
        return self.sources[path]

    @property
    def modules(self) -> list[Source]:
        return [source for path, source in self.sources.items() if path.endswith(".py")]

    @property
    def uses(self) -> Iterator[Use]:
        """Every policy that is written on an element or in a composed policy; `shop/app.py` only makes templates."""
        return (use for source in self.modules for use in source.uses)
