"""Small projects written as text, linked, and asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent

from resilience4cata.facts import (
    Composed,
    ConfigFile,
    Declaration,
    Definition,
    Element,
    Scope,
    Template,
    Unreadable,
    Value,
    Written,
)
from resilience4cata_lint.extract import extract
from resilience4cata_lint.link import Linked, link
from resilience4cata_lint.symbols import FileFacts

IMPORTS = "from resilience4cata import *\n"


def facts(text: str, module: str = "acme.app", *, is_package: bool = False) -> FileFacts:
    """The facts of one file, which has to be readable."""
    found = extract(f"{module.replace('.', '/')}.py", dedent(text).encode(), module, is_package)
    assert not isinstance(found, Unreadable), found
    return found


def linked(
    files: str | Mapping[str, str],
    *,
    beside: Mapping[str, str] | None = None,
    templates: tuple[Template, ...] = (),
    config_files: tuple[ConfigFile, ...] = (),
    sources_known: bool = True,
) -> Linked:
    """Link files by module name; a text alone is `acme.app`. `beside` are modules that only the loader finds.

    A module that others lie below is taken for a package.
    """
    given = {"acme.app": files} if isinstance(files, str) else files
    every = {**given, **(beside or {})}
    read = {
        name: facts(text, name, is_package=any(n.startswith(f"{name}.") for n in every)) for name, text in every.items()
    }
    loader: Callable[[str], FileFacts | None] = {name: read[name] for name in beside or {}}.get
    return link(
        [read[name] for name in given],
        config_files=config_files,
        templates=templates,
        closed=True,
        sources_known=sources_known,
        loader=loader,
    )


def elements(project: Linked) -> dict[str, Element]:
    """The decorated definitions by id."""
    return {view.definition.id: view for view in project.views if isinstance(view, Element)}


def element(project: Linked, name: str) -> Element:
    """The decorated definition whose id ends with `name`."""
    return next(e for id_, e in elements(project).items() if id_ == name or id_.endswith(f".{name}"))


def written(project: Linked) -> list[Written]:
    """The policies written somewhere."""
    return [view for view in project.views if isinstance(view, Written)]


def composed(project: Linked) -> list[Composed]:
    """The composed policies."""
    return [view for view in project.views if isinstance(view, Composed)]


def applied(project: Linked, name: str) -> list[str]:
    """The policies on a definition, by policy or by the composed policy's name."""
    policies = [a.policy for a in element(project, name).policies]
    return [p.policy if isinstance(p, Declaration) else str(p.name.value) for p in policies]


def slot_values(text: str, attribute: str, *, before: str = "", **modules: str) -> tuple[Value, ...]:
    """What `attribute` may be in the policy call `text`, with `before` above it; () if it is not written."""
    others = {name.replace("__", "."): content for name, content in modules.items()}
    project = linked({"acme.app": f"{IMPORTS}{dedent(before)}\nshared = {text}\n", **others})
    declaration = written(project)[-1].declaration
    slot = declaration.slots.get(attribute)
    return () if slot is None else slot.values


def found(scope: Scope, name: str) -> str:
    """What a name finds in a scope: an id, "unknown" or "nothing"."""
    result = scope.lookup(name)
    return result.id if isinstance(result, Definition) else "nothing" if result is None else "unknown"
