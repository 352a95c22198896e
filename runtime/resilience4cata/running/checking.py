"""Checking everything together: what `build()`, `reload()`, `check()` and `reconfigure()` have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from .. import rules
from ..config.resolve import last_global
from ..diagnostics import FRONT_ENDS, Context, Diagnostic, Finding, Severity
from ..errors import DefinitionError
from ..extract.extraction import inside
from ..extract.project import NO_ADDITIONS, Additions, Assembly, Loaded, Told
from ..extract.settings import Options, PolicySettings, Settings
from ..facts import At, Composed, Declaration, Element, Written
from ..guards import Guard
from ..pipeline.layers import NOT_EXECUTED
from ..pipeline.outcome import how_many
from ..policies.classes import adopt_hidden
from ..records import dataclass, field, replace
from ..registry import import_package
from .handlers import Handlers, made_handlers
from .telling import diagnostics_of, in_words
from .wording import worded

Views = Callable[[Assembly], tuple[object, ...]]
Look = Callable[[Collection[str]], tuple[Settings, tuple[Element, ...]]]
"""Gives what declares policies, and settings that know it; its places are exact in the source files that are given."""

_LIBRARY = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Checked:
    """Settings without errors; `diagnostics` are the warnings, in order of place.

    Where `is_checked` is False nobody looked for errors, since no policy runs. Declarations that were made after the
    moment `judged_until` are judged one by one, before they are first called. Those of `modules` are taken in beside
    the chosen ones. `handlers` are the fallback handlers that were made so far.
    """

    assembly: Assembly
    additions: Additions
    settings: Settings
    options: Options
    diagnostics: tuple[Diagnostic, ...]
    is_checked: bool
    judged_until: int = -1
    modules: frozenset[str] = frozenset()
    handlers: Handlers = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether everything that is declared was judged."""
        return self.judged_until >= self.assembly.extraction.moment

    def warnings(self, known: Collection[Diagnostic] = ()) -> Iterator[str]:
        """The warnings that are not `known`, as they are told."""
        return (diagnostic.text for diagnostic in self.diagnostics if diagnostic not in known)

    def exactly(self, guard: Guard, sources: Collection[str]) -> tuple[Settings, tuple[Element, ...]] | None:
        """What a guard stands for, with exact places in these source files, and settings that know it."""
        extraction = self.assembly.extraction.exactly(sources)
        found = extraction.guarded(guard)
        if found is None or found.element is None:
            return None
        assembly = self.assembly.beside(extraction, self.additions)
        settings = Settings(assembly, strict=self.options.strict, before=self.settings)
        return settings, extraction.declaring(found.element)

    def noting(self, warnings: Collection[Diagnostic]) -> Checked:
        """The same with further warnings; itself, if it has them."""
        new = [warning for warning in warnings if warning not in self.diagnostics]
        if not new:
            return self
        both = sorted((*self.diagnostics, *new), key=lambda diagnostic: (diagnostic.at, diagnostic.code))
        return replace(self, diagnostics=tuple(both))

    def not_executed(self) -> Iterator[str]:
        """The same of policies that do not run yet."""
        resolver = self.settings.instances.resolver
        elements = (element for several in self.settings.instances.elements.values() for element in several)
        later = sorted(e.definition.id for e in elements if any(p in NOT_EXECUTED for p, _ in resolver.resolve(e)))
        if later:
            yield f"hedge and adaptive_limit are checked but not run yet; declared on {', '.join(later)}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a builder was told, to be checked as often as it takes.

    `packages` are imported first. `only` are the packages and modules whose declarations count, () for all. `disabled`
    is for a `Resilience` that runs no policies: only its sources are judged, which may let fallbacks run.
    `make_handler` makes fallback handlers.
    """

    told: Told
    packages: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    disabled: bool = False
    make_handler: Callable[[type], Any] = field(default=lambda kind: kind())

    @property
    def checks(self) -> bool:
        """Whether anything is refused."""
        return not self.disabled or bool(self.told.sources)

    def read(self, additions: Additions = NO_ADDITIONS, before: Checked | None = None) -> Checked:
        """Read all sources and take in all declarations recorded so far.

        `before` is what counted until now: its classifiers are kept. Raises DefinitionError with all diagnostics if one
        of them is an error. A package's module that cannot be imported does not hide what is wrong in the others: if
        nothing is, what it raised is raised again, else it is the cause of the DefinitionError.
        """
        failed = {module: error for p in self.packages for module, error in import_package(p).items()}
        return self._taken_in(Loaded(self.told.sources), additions, before, failed)

    def declared_since(self, additions: Additions, before: Checked) -> Checked:
        """The same with the sources as they were read before."""
        return self._taken_in(before.assembly.loaded, additions, before, {})

    def for_calls(self, additions: Additions, before: Checked | None, modules: Collection[str] = ()) -> Checked:
        """Take in all declarations recorded so far, those of `modules` too, without judging them.

        `before` is what counted until now; if there is nothing yet, all sources are read and judged alone. Raises
        DefinitionError with all diagnostics of the configuration.
        """
        known = before.modules if before is not None else frozenset()
        taken = known | frozenset(modules)
        loaded = before.assembly.loaded if before is not None else Loaded(self.told.sources)

        def assemble(exact: Collection[str]) -> Assembly:
            return Assembly(self.told, loaded, self._chooser(taken), exact, additions=additions)

        if before is None:
            return replace(self._checked(assemble, additions, None, {}, _configuration), modules=taken)
        checked = self._checked(assemble, additions, before, {}, _nothing)
        return replace(checked, judged_until=before.judged_until, modules=taken, diagnostics=before.diagnostics)

    def further(self, additions: Additions, before: Checked, modules: Collection[str]) -> Checked | None:
        """What counted before, with what was declared since and what `modules` declare; nothing of it is judged.

        None where that may change what counted: then `for_calls` sees everything again.
        """
        taken = before.modules | frozenset(modules)
        adopt_hidden()
        extraction = before.assembly.extraction.further(self._chooser(taken), taken - before.modules)
        if extraction is None:
            return None
        return _going_on(before, before.assembly.further(extraction, additions), additions, taken)

    def beside(self, additions: Additions, before: Checked, cls: type, modules: Collection[str]) -> Checked:
        """What counted before, with what stands on a class that a function made, in chosen modules and in `modules`."""
        taken = before.modules | frozenset(modules)
        extraction = before.assembly.extraction.beside(cls, self._chooser(taken))
        return _going_on(before, before.assembly.beside(extraction, additions), additions, taken)

    def _chooser(self, taken: Collection[str]) -> Callable[[str], bool]:
        return lambda module: module in taken or self._chosen(module)

    def knows(self, checked: Checked, modules: Collection[str]) -> bool:
        """Whether the declarations of `modules` are taken in."""
        return self.chooses(set(modules) - checked.modules)

    def chooses(self, modules: Collection[str]) -> bool:
        """Whether the declarations of `modules` count from the start."""
        return all(self._chosen(module) for module in modules)

    def tuned(self, additions: Additions, before: Checked) -> Checked:
        """What counted before, with other additions. What was wrong before is not held against them."""

        def assemble(exact: Collection[str]) -> Assembly:
            return before.assembly.with_additions(additions, exact)

        if before.is_full:
            return replace(self._checked(assemble, additions, before, {}), modules=before.modules)
        known = [worded(f, strict=before.options.strict) for f in _findings(before.assembly, _everything)]
        checked = self._checked(assemble, additions, before, {}, known=known)
        new = tuple(diagnostic for diagnostic in checked.diagnostics if diagnostic not in before.diagnostics)
        return replace(
            checked,
            diagnostics=(*before.diagnostics, *new),
            judged_until=before.judged_until,
            modules=before.modules,
        )

    def _taken_in(
        self, loaded: Loaded, additions: Additions, before: Checked | None, failed: Mapping[str, Exception]
    ) -> Checked:
        closed = bool(self.packages) and not failed
        # What was called counts, whatever was chosen.
        called = before.modules if before is not None else frozenset()

        def chosen(module: str) -> bool:
            return module not in failed and (module in called or self._chosen(module))

        def assemble(exact: Collection[str]) -> Assembly:
            return Assembly(self.told, loaded, chosen, exact, closed=closed, additions=additions)

        views = _configuration if self.disabled else None
        return replace(self._checked(assemble, additions, before, failed, views), modules=called)

    def _checked(
        self,
        assemble: Callable[[Collection[str]], Assembly],
        additions: Additions,
        before: Checked | None,
        failed: Mapping[str, Exception],
        views: Views | None = None,
        known: Collection[Diagnostic] | None = None,
    ) -> Checked:
        """`views` are what rules look at, if not everything; what they find that is `known` does not count."""
        adopt_hidden()
        assembly, findings = _findings_of(assemble, views or _everything) if self.checks else (assemble(()), [])
        strict = self._is_strict(assembly)
        told = (worded(f, strict=strict) for f in findings if f.rule.on_by_default)
        diagnostics = tuple(d for d in told if d not in (known or ()))
        import_error = next(iter(failed.values()), None)
        if any(d.severity is Severity.ERROR for d in diagnostics):
            raise DefinitionError(_message(diagnostics, failed), diagnostics) from import_error
        if import_error is not None:
            raise import_error
        settings = Settings(assembly, strict=strict, before=before.settings if before is not None else None)
        options = replace(settings.options(), enabled=False) if self.disabled else settings.options()
        handlers = _still_there(before.handlers, settings) if before is not None else {}
        if self.checks and views is None and known is None:
            handlers = self._made(settings, options, handlers, diagnostics)
        judged_until = assembly.extraction.moment if views is None else -1
        return Checked(
            assembly, additions, settings, options, diagnostics, self.checks, judged_until, handlers=handlers
        )

    def _made(
        self, settings: Settings, options: Options, handlers: Handlers, diagnostics: tuple[Diagnostic, ...]
    ) -> Handlers:
        """Make what is made once, classifiers and fallback handlers, so that whatever fails does so now."""
        wrong = settings.make_all()
        if options.enabled or options.fallback_when_disabled:
            handlers, failed = made_handlers(settings, handlers, self.make_handler)
            wrong = (*wrong, *failed)
        if wrong:
            found = (*diagnostics, *diagnostics_of(settings, wrong))
            raise DefinitionError(_message(found, {}), found) from wrong[0][1].error
        return handlers

    def _is_strict(self, assembly: Assembly) -> bool:
        if self.told.strict is not None:
            return self.told.strict
        key = last_global(assembly.project.files, "strict")
        return key is None or key.value is not False

    def _chosen(self, module: str) -> bool:
        if self.only:
            return any(module == package or module.startswith(f"{package}.") for package in self.only)
        return module.partition(".")[0] != _LIBRARY


def _going_on(before: Checked, assembly: Assembly, additions: Additions, modules: frozenset[str]) -> Checked:
    settings = Settings(assembly, strict=before.options.strict, before=before.settings)
    return replace(before, assembly=assembly, additions=additions, settings=settings, modules=modules)


def looking_at(settings: Settings, element: Element) -> Look:
    """Gives what has no more exact places."""
    return lambda _: (settings, (element,))


def judge(look: Look, beside: Collection[object] = ()) -> tuple[Diagnostic, ...]:
    """Judge elements that were not there at `build()`, and what was said `beside` them: the warnings.

    Raises DefinitionError with all its errors.
    """
    settings, elements = look(())
    findings = _findings_on(settings, elements, beside)
    sources = {at.source for finding in findings for at in _places(finding) if settings.knows(at.source)}
    if sources:
        findings = _findings_on(*look(sources), beside)
    found = tuple(worded(f, strict=settings.strict) for f in findings if f.rule.on_by_default)
    errors = tuple(d for d in found if d.severity is Severity.ERROR)
    if errors:
        raise DefinitionError("\n".join(d.text for d in errors), errors)
    return found


def made_settings(settings: Settings, element: Element) -> Mapping[str, PolicySettings]:
    """The settings of an element that was judged. Raises DefinitionError for a classifier that cannot be made."""
    return in_words(lambda: settings.of(element), lambda: (settings, element))


def _still_there(handlers: Handlers, settings: Settings) -> Handlers:
    return {key: handler for key, handler in handlers.items() if key[0] in settings.instances.elements}


def _findings_of(assemble: Callable[[Collection[str]], Assembly], views: Views) -> tuple[Assembly, list[Finding]]:
    """Everything together with all findings. Source files are read only if something was found in them."""
    assembly = assemble(())
    findings = _findings(assembly, views)
    found_in = {at.source for finding in findings for at in _places(finding) if assembly.knows(at.source)}
    if found_in:
        assembly = assemble(found_in)
        findings = _findings(assembly, views)
    return assembly, findings


def _findings(assembly: Assembly, views: Views) -> list[Finding]:
    context = Context(FRONT_ENDS["build"], oracle=assembly.oracle, project=assembly.project)
    return rules.check(views(assembly), context)


def _findings_on(settings: Settings, elements: Iterable[Element], beside: Collection[object] = ()) -> list[Finding]:
    context = Context(FRONT_ENDS["build"], oracle=settings.oracle, project=settings.instances.project)
    return rules.check((*(view for element in elements for view in _views_on(element)), *beside), context)


def _views_on(element: Element) -> Iterator[object]:
    """What rules look at on an element that is judged by itself, with all that it uses."""
    yield from rules.views_of(element)
    for applied in element.policies:
        policy = applied.policy
        if isinstance(policy, Composed):
            yield from _views_within(policy)
        elif policy.at != applied.at:
            yield Written(policy)


def _views_within(composed: Composed) -> Iterator[object]:
    yield composed
    for member in composed.members:
        if isinstance(member, Composed):
            yield from _views_within(member)
        elif isinstance(member, Declaration):
            yield Written(member, within=composed.title if inside(member.at, composed.at) else "")


def _everything(assembly: Assembly) -> tuple[object, ...]:
    return assembly.views


def _configuration(assembly: Assembly) -> tuple[object, ...]:
    return assembly.configuration


def _nothing(assembly: Assembly) -> tuple[object, ...]:
    return ()


def _message(diagnostics: tuple[Diagnostic, ...], failed: Mapping[str, Exception]) -> str:
    errors = [d.text for d in diagnostics if d.severity is Severity.ERROR]
    count = how_many(len(errors), "error")
    unchecked = [
        f"not checked, since it cannot be imported: {module} ({type(error).__name__}: {error})"
        for module, error in failed.items()
    ]
    return "\n".join((f"{count} in resilience policies and their configuration", *errors, *unchecked))


def _places(finding: Finding) -> Iterator[At]:
    yield finding.fault.at
    for related in finding.fault.related:
        yield related.at
