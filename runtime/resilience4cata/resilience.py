"""One object holds it all: a builder collects sources and templates, and `build()` checks everything.

    resilience = Resilience.builder().source(ConfigSources.file("resilience4cata.toml")).scan("acme").build()

`build()` raises one `DefinitionError` with every mistake; what is only suspicious goes to `warnings.warn` and stays in
`resilience.diagnostics`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import TYPE_CHECKING, Any, Self

from .activation import Activation, Default, build_default_with
from .arguments import expect_callable, expect_flag, expect_methods, expect_text
from .clock import Clock, Scheduler
from .config.description import DescribedSetting, Description
from .config.resolve import SELECTORS
from .config.sources import ConfigSource, ConfigSources
from .diagnostics import Diagnostic
from .events import Event
from .extract.describing import Describing
from .extract.listeners import CodeListener
from .extract.project import NO_ADDITIONS, Additions, CodeOverride, CodeTemplate, Told
from .extract.settings import Budget, Options, PolicySettings
from .facts import Element
from .pipeline.instances import Machines
from .pipeline.runner import Pipeline
from .policies import Policy
from .policies.declaration import Site
from .records import replace
from .running import Checked, Counting, Decorated, Parts, Recipe, Running
from .running.later import guard_meant, guards_named, moment_of_last, warn_caller
from .running.listening import expect_listener
from .running.local import OwnMachines, place_of

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


class Resilience(Running):
    """What `build()` returns once every check has passed."""

    def __init__(self, recipe: Recipe, checked: Checked, parts: Parts | None = None) -> None:
        super().__init__(recipe, checked, parts or Parts())
        counting = Counting(lambda: self._era, self._era_for, self._judge, self._judge_late)
        self._decorated = Decorated(self._runner, counting)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings that the last check found, in order of place."""
        return self._era.checked.diagnostics

    @property
    def profiles(self) -> tuple[str, ...]:
        """The active profiles, in order of activation."""
        return self._era.settings.profiles

    @property
    def options(self) -> Options:
        """The keys that stand alone."""
        return self._era.options

    @staticmethod
    def builder() -> ResilienceBuilder:
        """A builder without any source."""
        return ResilienceBuilder()

    @staticmethod
    def disabled(*sources: ConfigSource) -> Resilience:
        """One that lets every call pass through, whatever is declared; it can be activated, and wraps objects.

        Fallbacks run where one of the sources says `fallback.when-disabled=true`. The sources are checked, and nothing
        else: DefinitionError with all their diagnostics.
        """
        recipe = Recipe(Told(sources=[*sources]), disabled=True)
        checked = recipe.for_calls(NO_ADDITIONS, None)
        _warn(checked.warnings())
        return Resilience(recipe, checked)

    def activate(self) -> Activation[Resilience]:
        """Let decorated callables of the whole process run on this `Resilience` from now on.

        As a context manager, `with resilience.activate():`, it ends with the block; then what was active before is
        active again. Activations must end in reverse order: RuntimeError otherwise.
        """
        return Activation(self, self._decorated.run)

    def describe(self, target: object) -> Description:
        """What counts for a guarded function or method, and where each value comes from; printed, it says all of it.

        `target` is the function itself, bound or not, or an id: `"acme.payments.PaymentsClient#charge"`. Functions
        that another function made may share an id, and differ: then only the function itself tells which is meant.
        Raises LookupError for an id that means several, and, with the nearest id, for what is not guarded.
        """
        describing, element = self._sought(target)
        return describing.of(element)

    def settings_for(self, element: Element) -> Mapping[str, PolicySettings]:
        """The effective values of an element by policy and attribute, as what runs needs them; made once."""
        return self._era.settings.of(element)

    def element(self, target: object) -> Element:
        """The facts of a guarded function or method. Raises LookupError as `describe` does."""
        return self._sought(target)[1]

    def _sought(self, target: object) -> tuple[Describing, Element]:
        """What somebody means, and what knows it."""
        if isinstance(target, str):
            named = guards_named(target)
            if any(place_of(guard) != place_of(named[0]) for guard in named):
                msg = f"several functions have the id '{target}'; describe one of them itself"
                raise LookupError(msg)
        else:
            named = [guard for guard in (guard_meant(target),) if guard is not None]
        seen = self._decorated.seen(named[0]) if named else None
        if seen is not None:
            settings, element = seen
            return Describing(settings, self._era.pipelines), element
        self._era_for(None, moment_of_last(), ())
        return self._era.describing, self._era.describing.element(target)

    def reconfigure(self, name_or_id: str, *policies: Policy) -> None:
        """Tune one instance, known by its shared name, by an element's id or by a pipeline's name, while it runs.

        What the policies write is stronger than anything else, for everything that uses the instance; a later call adds
        to it, and wins where both write an attribute. It stays so over `reload()`, until a call without policies takes
        all of it back. Running calls finish on the settings that they began with. State is kept, but another
        `window_type` or `window_size` begins an empty closed window.

        Raises DefinitionError with all diagnostics, and changes nothing, for an instance that does not exist or is
        locked, for a policy that it does not have, and for settings that `build()` would refuse; TypeError for what is
        no single policy, or chooses `name` or `config`. New warnings go to `warnings.warn`.
        """
        expect_text("reconfigure()", "the name or id of an instance", name_or_id)
        override = CodeOverride(name_or_id, tuple(map(_single_policy, policies)), _site(sys._getframe(1)))

        def check(additions: Additions, before: Checked) -> Checked:
            overrides = tuple(_overrides_with(override, additions.overrides))
            return self._recipe.tuned(additions._replace(overrides=overrides), before)

        known = self.diagnostics
        self._renew(check, lambda checked: checked.warnings(known))

    def reload(self) -> None:
        """Read all sources again, take in all declarations recorded so far, and go on with what they say now.

        Everything is checked first and then counts at once: for decorated functions, bound objects and pipelines, and
        for the keys that stand alone. Instances keep their state, and go on live where their settings changed; those
        that nothing declares any more are let go. What `reconfigure` set stays the strongest.

        Raises DefinitionError with all diagnostics, and changes nothing, if anything is wrong, a missing or broken
        source included. Warnings are given as at `build()`, before anything changes.
        """
        self._renew(self._recipe.read, _all_warnings)

    def check(self) -> None:
        """Check what was declared since `build()`, and let it count; sources are not read again.

        Raises DefinitionError with all diagnostics if anything is wrong; then nothing changes. New warnings go to
        `warnings.warn`.
        """
        known = self.diagnostics
        self._renew(self._recipe.declared_since, lambda checked: checked.warnings(known))

    def _all_machines(self) -> list[Machines | OwnMachines]:
        return [*super()._all_machines(), *self._decorated.local_machines()]


class ResilienceBuilder:
    """Collects what a `Resilience` is made of. Every method but `build` and `copy` returns the builder itself.

    What cannot be meant is a TypeError at once; what is wrong with a name or a value, `build()` says.
    """

    def __init__(self) -> None:
        self._told = Told()
        self._parts = Parts()
        self._packages: list[str] = []
        self._only: tuple[str, ...] = ()

    def copy(self) -> ResilienceBuilder:
        """A builder that was told the same so far; what either is told from now on, the other does not know."""
        made = ResilienceBuilder()
        made._told = self._told.copy()
        made._parts = replace(self._parts, listeners=[*self._parts.listeners])
        made._packages, made._only = [*self._packages], self._only
        return made

    def source(self, source: ConfigSource) -> Self:
        """Read a source of configuration; later ones win over earlier ones of the same kind.

        Whatever their order, options of the interpreter beat the environment, which beats files, which beat packaged
        defaults.
        """
        expect_methods("source()", "a source of configuration", source, ("load",))
        self._told.sources.append(source)
        return self

    def profiles(self, *names: str) -> Self:
        """Activate profiles, in this order, whatever the sources activate."""
        expect_text("profiles()", "names of profiles", *names)
        self._told.profiles = names
        self._told.profiles_site = _site(sys._getframe(1))
        return self

    def defaults(self, *policies: Policy) -> Self:
        """Attributes for elements that do not write them.

        Raises TypeError for what is no single policy, or chooses `name` or `config`; so do `config` and `instance`.
        """
        self._told.defaults.extend(map(_single_policy, policies))
        return self

    def config(self, name: str, *policies: Policy, extends: str | None = None) -> Self:
        """Define the template `name`, starting from another. Raises TypeError as `defaults` does."""
        expect_text("config()", "the name of a template", name, *(() if extends is None else (extends,)))
        site = _site(sys._getframe(1))
        self._told.templates.append(CodeTemplate(name, tuple(map(_single_policy, policies)), extends, site))
        return self

    def instance(self, name: str, *policies: Policy) -> Self:
        """Override attributes of one instance, whatever else is written. Raises TypeError as `defaults` does.

        `name` is a shared name, or an element's own id (`"acme.payments.PaymentsClient#charge"`).
        """
        expect_text("instance()", "the name or id of an instance", name)
        site = _site(sys._getframe(1))
        self._told.overrides.append(CodeOverride(name, tuple(map(_single_policy, policies)), site))
        return self

    def locked(self, *names: str) -> Self:
        """Let no source tune these instances; each attempt is reported."""
        expect_text("locked()", "names or ids of instances", *names)
        site = _site(sys._getframe(1))
        for position, name in enumerate(names):
            self._told.locked.setdefault(name, (site, position))
        return self

    def clock(self, clock: Clock) -> Self:
        """Take the time from another clock."""
        expect_methods("clock()", "a Clock", clock, ("monotonic_ns", "wall_ns"))
        self._parts.clock = clock
        return self

    def scheduler(self, scheduler: Scheduler) -> Self:
        """Wait in another way."""
        expect_methods("scheduler()", "a Scheduler", scheduler, ("wait", "wait_async"))
        self._parts.scheduler = scheduler
        return self

    def random(self, random: Random) -> Self:
        """Draw jitter from another source: `Random(42)` gives the same waits each time."""
        expect_methods("random()", "a random.Random", random, ("randint",))
        self._parts.random = random
        return self

    def executor(self, executor: Executor) -> Self:
        """Run offloaded functions on another executor."""
        expect_methods("executor()", "an executor", executor, ("submit",))
        self._parts.executor = executor
        return self

    def handler_factory(self, factory: Callable[[type], Any]) -> Self:
        """Make fallback handlers another way than by calling their class."""
        expect_callable("handler_factory()", "a function that makes a handler of its class", factory)
        self._parts.make_handler = factory
        self._told.makes_handlers = True
        return self

    def listener(self, callback: Callable[[Any], object], kind: type[Event] | UnionType = Event) -> Self:
        """Call `callback` with each event of a kind, a class of `resilience4cata.events` or a union of them."""
        expect_listener("listener()", kind, callback)
        self._parts.listeners.append((kind, callback))
        self._told.listeners.append(CodeListener(callback, _site(sys._getframe(1))))
        return self

    def strict(self, strict: bool = True) -> Self:
        """Whether keys, variables and overrides that nobody knows are errors (the default) or warnings."""
        expect_flag("strict()", strict)
        self._told.strict = strict
        return self

    def scan(self, package: str) -> Self:
        """Import every module of a package at `build()`, so that what is recorded is all there is.

        Its `__main__` modules are left out: they run the application.
        """
        expect_text("scan()", "the name of a package", package)
        self._packages.append(package)
        return self

    def only(self, *packages: str) -> Self:
        """Check the declarations of these packages and modules alone.

        For processes that hold several applications, each with a `Resilience` of its own, and for tests.
        """
        expect_text("only()", "names of packages and modules", *packages)
        self._only = packages
        return self

    def build(self) -> Resilience:
        """Check every declaration recorded so far together with the configuration.

        Raises DefinitionError with all diagnostics if one of them is an error; only warnings go to `warnings.warn`.
        A scanned module that cannot be imported does not hide what is wrong in the others: if nothing is, what it
        raised is raised again, else it is the cause of the DefinitionError.
        """
        # Of its own: a builder may be told more, and build again.
        recipe = Recipe(self._told.copy(), tuple(self._packages), self._only, make_handler=self._parts.make_handler)
        checked = recipe.read()
        resilience = Resilience(recipe, checked, replace(self._parts, listeners=[*self._parts.listeners]))
        _warn(_all_warnings(checked))
        return resilience


def _build_default() -> Default:
    """What decorated callables run on if nobody activates anything: configured by what counts without being named.

    The configuration is judged now, each declaration before its own first call.
    """
    recipe = Recipe(Told(sources=[*ConfigSources.default()]))
    checked = recipe.for_calls(NO_ADDITIONS, None)
    _warn(checked.warnings())
    resilience = Resilience(recipe, checked)
    return Default(resilience, resilience._decorated.run)


build_default_with(_build_default)


def _all_warnings(checked: Checked) -> Iterator[str]:
    yield from checked.warnings()
    yield from checked.not_executed()


def _warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        warn_caller(warning)


def _site(frame: Any) -> Site:
    return Site(frame.f_code, frame.f_lasti)


def _single_policy(policy: Any) -> Policy:
    if not isinstance(policy, Policy):
        msg = f"expected single policies such as retry(...), not {policy!r}"
        raise TypeError(msg)
    for selector in SELECTORS:
        if selector in policy.written:
            msg = f"'{selector}' is chosen where {policy.schema.name} is applied, so it cannot stand here: {policy!r}"
            raise TypeError(msg)
    return policy


def _overrides_with(new: CodeOverride, known: Iterable[CodeOverride]) -> Iterator[CodeOverride]:
    """The overrides with another one, which takes back all of its name if it has no policies.

    An older one stays only for what it alone writes, so that they do not become more and more.
    """
    written = {(policy.schema.name, name) for policy in new.policies for name in policy.written}
    for override in known:
        stays = {(policy.schema.name, name) for policy in override.policies for name in policy.written} - written
        if override.name != new.name or (new.policies and stays):
            yield override
    if new.policies:
        yield new
