"""One object holds it all: a builder collects sources and templates, and `build()` checks everything.

    resilience = Resilience.builder().source(ConfigSources.file("resilience4cata.toml")).scan("acme").build()

`build()` raises one `DefinitionError` with every mistake; what is only suspicious goes to `warnings.warn` and stays in
`resilience.diagnostics`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import UnionType
from typing import TYPE_CHECKING, Any, Self

from . import rules
from .clock import Clock, Scheduler
from .config.description import DescribedSetting, Description
from .config.resolve import last_global
from .config.sources import ConfigSource, ConfigSources
from .diagnostics import FRONT_ENDS, Context, Diagnostic, Finding, Related, Severity
from .errors import DefinitionError, ResilienceWarning
from .events import Event
from .extract.describing import Describing
from .extract.project import Assembly, CodeOverride, CodeTemplate, Loaded, Told
from .extract.settings import Budget, Options, PolicySettings, Settings
from .facts import At, Element
from .pipeline.runner import Pipeline
from .policies import Policy
from .policies.declaration import Site
from .registry import import_package
from .running import Parts, Running

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .policies.machines.retry import Random

__all__ = [
    "Budget",
    "ConfigSource",
    "ConfigSources",
    "DescribedSetting",
    "Description",
    "Options",
    "Pipeline",
    "Resilience",
    "ResilienceBuilder",
]

_LIBRARY = __name__.partition(".")[0]
# With strict(False), keys that nobody knows are told but tolerated: an older library may read a newer file.
_TOLERATED = frozenset({"R4C-CFG-009", "R4C-CFG-010", "R4C-CFG-011", "R4C-CFG-013"})


class Resilience(Running):
    """What `build()` returns once every check has passed.

    `diagnostics` are the warnings it found, in order of place; `profiles` the active ones in order of activation;
    `options` the keys that stand alone.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], settings: Settings, parts: Parts | None = None) -> None:
        self.diagnostics = diagnostics
        self.profiles = settings.profiles
        self.options: Options = settings.options()
        super().__init__(settings, self.options, parts or Parts())
        self._describing = Describing(settings)

    @staticmethod
    def builder() -> ResilienceBuilder:
        """A builder without any source."""
        return ResilienceBuilder()

    def describe(self, target: object) -> Description:
        """What counts for a guarded function or method, and where each value comes from; printed, it says all of it.

        `target` is the function itself, bound or not, or an id: `"acme.payments.PaymentsClient#charge"`. Raises
        LookupError, with the nearest id, for what is not guarded or was declared after `build()`.
        """
        return self._describing.description(target)

    def settings_for(self, element: Element) -> Mapping[str, PolicySettings]:
        """The effective values of an element by policy and attribute, as what runs needs them; made once."""
        return self._settings.of(element)

    def element(self, target: object) -> Element:
        """The facts of a guarded function or method. Raises LookupError as `describe` does."""
        return self._describing.element(target)


class ResilienceBuilder:
    """Collects what a `Resilience` is made of. Every method but `build` returns the builder itself."""

    def __init__(self) -> None:
        self._told = Told()
        self._parts = Parts()
        self._packages: list[str] = []
        self._only: tuple[str, ...] = ()
        self._failed: dict[str, Exception] = {}

    def source(self, source: ConfigSource) -> Self:
        """Read a source of configuration; later ones win over earlier ones of the same kind.

        Whatever their order, options of the interpreter beat the environment, which beats files, which beat packaged
        defaults.
        """
        self._told.sources.append(source)
        return self

    def profiles(self, *names: str) -> Self:
        """Activate profiles, in this order, whatever the sources activate."""
        self._told.profiles = names
        self._told.profiles_site = _site(sys._getframe(1))
        return self

    def defaults(self, *policies: Policy) -> Self:
        """Attributes for elements that do not write them. Raises TypeError for what is no single policy."""
        self._told.defaults.extend(map(_single_policy, policies))
        return self

    def config(self, name: str, *policies: Policy, extends: str | None = None) -> Self:
        """Define the template `name`, starting from another. Raises TypeError for what is no single policy."""
        site = _site(sys._getframe(1))
        self._told.templates.append(CodeTemplate(name, tuple(map(_single_policy, policies)), extends, site))
        return self

    def instance(self, name: str, *policies: Policy) -> Self:
        """Override attributes of one instance, whatever else is written. Raises TypeError for what is no single policy.

        `name` is a shared name, or an element's own id (`"acme.payments.PaymentsClient#charge"`).
        """
        site = _site(sys._getframe(1))
        self._told.overrides.append(CodeOverride(name, tuple(map(_single_policy, policies)), site))
        return self

    def locked(self, *names: str) -> Self:
        """Let no source tune these instances; each attempt is reported."""
        self._told.locked |= dict.fromkeys(names)
        return self

    def clock(self, clock: Clock) -> Self:
        """Take the time from another clock."""
        self._parts.clock = clock
        return self

    def scheduler(self, scheduler: Scheduler) -> Self:
        """Wait in another way."""
        self._parts.scheduler = scheduler
        return self

    def random(self, random: Random) -> Self:
        """Draw jitter from another source: `Random(42)` gives the same waits each time."""
        self._parts.random = random
        return self

    def executor(self, executor: Executor) -> Self:
        """Run offloaded functions on another executor."""
        self._parts.executor = executor
        return self

    def handler_factory(self, factory: Callable[[type], Any]) -> Self:
        """Make fallback handlers another way than by calling their class."""
        self._parts.make_handler = factory
        return self

    def listener(self, callback: Callable[[Any], object], kind: type[Event] | UnionType = Event) -> Self:
        """Call `callback` with each event of a kind."""
        self._parts.listeners.append((kind, callback))
        return self

    def strict(self, strict: bool = True) -> Self:
        """Whether keys, variables and overrides that nobody knows are errors (the default) or warnings."""
        self._told.strict = strict
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
        assembly, findings = self._checked()
        strict = self._is_strict(assembly)
        diagnostics = tuple(_in_words(f, strict=strict) for f in findings if f.rule.on_by_default)
        import_error = next(iter(self._failed.values()), None)
        if any(d.severity is Severity.ERROR for d in diagnostics):
            raise DefinitionError(self._message(diagnostics), diagnostics) from import_error
        if import_error is not None:
            raise import_error
        settings = Settings(assembly, strict=strict)
        try:
            settings.make_all()
        except Exception as error:
            msg = f"a classifier cannot be made: {type(error).__name__}: {error}"
            raise DefinitionError(msg, diagnostics) from error
        for diagnostic in diagnostics:
            warnings.warn(diagnostic.text, ResilienceWarning, stacklevel=2)
        resilience = Resilience(diagnostics, settings, replace(self._parts, listeners=[*self._parts.listeners]))
        later = resilience.not_executed()
        if later:
            msg = f"hedge and adaptive_limit are checked but not run yet; declared on {', '.join(sorted(later))}"
            warnings.warn(msg, ResilienceWarning, stacklevel=2)
        return resilience

    def _checked(self) -> tuple[Assembly, list[Finding]]:
        """Everything together with all findings. Source files are read only if something was found in them."""
        loaded = Loaded(self._told.sources)
        assembly = self._assembly(loaded)
        findings = _findings(assembly)
        found_in = {at.source for finding in findings for at in _places(finding) if assembly.knows(at.source)}
        if found_in:
            assembly = self._assembly(loaded, found_in)
            findings = _findings(assembly)
        return assembly, findings

    def _assembly(self, loaded: Loaded, exact: Collection[str] = ()) -> Assembly:
        closed = bool(self._packages) and not self._failed
        return Assembly(self._told, loaded, self._chosen, exact, closed=closed)

    def _is_strict(self, assembly: Assembly) -> bool:
        if self._told.strict is not None:
            return self._told.strict
        key = last_global(assembly.project.files, "strict")
        return key is None or key.value is not False

    def _message(self, diagnostics: tuple[Diagnostic, ...]) -> str:
        errors = [d.text for d in diagnostics if d.severity is Severity.ERROR]
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        unchecked = [
            f"not checked, since it cannot be imported: {module} ({type(error).__name__}: {error})"
            for module, error in self._failed.items()
        ]
        return "\n".join((f"{count} in resilience policies and their configuration", *errors, *unchecked))

    def _chosen(self, module: str) -> bool:
        if module in self._failed:
            return False
        if self._only:
            return any(module == package or module.startswith(f"{package}.") for package in self._only)
        return module.partition(".")[0] != _LIBRARY


def _site(frame: Any) -> Site:
    return Site(frame.f_code, frame.f_lasti, frame.f_lineno)


def _findings(assembly: Assembly) -> list[Finding]:
    context = Context(FRONT_ENDS["build"], oracle=assembly.extraction.oracle, project=assembly.project)
    return rules.check(assembly.views, context)


def _in_words(finding: Finding, *, strict: bool) -> Diagnostic:
    diagnostic = finding.diagnostic()
    tolerated = diagnostic.code in _TOLERATED and not strict
    return diagnostic._replace(
        severity=Severity.WARNING if tolerated else diagnostic.severity,
        at=_whole(diagnostic.at),
        related=tuple(Related(_whole(r.at), r.text) for r in diagnostic.related if r.at.source),
    )


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
