"""What a name means where it stands: scopes, imports, re-exports, attributes of modules and classes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from resilience4cata.facts import UNKNOWN

from .candidates import of_library
from .objects import ClassObject, External, Known, ModuleObject, Object, Where, one_of, same
from .outside import MISSING, find, star_names
from .symbols import Assigned, Binding, FileFacts, Imported, Star
from .terms import Path, Position

if TYPE_CHECKING:
    from .world import World

# Longer chains of names that stand for names are taken for circles.
_LONGEST_CHAIN: Final = 40


class Names:
    """Looks names up. Nothing is ever guessed: what may be one of several different things is UNKNOWN."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._chain = 0
        self._known: dict[tuple[int, int, int], Object] = {}
        self._stars_open: set[tuple[int, str]] = set()

    def path(self, term: Path, where: Where) -> Object:
        """What a dotted name means."""
        found = self.name(term.parts[0], where, None if where.deferred else term.span[:2])
        for part in term.parts[1:]:
            found = self.attribute(found, part)
        return found

    def name(self, name: str, where: Where, position: Position | None) -> Object:
        """What a plain name means at `position`; None for what is only evaluated later."""
        file, scope = where.file, where.scope
        first = True
        while True:
            facts = file.scopes[scope]
            if facts.kind != "class" or first:
                bindings = facts.bindings.get(name, ())
                reaching = reach(bindings, position)
                if reaching:
                    return self._merged(file, scope, reaching)
                if bindings and facts.kind == "function":
                    return UNKNOWN
                if facts.stars:
                    found = self._star(facts.stars, name, position, file)
                    if found is not None:
                        return found
                if facts.open and not hasattr(builtins, name):
                    return UNKNOWN
            if facts.kind == "function":
                position = None
            if facts.parent is None:
                return External(f"builtins.{name}") if hasattr(builtins, name) else UNKNOWN
            scope, first = facts.parent, False

    def _merged(self, file: FileFacts, scope: int, bindings: Sequence[Binding]) -> Object:
        first, *others = [self.bound(file, scope, binding) for binding in bindings]
        if all(same(first, other) for other in others):
            return first
        # Bound in several branches to different values, it has one of them.
        known = [found for found in (first, *others) if isinstance(found, Known)]
        return one_of(v for found in known for v in found.values) if len(known) == len(bindings) else UNKNOWN

    def bound(self, file: FileFacts, scope: int, binding: Binding) -> Object:
        """What one binding binds its name to."""
        to = binding.to
        if to is None or self._chain > _LONGEST_CHAIN:
            return UNKNOWN
        self._chain += 1
        try:
            if isinstance(to, Imported):
                return self.imported(to)
            if isinstance(to, Assigned):
                return self._assigned(to, Where(file, scope))
            return self._world.defined(file, to)
        finally:
            self._chain -= 1

    def _assigned(self, to: Assigned, where: Where) -> Object:
        key = (id(where.file), where.scope, id(to))
        if key not in self._known:
            # Met again before it is known, the value depends on itself.
            self._known[key] = UNKNOWN
            self._known[key] = self._world.values.evaluate(to.value, where)
        return self._known[key]

    def imported(self, to: Imported) -> Object:
        """The object that an import binds."""
        if of_library(to.module):
            return External(to.module if to.name is None else f"{to.module}.{to.name}")
        file = self._world.module(to.module)
        if to.name is None:
            return ModuleObject(to.module, file)
        if file is not None:
            return self.in_module(file, to.name)
        inner = f"{to.module}.{to.name}"
        submodule = self._world.module(inner)
        return External(inner) if submodule is None else ModuleObject(inner, submodule)

    def in_module(self, file: FileFacts, name: str) -> Object:
        """An attribute of a module of the project."""
        facts = file.scopes[0]
        bindings = facts.bindings.get(name, ())
        if bindings:
            return self._merged(file, 0, reach(bindings, None))
        if file.is_package:
            inner = f"{file.module}.{name}"
            submodule = self._world.module(inner)
            if submodule is not None:
                return ModuleObject(inner, submodule)
        found = self._star(facts.stars, name, None, file) if facts.stars else None
        return UNKNOWN if found is None else found

    def _star(self, stars: Sequence[Star], name: str, position: Position | None, file: FileFacts) -> Object | None:
        """What `from … import *` gives for a name: the last one that has it; None if certainly none does."""
        key = (id(file), name)
        if key in self._stars_open:
            return None
        self._stars_open.add(key)
        try:
            for star in reversed(stars):
                if position is None or star.position <= position:
                    found = self._from_star(star.module, name)
                    if found is not None:
                        return None if found is UNKNOWN and hasattr(builtins, name) else found
            return None
        finally:
            self._stars_open.discard(key)

    def _from_star(self, module: str, name: str) -> Object | None:
        file = None if of_library(module) else self._world.module(module)
        if file is None:
            names = star_names(module)
            if names is None:
                return UNKNOWN
            return External(f"{module}.{name}") if name in names else None
        facts = file.scopes[0]
        if file.public is not None:
            return self.in_module(file, name) if name in file.public else None
        if name.startswith("_"):
            return UNKNOWN if "__all__" in facts.bindings else None
        if name in facts.bindings:
            return UNKNOWN if "__all__" in facts.bindings else self.in_module(file, name)
        if facts.open:
            return UNKNOWN
        return self._star(facts.stars, name, None, file)

    def star_may_have(self, file: FileFacts, name: str) -> Object | None:
        """What star imports of a module give for a name that it does not bind itself; None if certainly nothing."""
        return self._star(file.scopes[0].stars, name, None, file)

    def is_for_checkers(self, name: str, where: Where) -> bool:
        """Whether a name of a module certainly exists for type checkers alone."""
        scope: int | None = where.scope
        while scope is not None:
            facts = where.file.scopes[scope]
            bindings = facts.bindings.get(name, ())
            if bindings or facts.stars or facts.open:
                alone = facts.kind == "module" and not (facts.stars or facts.open or hasattr(builtins, name))
                return alone and all(binding.for_checkers for binding in bindings)
            scope = facts.parent
        return False

    def attribute(self, owner: Object, name: str) -> Object:
        """`owner.name`."""
        if isinstance(owner, ModuleObject):
            if owner.file is not None:
                return self.in_module(owner.file, name)
            submodule = self._world.module(f"{owner.name}.{name}")
            inner = f"{owner.name}.{name}"
            return External(inner) if submodule is None else ModuleObject(inner, submodule)
        if isinstance(owner, External):
            inner = f"{owner.name}.{name}"
            # An attribute that a known object does not have is a mistake that others report.
            known = not of_library(inner) and find(owner.name) is not MISSING
            return UNKNOWN if known and find(inner) is MISSING else External(inner)
        if isinstance(owner, ClassObject):
            return self._in_class(owner, name)
        return UNKNOWN

    def _in_class(self, owner: ClassObject, name: str) -> Object:
        hierarchy = self._world.hierarchy
        if hierarchy.transforms_values(owner):
            return UNKNOWN
        for node in hierarchy.order(owner):
            if not isinstance(node, ClassObject):
                return UNKNOWN
            if hierarchy.is_patched(node, name):
                return UNKNOWN
            bindings = node.file.scopes[node.facts.body].bindings.get(name, ())
            if bindings:
                return self._merged(node.file, node.facts.body, reach(bindings, None))
        return UNKNOWN


def unmangled(name: str, cls: str) -> str:
    """How the body of a class called `cls` spells a member that is `_Base__name` from outside, as Python mangles it."""
    prefix = f"_{cls.lstrip('_')}__"
    mangled = name.startswith(prefix) and not name.endswith("__") and cls.strip("_")
    return f"__{name.removeprefix(prefix)}" if mangled else name


def reach(bindings: Sequence[Binding], position: Position | None) -> tuple[Binding, ...]:
    """The bindings that a use at `position` may see; all of them if it happens later."""
    if position is None:
        return tuple(bindings)
    before = [binding for binding in bindings if binding.anytime or binding.position <= position]
    certain = [i for i, binding in enumerate(before) if not binding.conditional and not binding.anytime]
    start = certain[-1] if certain else 0
    return tuple(binding for i, binding in enumerate(before) if i >= start or binding.anytime)
