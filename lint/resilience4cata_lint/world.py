"""All files of a run together: modules by name, and one object for each class and function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from resilience4cata.facts import Definition

from .annotations import Annotations
from .candidates import of_library
from .declarations import Declarations
from .definitions import Definitions
from .hierarchy import Hierarchy
from .linked_bodies import LinkedBodies
from .names import Names
from .objects import ClassObject, External, FunctionObject, Object, Where
from .outside import typing_name
from .scopes import BodyScope, ClassScope
from .symbols import Defined, FileFacts
from .terms import Subscript
from .values import Values

Loader = Callable[[str], FileFacts | None]


class World:
    """Knows the files and holds the parts that give them meaning, which find each other here.

    `loader` finds further modules of the project by dotted name, None for what lies outside.
    """

    def __init__(self, files: Sequence[FileFacts], loader: Loader | None = None) -> None:
        self._files = list(files)
        self._loader = loader
        self._modules: dict[str, FileFacts | None] = {}
        self._ambiguous: set[str] = set()
        for file in files:
            if file.module in self._modules:
                self._ambiguous.add(file.module)
            self._modules[file.module] = file
        self._patches: dict[str | None, list[tuple[FileFacts, str]]] = {}
        self._patches_from = 0
        self._objects: dict[tuple[int, str, int], ClassObject | FunctionObject] = {}
        self._class_scopes: dict[ClassObject, ClassScope] = {}
        self._body_scopes: dict[tuple[int, int], BodyScope] = {}
        self.names = Names(self)
        self.values = Values(self)
        self.hierarchy = Hierarchy(self)
        self.declarations = Declarations(self)
        self.annotations = Annotations(self)
        self.definitions = Definitions(self)
        self.bodies = LinkedBodies(self)

    def module(self, name: str) -> FileFacts | None:
        """The file of a module of the project; None if it is none, or several files claim the name."""
        if name in self._ambiguous or of_library(name):
            return None
        if name not in self._modules:
            found = self._loader(name) if self._loader is not None and name else None
            self._modules[name] = found
            if found is not None:
                self._files.append(found)
        return self._modules[name]

    def patches(self, attribute: str | None) -> Sequence[tuple[FileFacts, str]]:
        """Where an attribute is set on something from outside, in the files seen so far: the file, and on what name.

        None asks for attributes whose names are computed.
        """
        for file in self._files[self._patches_from :]:
            for owner, name in file.patched:
                self._patches.setdefault(name, []).append((file, owner))
        self._patches_from = len(self._files)
        return self._patches.get(attribute, ())

    def files(self) -> Sequence[FileFacts]:
        """The files seen so far."""
        return tuple(self._files)

    def classes(self) -> Iterator[ClassObject]:
        """Every class of the files seen so far."""
        for file in list(self._files):
            for index in range(len(file.classes)):
                yield self.class_object(file, index)

    def defined(self, file: FileFacts, to: Defined) -> ClassObject | FunctionObject:
        """What a `def` or `class` binds its name to."""
        return self.function_object(file, to.index) if to.kind == "function" else self.class_object(file, to.index)

    def class_object(self, file: FileFacts, index: int) -> ClassObject:
        """The one object for a class."""
        found = self._objects.get((id(file), "class", index))
        if not isinstance(found, ClassObject):
            found = self._objects[id(file), "class", index] = ClassObject(file, file.classes[index])
        return found

    def function_object(self, file: FileFacts, index: int) -> FunctionObject:
        """The one object for a function."""
        found = self._objects.get((id(file), "function", index))
        if not isinstance(found, FunctionObject):
            found = self._objects[id(file), "function", index] = FunctionObject(file, file.functions[index])
        return found

    def owner(self, function: FunctionObject) -> ClassObject | None:
        """The class in whose body a function stands."""
        scope = function.facts.scope
        for index, facts in enumerate(function.file.classes):
            if facts.body == scope:
                return self.class_object(function.file, index)
        return None

    def is_protocol(self, cls: ClassObject) -> bool:
        """Whether a class is a protocol itself, which its implementers are not."""
        where = Where(cls.file, cls.facts.scope)
        bases = (base.base if isinstance(base, Subscript) else base for base in cls.facts.bases)
        return any(_is_protocol(self.values.evaluate(base, where)) for base in bases)

    def class_scope(self, cls: ClassObject) -> ClassScope:
        """The scope of a class."""
        return self._class_scopes.setdefault(cls, ClassScope(self, cls))

    def scope(self, file: FileFacts, scope: int) -> ClassScope | BodyScope:
        """The scope that a definition stands in."""
        if file.scopes[scope].kind == "class":
            index = next(i for i, facts in enumerate(file.classes) if facts.body == scope)
            return self.class_scope(self.class_object(file, index))
        return self._body_scopes.setdefault((id(file), scope), BodyScope(self, file, scope))

    def scope_of(self, name: str) -> ClassScope | None:
        """The scope of a class by its full name."""
        found = self.by_full_name(name)
        return self.class_scope(found) if isinstance(found, ClassObject) else None

    def definition_of(self, name: str) -> Definition | None:
        """A function by its full name."""
        found = self.by_full_name(name)
        return self.definitions.function(found) if isinstance(found, FunctionObject) else None

    def by_full_name(self, name: str) -> Object | None:
        """What a dotted path names in the project; None if that is not certain."""
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            file = self.module(".".join(parts[:length]))
            if file is not None:
                found = self.names.in_module(file, parts[length])
                for part in parts[length + 1 :]:
                    found = self.names.attribute(found, part)
                return found
        return None


def _is_protocol(found: Object) -> bool:
    return isinstance(found, External) and typing_name(found.name) == "typing.Protocol"
