"""Classes with policies: which methods get wrappers, in the class itself and in those below it.

Whatever policies may reach gets a wrapper, when its class is made; what counts for a wrapper is decided at its first
call, from the facts. A wrapper for which nothing counts runs the function as it is.
"""

from __future__ import annotations

from _weakref import ref
from collections.abc import Callable, Iterator
from types import CellType, FunctionType, MethodType
from typing import Any, Final

from ..guards import Guard, guard_of, guards_in, wrapped
from .recorded import binding_removed, is_a, is_abstract, is_public_method, layers
from .recording import is_unguarded, move

_HOOK: Final = "__init_subclass__"
_HEAP_TYPE: Final = 0x200  # Py_TPFLAGS_HEAPTYPE: made by a class statement, so that it can be changed
_IMMUTABLE: Final = 0x100  # Py_TPFLAGS_IMMUTABLETYPE
_BINDING: Final = (staticmethod, classmethod)


class Hook:
    """Stands as `__init_subclass__` in a class with wrappers, so that classes below it get theirs.

    `own` is what the class itself defines under that name, `policies` are those that stand on the class.
    """

    __slots__ = ("_before", "_home", "own", "policies")

    def __init__(self, home: type, own: Any) -> None:
        self.own = own
        self.policies: tuple[object, ...] = ()
        self._home: Callable[[], type | None] = ref(home)
        self._before: Callable[[], type | None] = lambda: None

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]:
        return MethodType(self, owner if owner is not None else type(instance))

    def __call__(self, cls: type, /, **kwargs: Any) -> None:
        # Before and after: what runs in between may hand out methods, or add some.
        adopt(cls)
        if self.own is not None:
            self.own.__get__(None, cls)(**kwargs)
        else:
            home: Any = next(base for base in cls.__mro__ if vars(base).get(_HOOK) is self)
            super(home, cls).__init_subclass__(**kwargs)  # type: ignore[misc]
        adopt(cls)

    @property
    def __closure__(self) -> tuple[CellType, ...]:
        """The cells by which functions behind wrappers know their class, as `super()` without arguments asks them to.

        attrs, which makes classes anew, looks for them at everything that stands in a class; a wrapper has none.
        """
        homes = [home for home in (self._home(), self._before()) if home is not None]
        members = [member for home in homes for member in vars(home).copy().values()]
        return tuple(cell for member in members for layer in layers(member) for cell in _class_cells(layer))

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn that a decorator has made the class anew, as `dataclass(slots=True)` does."""
        home = self._home()
        if home is not None and _made_anew(owner, home):
            self._home, self._before = ref(owner), ref(home)
            move(home, owner)
            adopt(owner, instead_of=home)


_hooked: Final[dict[int, Callable[[], type | None]]] = {}


def cover(cls: type, policy: object) -> bool:
    """Give wrappers to what a policy on `cls` reaches, and to what it reaches in subclasses that exist already.

    The class holds the policy from then on. False if it cannot be changed.
    """
    if not cls.__flags__ & _HEAP_TYPE or cls.__flags__ & _IMMUTABLE:
        return False
    hook = _hook_on(cls)
    hook.policies = (*hook.policies, policy)
    for reached in (cls, *_below(cls)):
        adopt(reached)
        for member in vars(reached).copy().values():
            for guard in guards_in(binding_removed(member)):
                guard.touch()
    return True


def watch(cls: type) -> None:
    """Learn of the subclasses of a class whose body holds policies."""
    _hook_on(cls)
    adopt(cls)


def adopt(cls: type, *, instead_of: type | None = None) -> None:
    """Give wrappers to the methods of a class that policies may reach; once is enough, twice does no harm.

    `instead_of` is the class that `cls` was made from.
    """
    if _HOOK in vars(cls):
        # One of its own may keep ours, further up, from being called for the classes below.
        _hook_on(cls)
    covered = any(_covers(base) for base in cls.__mro__)
    for key, member in vars(cls).copy().items():
        if ((covered and _reaches(key, member)) or _implements(cls, key)) and _wrap(cls, key, member) is not None:
            # It learns, too, that the class is made anew.
            _hook_on(cls)
    for key, member in vars(cls).copy().items():
        for guard in guards_in(binding_removed(member)):
            if guard.owner() in (None, instead_of):
                guard.owner, guard.key = ref(cls), key
    if _covers(cls):
        _wrap_inherited(cls)
    _link(cls)


def adopt_hidden() -> None:
    """Adopt subclasses that no hook has heard of, since something in between kept it from being called."""
    for reference in _hooked.copy().values():
        cls = reference()
        for below in _below(cls) if cls is not None else ():
            adopt(below)


def has_policies(cls: type) -> bool:
    """Whether policies stand on a class, in its body, or on what its methods override."""
    return type(vars(cls).get(_HOOK)) is Hook


def is_guardable(target: object) -> bool:
    """Whether a wrapper can stand in place of `target`: it is called, and makes no objects of its own kind.

    What only makes a generator or a context manager has one too, for its first call to be judged.
    """
    return callable(target) and not issubclass(type(target), (*_BINDING, property, type))


def _hook_on(cls: type) -> Hook:
    found = vars(cls).get(_HOOK)
    if type(found) is Hook:
        return found
    hook = Hook(cls, found)
    # The metaclass's own `__setattr__` may refuse.
    type.__setattr__(cls, _HOOK, hook)
    _hooked[id(cls)] = ref(cls, _forget(id(cls)))
    return hook


def _forget(key: int) -> Callable[[Any], None]:
    def forget(_: Any) -> None:
        # While the interpreter ends, module globals may be gone already.
        if _hooked is not None:
            _hooked.pop(key, None)

    return forget


def _class_cells(layer: object) -> Iterator[CellType]:
    if type(layer) is not FunctionType or layer.__closure__ is None:
        return
    for name, cell in zip(layer.__code__.co_freevars, layer.__closure__, strict=True):
        if name == "__class__":
            yield cell


def _covers(cls: type) -> bool:
    hook = vars(cls).get(_HOOK)
    return type(hook) is Hook and bool(hook.policies)


def _reaches(key: str, member: object) -> bool:
    return is_public_method(key, member) and not any(is_unguarded(layer) for layer in layers(member))


def _implements(cls: type, key: str) -> bool:
    """Whether a method has policies since it implements one that has some."""
    for base in cls.__mro__[1:]:
        member = vars(base).get(key)
        is_guarded = any(True for _ in guards_in(binding_removed(member)))
        if is_guarded and (vars(base).get("_is_protocol") is True or is_abstract(member, base)):
            return True
    return False


def _wrap(cls: type, key: str, member: Any) -> Guard | None:
    """Put a wrapper where `member` stands in a class. None if nothing can be put there."""
    function: Any = binding_removed(member)
    known = guard_of(function)
    if known is not None:
        return known
    # Without `__get__` a callable in a class is not given the receiver, as a wrapper would be.
    if not is_guardable(function) or not hasattr(type(function), "__get__"):
        return None
    wrapper = wrapped(function)
    made = guard_of(wrapper)
    assert made is not None
    made.explicit = any(guard.explicit for guard in guards_in(function))
    type.__setattr__(cls, key, type(member)(wrapper) if is_a(member, _BINDING) else wrapper)
    return made


def _wrap_inherited(cls: type) -> None:
    """Give a class-level policy its own wrappers around guarded methods that the class inherits."""
    for key in dict.fromkeys(key for base in cls.__mro__[1:] for key in vars(base)):
        if key in vars(cls):
            continue
        member = next(vars(base)[key] for base in cls.__mro__ if key in vars(base))
        function: Any = binding_removed(member)
        known = next(guards_in(function), None)
        if known is None or not _reaches(key, member):
            continue
        outermost = guard_of(function)
        wrapper = wrapped(outermost.function if outermost is not None else function)
        wrapper.__qualname__, wrapper.__module__ = f"{cls.__qualname__}.{key}", cls.__module__
        made = guard_of(wrapper)
        assert made is not None
        made.inherited, made.explicit = True, known.explicit
        made.owner, made.key = ref(cls), key
        type.__setattr__(cls, key, type(member)(wrapper) if is_a(member, _BINDING) else wrapper)


def _link(cls: type) -> None:
    """Tell guards of one name that, in objects of `cls`, `super()` leads from one to the other."""
    chains: dict[str, list[Guard]] = {}
    for base in cls.__mro__:
        for key, member in vars(base).copy().items():
            chains.setdefault(key, []).extend(guards_in(binding_removed(member)))
    for guards in chains.values():
        for position, first in enumerate(guards):
            for later in guards[position + 1 :]:
                if _is_one_call(first, later):
                    first.link(overriding=True)
                    later.link(overridden=True)


def _is_one_call(first: Guard, later: Guard) -> bool:
    """Whether `later`, reached from what `first` guards, is part of the same logical call."""
    if first.inherited:
        # Around the method that it stands for there may be a decorator of others, and below that our wrapper.
        return later in guards_in(first.function) or (not first.explicit and later.function is not first.function)
    return not first.explicit and not later.inherited


def _made_anew(cls: type, before: type) -> bool:
    same = cls.__name__ == before.__name__ and cls.__module__ == before.__module__
    return same and cls is not before and cls.__bases__ == before.__bases__


def _below(cls: type) -> Iterator[type]:
    """All subclasses that exist, those further up first."""
    waiting, seen = [cls], {cls}
    for current in waiting:
        subclasses: list[type] = type.__subclasses__(current)
        for subclass in subclasses:
            if subclass not in seen:
                seen.add(subclass)
                waiting.append(subclass)
                yield subclass
