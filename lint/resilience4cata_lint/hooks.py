"""Our hooks in `.pre-commit-config.yaml`: added as text, so that all of it stays as somebody wrote it.

What the file then says is held against what it said before. Where they differ in more than our hooks, or the file is
written in a way that is not known here, nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_OURS: Final = ("r4c", "r4c-fix", "r4c-project")

_PROGRAMS: Final = frozenset({"r4c", "resilience4cata_lint"})

# The r4c of the environment is run, which is the one that knows the project's Python.
_HOOKS: Final = """\
- repo: local
  hooks:
    - id: r4c
      name: r4c
      entry: r4c check --skip-unrelated
      language: system
      types_or: [python, toml, yaml, java-properties]
      require_serial: true
    - id: r4c-project
      name: r4c (whole project)
      entry: r4c check
      language: system
      always_run: true
      pass_filenames: false
      require_serial: true
"""
_MARK: Final = "\ufeff"
_EMPTY: Final = re.compile(r"\[\s*\]|~|null")


def completed(text: str) -> str | None:
    """The file with our hooks; as it is if it has one of them, None if it is left to people."""
    import yaml

    newline = "\r\n" if "\r\n" in text else "\n"
    if text.count(newline) != text.count("\n"):
        return None
    mark, plain = text[: text.startswith(_MARK)], text.removeprefix(_MARK).replace("\r\n", "\n")
    try:
        before = yaml.safe_load(plain)
        if _has_ours(before):
            return text
        after = _with_hooks(plain, yaml.compose(plain, Loader=yaml.SafeLoader))
        if after is None or not _adds_only_hooks(before, yaml.safe_load(after)):
            return None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return mark + after.replace("\n", newline)


def _has_ours(content: object) -> bool:
    return any(isinstance(hook, dict) and _is_ours(hook) for hook in _hooks_in(content))


def _is_ours(hook: dict[object, object]) -> bool:
    return hook.get("id") in _OURS or not _PROGRAMS.isdisjoint(str(hook.get("entry", "")).split())


def _hooks_in(content: object) -> Iterator[object]:
    for repository in _list(content, "repos"):
        yield from _list(repository, "hooks")


def _list(content: object, key: str) -> list[object]:
    value = content.get(key) if isinstance(content, dict) else None
    return value if isinstance(value, list) else []


def _adds_only_hooks(before: object, after: object) -> bool:
    import yaml

    if not isinstance(before, dict):
        return False
    return after == {**before, "repos": [*_list(before, "repos"), *yaml.safe_load(_HOOKS)]}


def _with_hooks(text: str, root: Any) -> str | None:
    """The text with our hooks behind the last repository; None if it is no list of them in lines of its own."""
    pairs = root.value if getattr(root, "id", "") == "mapping" else ()
    repositories = next((value for key, value in pairs if key.value == "repos"), None)
    if repositories is None:
        return None
    start, end = repositories.start_mark, repositories.end_mark
    if not repositories.value or repositories.id == "scalar":
        written = text[start.index : end.index]
        if written and not _EMPTY.fullmatch(written):
            return None
        head, rest = text[: start.index].rstrip(" ") if written else text[: start.index], text[end.index :]
        blank = len(rest) - len(rest.lstrip(" "))
        return _inserted(head + (rest[blank:] if rest[blank : blank + 1] in {"", "\n"} else rest), start.line + 1, "  ")
    if repositories.id != "sequence" or repositories.flow_style:
        return None
    return _inserted(text, _end_of(text.split("\n"), start.column, repositories.value[-1]), " " * start.column)


def _end_of(lines: list[str], column: int, last: Any) -> int:
    """How many lines there are up to the end of the last repository, with the comments that belong to it."""
    end: int = last.end_mark.line + (last.end_mark.column > column and bool(lines[last.end_mark.line].strip()))
    while end < len(lines) and lines[end].lstrip().startswith("#") and _indent(lines[end]) > column:
        end += 1
    while end and (not lines[end - 1].strip() or _is_foreign_comment(lines[end - 1], column)):
        end -= 1
    return end


def _is_foreign_comment(line: str, column: int) -> bool:
    return line.lstrip().startswith("#") and _indent(line) <= column


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _inserted(text: str, number: int, indent: str) -> str:
    """The text with our hooks behind so many of its lines."""
    lines = text.split("\n")
    before, after = lines[:number], lines[number:]
    hooks = [indent + line for line in _HOOKS.rstrip("\n").split("\n")]
    return "\n".join((*before, *hooks, *(after or [""])))
