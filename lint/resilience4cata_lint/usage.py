"""What only the whole of a project's code can tell, also where it does not name us."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from resilience4cata.config.resolve import sources_known
from resilience4cata.facts import Composed, Declaration, Element, Project, Written, declarations_in
from resilience4cata.facts.familiar import BLOCKING
from resilience4cata.records import replace

from .reading import Reader

# `pipeline("payments", config=name)` is a call on an object that may be anything, so that only its text can be seen.
_PIPELINE: Final = b"pipeline("
_CONFIG_BY_VALUE: Final = re.compile(rb"""\bconfig\s*=(?!=)\s*(?![\s"'])""")

_SOCKET_TIMEOUT: Final = b"setdefaulttimeout"
# The modules whose calls such a limit bounds.
_SOCKETS: Final = re.compile(
    "|".join(sorted({name.partition(".")[0] for name, how in BLOCKING.items() if how.socket})).encode()
)


def with_used_templates(project: Project, views: Sequence[object], reader: Reader, paths: Iterable[str]) -> Project:
    """The project with what is known of the use of its templates; `paths` are all files of its code."""
    wanted = {template.name for template in project.templates if template.at.line}
    if not wanted or not project.closed or not sources_known(project):
        return project
    used: set[str] = set()
    for declaration in _declarations(views):
        slot = declaration.slots.get("config")
        names = slot.values if slot is not None else ()
        if not declaration.closed or not all(isinstance(name, str) for name in names):
            return project
        used.update(name for name in names if isinstance(name, str))
    rest = {name: [f"{quote}{name}{quote}".encode() for quote in "\"'"] for name in wanted - used}
    if rest:
        code = frozenset(paths)
        words = [word for quoted in rest.values() for word in quoted]
        calling, *naming = reader.holding([_PIPELINE, *words])
        if any(_CONFIG_BY_VALUE.search(reader.data(path)) for path in calling if path in code):
            return project
        # Whoever writes a name in quotes may use it, in whatever way.
        named = {word for word, found in zip(words, naming, strict=True) if not code.isdisjoint(found)}
        used.update(name for name, quoted in rest.items() if not named.isdisjoint(quoted))
    return replace(project, used_templates=frozenset(used))


def with_bounded_sockets(project: Project, reader: Reader) -> Project:
    """The project with what is known of a limit for all its sockets."""
    if project.bounds_sockets or not any(_SOCKETS.search(reader.data(path)) for path in reader.facts):
        return project
    [setting] = reader.holding([_SOCKET_TIMEOUT])
    found = (reader.facts_at(path) for path in setting if path not in reader.facts)
    return replace(project, bounds_sockets=any(facts is not None and facts.bounds_sockets for facts in found))


def _declarations(views: Iterable[object]) -> Iterator[Declaration]:
    """Every policy that is written anywhere."""
    for view in views:
        if isinstance(view, Written):
            yield view.declaration
        elif isinstance(view, Composed):
            yield from declarations_in(view)
        elif isinstance(view, Element):
            for applied in view.policies:
                yield from declarations_in(applied.policy)
