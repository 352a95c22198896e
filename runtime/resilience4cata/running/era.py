"""Settings while they count: what one reading of code and configuration makes of every call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..config.description import description_of
from ..config.resolve import element_id
from ..extract.definitions import mangled
from ..extract.describing import Describing
from ..extract.scopes import ClassScope
from ..extract.settings import PolicySettings
from ..facts import At, Element, Kind
from ..guards import guard_of
from ..pipeline.falling_back import Target
from ..pipeline.instances import Instances
from ..pipeline.layers import Maker
from ..pipeline.slow import Layer
from ..policies.machines.budget import RetryBudgetSettings
from ..policies.recorded import binding_removed, function_of
from ..records import replace
from .handlers import made_handler
from .targets import function_targets, method_targets, pipeline_targets
from .telling import in_words

if TYPE_CHECKING:
    from .checking import Checked

T = TypeVar("T")


class Method(NamedTuple):
    """A guarded method as objects of a class have it: its facts, the member, and the class that defines it."""

    element: Element
    member: Any
    owner: type


class Era:
    """What counts from one publication of settings to the next.

    A call takes its layers from one era and keeps them to its end. Layers are made when they are first needed; besides
    these caches nothing in an era changes.
    """

    def __init__(
        self, checked: Checked, instances: Instances, make_handler: Callable[[type], Any], before: Era | None = None
    ) -> None:
        """`before` is the era that counted until now."""
        self.checked = checked
        self.settings = checked.settings
        self.options = checked.options
        self.instances = instances
        self._make_handler = make_handler
        self._handlers: dict[tuple[str, type], Any] = {**checked.handlers}
        self._maker = Maker(instances, self.options)
        self.pipelines: dict[str, Element] = dict(checked.assembly.pipelines)
        self.describing = Describing(self.settings, self.pipelines)
        # Held instead of the era itself by those who want to know whether it still counts.
        self.token = object()
        self._layers: dict[tuple[str, At, type | None], tuple[Layer, ...]] = {}
        if checked.is_checked:
            self._declare(before)

    @property
    def known(self) -> Checked:
        """What was checked, with the fallback handlers that were made since: there is one of each for an element."""
        return replace(self.checked, handlers=self._handlers.copy())

    def further(self, checked: Checked) -> Era:
        """The same with more declarations: whoever has layers of this era goes on with them."""
        made = self._with(checked)
        if checked.is_checked:
            known, elements = self.settings.instances.elements, made.settings.instances.elements
            made._declare_each((id_ for id_ in elements if id_ not in known), self)
        return made

    def beside(self, checked: Checked) -> Era:
        """The same for what a function made. It is not to be published, so that it does not hold that."""
        return self._with(checked)

    def noting(self, checked: Checked) -> Era:
        """The same with other diagnostics."""
        made = copy(self)
        made.checked = checked
        return made

    def _with(self, checked: Checked) -> Era:
        made = self.noting(checked)
        vars(made).pop("_by_class", None)
        made.settings = checked.settings
        made.pipelines = dict(checked.assembly.pipelines)
        made.describing = Describing(made.settings, made.pipelines)
        # A class that was there may have been given a policy.
        made._layers = {}
        return made

    @property
    def budgets(self) -> Mapping[str, RetryBudgetSettings]:
        """The settings of the retry budgets by name."""
        return {n: RetryBudgetSettings(b.ttl, b.min_per_second, b.percent) for n, b in self.options.budgets.items()}

    @property
    def passes_through(self) -> bool:
        """Whether no policy runs at all."""
        return not self.options.enabled and not self.options.fallback_when_disabled

    def id_of(self, element: Element) -> str:
        """The id of an element's own instances."""
        return description_of(element, self.settings.instances.resolver).id

    def elements(self) -> Iterator[Element]:
        """All guarded functions and methods, pipelines included."""
        for several in self.settings.instances.elements.values():
            yield from several

    def pipeline_layers(self, name: str, element: Element) -> tuple[Layer, ...]:
        """The layers of a pipeline. Raises DefinitionError for instances that are in use with other settings, and for
        a handler or a classifier that cannot be made; then no instance is declared."""

        def make() -> tuple[Layer, ...]:
            settings = self.settings.of(element)
            fallback = settings.get("fallback") if not self.passes_through else None
            handlers = self._handlers_of(self.id_of(element))
            targets = tuple(pipeline_targets(fallback, handlers)) if fallback is not None else ()
            self.instances.declare(settings)
            return self._maker.layers(settings, targets, name) if not self.passes_through else ()

        return self._in_words(make, element)

    def users(self) -> Iterator[Element]:
        """All who may use an instance, the pipelines that were made since among them."""
        return chain(self.elements(), self.pipelines.copy().values())

    def _in_words(self, use: Callable[[], T], element: Element) -> T:
        return in_words(use, lambda: (self.settings, element), self.users)

    def method_layers(self, method: Method) -> tuple[Layer, ...]:
        """The layers of a method; always the same ones."""
        return self.layers_of_member(method.element, method.member, method.owner)

    def layers_of_member(self, element: Element, member: object, owner: type | None) -> tuple[Layer, ...]:
        """The layers of a method that the class `owner` defines, or of a function; always the same ones."""
        if self.passes_through:
            return ()
        definition = element.definition
        key = (definition.id, definition.at, owner)
        found = self._layers.get(key)
        if found is None:
            id_, instances = self.id_of(element), self.instances
            made = self._in_words(
                lambda: self.layers_of(self.settings.of(element), member, owner, id_, instances), element
            )
            found = self._layers.setdefault(key, made)
        return found

    def layers_of(
        self,
        settings: Mapping[str, PolicySettings],
        member: object,
        owner: type | None,
        id_: str,
        instances: Instances,
    ) -> tuple[Layer, ...]:
        """The layers that these settings make of a method or function, with these instances.

        Raises NotMade, NotFound and InUse.
        """
        is_shared = instances is self.instances
        make_handler = self._handlers_of(id_) if is_shared else self._made
        fallback, function = settings.get("fallback"), function_of(member)
        targets: Iterator[Target] = iter(())
        if fallback is not None and owner is not None:
            targets = method_targets(fallback, owner, member, make_handler)
        elif fallback is not None and function is not None:
            targets = function_targets(fallback, function, make_handler)
        elif fallback is not None:
            targets = pipeline_targets(fallback, make_handler)
        maker = self._maker if is_shared else Maker(instances, self.options)
        return maker.layers(settings, tuple(targets), id_)

    def methods_of(self, cls: type) -> dict[str, Method]:
        """The methods that are guarded for objects of `cls`, by the name under which the class has them."""
        order = cls.__mro__
        nearest: dict[str, tuple[int, Element]] = {}
        for at, base in enumerate(order):
            for element in self._by_class.get(base, ()):
                if element.definition.kind is Kind.PROPERTY:
                    # What stands in an object is not looked at, or is the value.
                    continue
                nearest.setdefault(element.definition.name, (at, element))
        found: dict[str, Method] = {}
        for name, (at, element) in nearest.items():
            key = mangled(order[at], name)
            defining = next((base for base in order if key in vars(base)), None)
            # One that a subclass overrides has lost its policies.
            if defining is not None and at <= order.index(defining):
                found[key] = Method(element, vars(defining)[key], defining)
        return found

    def never_run(self, cls: type) -> Iterator[Element]:
        """What policies stand on in `cls` and its bases where no call runs them: above a property, or what binds."""
        for base in cls.__mro__:
            for element in self._by_class.get(base, ()):
                member = vars(base).get(mangled(base, element.definition.name))
                guard = guard_of(binding_removed(member))
                if element.definition.kind is Kind.PROPERTY or guard is None or not guard.policies:
                    yield element

    def _handlers_of(self, id_: str) -> Callable[[type], Any]:
        """What gives the fallback handler of a class for an element: always the same one.

        Functions of one name that were made by other functions are different elements, with handlers of their own.
        """
        if "<locals>" in id_:
            return self._made

        def handler(kind: type) -> Any:
            if (id_, kind) not in self._handlers:
                self._handlers.setdefault((id_, kind), self._made(kind))
            return self._handlers[id_, kind]

        return handler

    def _made(self, kind: type) -> Any:
        return made_handler(self._make_handler, kind)

    def _declare(self, before: Era | None) -> None:
        """Let the settings of all elements count for their instances; raises DefinitionError where two disagree.

        Where not all was judged yet nothing is raised here: what counted before goes on, what disagrees fails when it
        is called.
        """
        is_full = self.checked.is_full
        if not is_full and before is None:
            return
        known = before.settings.instances.elements if before is not None else {}
        elements = self.settings.instances.elements
        self._declare_each(elements if is_full else sorted(elements, key=lambda id_: id_ not in known), before)
        if not is_full and before is not None:
            for key, record in before.instances.records.copy().items():
                self.instances.records.setdefault(key, record)

    def _declare_each(self, ids: Iterable[str], before: Era | None) -> None:
        in_use: Collection[tuple[str, str]] = before.instances.records if before is not None else ()
        several = [self.settings.instances.elements[id_] for id_ in ids]
        # Of several with one id the last is what the name means now.
        for element in (e for same in several for e in same if e is same[-1] or e.definition.accessor):
            if element.definition.abstract:
                continue
            is_local = "<locals>" in element.definition.id
            try:
                self._in_words(partial(self._declare_one, element, is_local, in_use), element)
            except Exception:
                # Locals of several functions need not be there at once.
                if self.checked.is_full and not is_local:
                    raise

    def _declare_one(self, element: Element, is_local: bool, in_use: Collection[tuple[str, str]]) -> None:
        id_ = element_id(element)
        has_own_state = is_local or element.definition.accessor
        # What another function makes has a state of its own, but for what it shares by a name, and what objects share
        # that are bound.
        shared = {
            policy: values
            for policy, values in self.settings.of(element).items()
            if not has_own_state or values.get("name") != id_ or (policy, id_) in in_use
        }
        self.instances.declare(shared)

    @cached_property
    def _by_class(self) -> Mapping[type, list[Element]]:
        found: defaultdict[type, list[Element]] = defaultdict(list)
        for element in self.elements():
            if isinstance(element.scope, ClassScope):
                found[element.scope.cls].append(element)
        return found
