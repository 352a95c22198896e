"""One object holds it all: a builder collects sources and templates, and `build()` checks everything.

    resilience = Resilience.builder().source(ConfigSources.file("resilience4cata.toml")).scan("acme").build()

`build()` raises one `DefinitionError` with every mistake; what is only suspicious goes to `warnings.warn` and stays in
`resilience.diagnostics`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, Self

from . import rules
from .config.sources import ConfigSource, ConfigSources, EnvironmentSource, load
from .config.tree import templates_of
from .diagnostics import FRONT_ENDS, Context, Diagnostic, Finding, Related, Severity
from .errors import DefinitionError, ResilienceWarning
from .extract import Extraction, extract, inside
from .facts import NOWHERE, At, ConfigFile, Declaration, Project, Template, Written
from .policies import Policy
from .policies.declaration import Site
from .registry import import_package

__all__ = ["ConfigSource", "ConfigSources", "Resilience", "ResilienceBuilder"]

_LIBRARY = __name__.partition(".")[0]
# With strict(False), keys that nobody knows are told but tolerated: an older library may read a newer file.
_TOLERATED = frozenset({"R4C-CFG-011"})


class Resilience:
    """What `build()` returns once every check has passed.

    `diagnostics` are the warnings it found, in order of place; `profiles` the active ones in order of activation.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], profiles: tuple[str, ...]) -> None:
        self.diagnostics = diagnostics
        self.profiles = profiles

    @staticmethod
    def builder() -> ResilienceBuilder:
        """A builder without any source."""
        return ResilienceBuilder()


class _CodeTemplate(NamedTuple):
    """`.config(name, *policies, extends=…)` as it was called."""

    name: str
    policies: tuple[Policy, ...]
    extends: str | None
    site: Site


class ResilienceBuilder:
    """Collects what a `Resilience` is made of. Every method but `build` returns the builder itself."""

    def __init__(self) -> None:
        self._sources: list[ConfigSource] = []
        self._profiles: tuple[str, ...] = ()
        self._templates: list[_CodeTemplate] = []
        self._defaults: list[Policy] = []
        self._instances: list[Policy] = []
        self._packages: list[str] = []
        self._only: tuple[str, ...] = ()
        self._failed: dict[str, Exception] = {}
        self._strict = True

    def source(self, source: ConfigSource) -> Self:
        """Read a source of configuration; later ones win over earlier ones."""
        self._sources.append(source)
        return self

    def profiles(self, *names: str) -> Self:
        """Activate profiles, in this order."""
        self._profiles = names
        return self

    def defaults(self, *policies: Policy) -> Self:
        """Attributes for elements that do not write them. Raises TypeError for what is no single policy."""
        self._defaults.extend(map(_single_policy, policies))
        return self

    def config(self, name: str, *policies: Policy, extends: str | None = None) -> Self:
        """Define the template `name`, starting from another. Raises TypeError for what is no single policy."""
        frame = sys._getframe(1)
        site = Site(frame.f_code, frame.f_lasti, frame.f_lineno)
        self._templates.append(_CodeTemplate(name, tuple(map(_single_policy, policies)), extends, site))
        return self

    def instance(self, name: str, *policies: Policy) -> Self:
        """Override attributes of one instance. Raises TypeError for what is no single policy."""
        self._instances.extend(map(_single_policy, policies))
        return self

    def strict(self, strict: bool = True) -> Self:
        """Whether an unknown configuration key is an error (the default) or a warning."""
        self._strict = strict
        return self

    def scan(self, package: str) -> Self:
        """Import every module of a package at `build()`, so that what is recorded is all there is.

        Its `__main__` modules are left out: they run the application.
        """
        self._packages.append(package)
        return self

    def only(self, *packages: str) -> Self:
        """Check the declarations of these packages and modules alone.

        For processes that hold several applications, each with a `Resilience` of its own, and for tests.
        """
        self._only = packages
        return self

    def build(self) -> Resilience:
        """Check every declaration recorded so far together with the configuration.

        Raises DefinitionError with all diagnostics if one of them is an error; only warnings go to `warnings.warn`.
        A scanned module that cannot be imported does not hide what is wrong in the others: if nothing is, what it
        raised is raised again, else it is the cause of the DefinitionError.
        """
        self._failed = {module: error for p in self._packages for module, error in import_package(p).items()}
        diagnostics = self._diagnostics()
        import_error = next(iter(self._failed.values()), None)
        if any(d.severity is Severity.ERROR for d in diagnostics):
            raise DefinitionError(self._message(diagnostics), diagnostics) from import_error
        if import_error is not None:
            raise import_error
        for diagnostic in diagnostics:
            warnings.warn(diagnostic.text, ResilienceWarning, stacklevel=2)
        return Resilience(diagnostics, self._profiles)

    def _message(self, diagnostics: tuple[Diagnostic, ...]) -> str:
        errors = [d.text for d in diagnostics if d.severity is Severity.ERROR]
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        unchecked = [
            f"not checked, since it cannot be imported: {module} ({type(error).__name__}: {error})"
            for module, error in self._failed.items()
        ]
        return "\n".join((f"{count} in resilience policies and their configuration", *errors, *unchecked))

    def _diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings in words. Source files are read only if something was found in them."""
        check = _Check(self, ())
        found_in = {at.source for finding in check.findings for at in _places(finding) if check.knows(at.source)}
        if found_in:
            check = _Check(self, found_in)
        reported = (f.diagnostic() for f in check.findings if f.rule.on_by_default)
        return tuple(map(self._finished, reported))

    def _finished(self, diagnostic: Diagnostic) -> Diagnostic:
        tolerated = diagnostic.code in _TOLERATED and not self._strict
        return diagnostic._replace(
            severity=Severity.WARNING if tolerated else diagnostic.severity,
            at=_whole(diagnostic.at),
            related=tuple(Related(_whole(r.at), r.text) for r in diagnostic.related if r.at.source),
        )

    def _chosen(self, module: str) -> bool:
        if module in self._failed:
            return False
        if self._only:
            return any(module == package or module.startswith(f"{package}.") for package in self._only)
        return module.partition(".")[0] != _LIBRARY


class _Check:
    """One run of the rules over everything that a builder knows; `exact` are the source files that may be read."""

    def __init__(self, builder: ResilienceBuilder, exact: Collection[str]) -> None:
        self._builder = builder
        self._extraction: Extraction = extract(builder._chosen, exact)
        code = tuple(map(self._template, builder._templates))
        defaults = tuple(map(self._extraction.policies.declaration, builder._defaults))
        instances = tuple(map(self._extraction.policies.declaration, builder._instances))
        files = self._files({template.name for template in code})
        project = Project(
            elements=self._extraction.elements,
            composed=self._extraction.composed,
            templates=(*code, *templates_of(files)),
            files=files,
            closed=bool(builder._packages) and not builder._failed,
            templates_closed=True,
            defaults=defaults,
            profiles=builder._profiles or None,
        )
        context = Context(FRONT_ENDS["build"], oracle=self._extraction.oracle, project=project)
        views = (
            *self._extraction.views,
            *self._written(code, (*defaults, *instances)),
            *project.templates,
            *files,
            project,
        )
        self.findings: list[Finding] = rules.check(views, context)

    def knows(self, source: str) -> bool:
        """Whether `source` is a file of code in which places can be told more exactly."""
        return self._extraction.places.knows(source)

    def _files(self, names: set[str]) -> tuple[ConfigFile, ...]:
        sources = self._builder._sources
        files = {i: load(s) for i, s in enumerate(sources) if not isinstance(s, EnvironmentSource)}
        names = names | {template.name for template in templates_of(files.values())}
        instances = {
            name
            for element in self._extraction.elements
            for applied in element.policies
            if isinstance(applied.policy, Declaration) and isinstance(name := applied.policy.value("name"), str)
        }
        for index, source in enumerate(sources):
            if isinstance(source, EnvironmentSource):
                known = EnvironmentSource(source.environment, templates=sorted(names), instances=sorted(instances))
                files[index] = load(known)
        return tuple(files[index] for index in sorted(files))

    def _template(self, template: _CodeTemplate) -> Template:
        places, facts = self._extraction.places, self._extraction.policies
        call = places.call(*template.site)
        return Template(
            template.name,
            places.argument(call, "name", 0),
            tuple(facts.declaration(policy, call) for policy in template.policies),
            template.extends,
            places.argument(call, "extends") if template.extends is not None else NOWHERE,
        )

    def _written(self, templates: tuple[Template, ...], settings: Iterable[Declaration]) -> Iterator[Written]:
        """The policies given to the builder. One that was made elsewhere stands there, not within the template."""
        for template, called in zip(templates, self._builder._templates, strict=True):
            call = self._extraction.places.call(*called.site)
            for declaration in template.declarations:
                here = inside(declaration.at, call)
                yield Written(declaration, within=f'config("{template.name}")' if here else "")
        yield from map(Written, settings)


def _single_policy(policy: Any) -> Policy:
    if not isinstance(policy, Policy):
        msg = f"expected single policies such as retry(...), not {policy!r}"
        raise TypeError(msg)
    return policy


def _places(finding: Finding) -> Iterator[At]:
    yield finding.fault.at
    for related in finding.fault.related:
        yield related.at


def _whole(at: At) -> At:
    """A place without the name of an attribute that could not be found there."""
    return at.inside("") if at.attribute else at
