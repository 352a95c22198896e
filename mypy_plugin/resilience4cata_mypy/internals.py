"""Everything of mypy that its plugin interface does not promise, in one place, each with the reason why it is used.

A new release of mypy can break these and nothing else. Modules beside this one use only what `mypy.plugin`,
`mypy.nodes` and `mypy.types` offer, and the functions below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mypy.checker import TypeChecker
from mypy.erasetype import erase_typevars
from mypy.errorcodes import ErrorCode
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import (
    ARG_POS,
    Context,
    Decorator,
    Expression,
    FuncDef,
    MypyFile,
    SymbolNode,
    SymbolTable,
    TypeAlias,
    TypeInfo,
)
from mypy.server.trigger import make_trigger
from mypy.subtypes import is_subtype
from mypy.typeops import bind_self, function_type, get_all_type_vars, map_type_from_supertype
from mypy.types import FunctionLike, Instance, ProperType, Type, TypeType, TypeVarType, UnionType, get_proper_type
from mypy.typestate import type_state
from mypy.typevars import fill_typevars

__all__ = [
    "Checker",
    "await_result",
    "bound_to",
    "declared_type",
    "decorated_type",
    "depend_on",
    "depend_on_name",
    "fail",
    "find_symbol",
    "in_deferred_code",
    "is_being_inferred",
    "is_fine_grained",
    "is_in_function",
    "is_subtype",
    "may_contain",
    "may_fit",
    "note",
    "only_interface_is_wanted",
    "seen_from",
    "source_lines",
    "supertype",
    "tree_of",
    "type_of",
]

Checker = TypeChecker
"""What `FunctionContext.api` really is in the phase in which our hooks run."""

_being_inferred: set[Decorator] = set()


def tree_of(checker: Checker) -> MypyFile:
    """The file that is being checked: only the checker knows it."""
    return checker.tree


def in_deferred_code(checker: Checker) -> bool:
    """Whether the function around will be checked once more, since something in it has no type yet."""
    return checker.current_node_deferred


def is_in_function(checker: Checker) -> bool:
    """Whether the code at hand stands in a function."""
    return checker.scope.top_level_function() is not None


def only_interface_is_wanted(checker: Checker) -> bool:
    """Whether nobody wants to see errors of this file (an installed package, `ignore_errors`)."""
    return checker.can_skip_diagnostics


def depend_on(checker: Checker, info: TypeInfo, names: Iterable[str] = ()) -> None:
    """Have the daemon check the code at hand again when a class or one of its bases changes, or these names in them.

    It knows what the code itself refers to, but not what a plugin looks up.
    """
    if not is_fine_grained(checker):
        return
    target = checker.tscope.current_target()
    for base in info.mro:
        for name in (base.fullname, *(f"{base.fullname}.{name}" for name in names)):
            checker.tree.plugin_deps.setdefault(make_trigger(name), set()).add(target)
        # Those are read after a whole file is checked. These are read after a part of it is checked again, too: meant
        # for classes that were compared with protocols, they have the same effect.
        type_state._rechecked_types.add(base)
        type_state._attempted_protocols.setdefault(base.fullname, set()).add(target)
        type_state._checked_against_members.setdefault(base.fullname, set()).update(names)


def depend_on_name(checker: Checker, full_name: str) -> None:
    """Have the daemon check the code at hand again when what stands under a name of another module changes."""
    if is_fine_grained(checker):
        target = checker.tscope.current_target()
        checker.tree.plugin_deps.setdefault(make_trigger(full_name), set()).add(target)


def is_fine_grained(checker: Checker) -> bool:
    """Whether dependencies of single definitions are wanted: in the daemon, and where a cache is made for it."""
    return checker.options.fine_grained_incremental or checker.options.cache_fine_grained


def type_of(checker: Checker, expression: Expression) -> ProperType | None:
    """The type that was inferred for an expression, None if it was not visited yet.

    The plugin interface offers only the types of a call's own arguments, not those of the decorators further in.
    """
    found = checker.lookup_type_or_none(expression)
    return None if found is None else get_proper_type(found)


def find_symbol(checker: Checker, full_name: str) -> SymbolNode | None:
    """What a full name stands for, if the module that defines it is loaded; aliases of classes are followed."""
    module, _, rest = full_name.rpartition(".")
    path = [rest]
    while module and module not in checker.modules:
        module, _, last = module.rpartition(".")
        path.insert(0, last)
    if not module:
        return None
    names: SymbolTable | None = checker.modules[module].names
    node: SymbolNode | None = None
    for part in path:
        symbol = names.get(part) if names is not None else None
        node = symbol.node if symbol is not None else None
        if isinstance(node, TypeAlias):
            target = get_proper_type(node.target)
            node = target.type if isinstance(target, Instance) else None
        names = node.names if isinstance(node, TypeInfo) else None
    return node


def declared_type(checker: Checker, function: FuncDef) -> ProperType:
    """The type of a function without its decorators; parameters without annotation are Any."""
    return get_proper_type(function_type(function, checker.named_type("builtins.function")))


def decorated_type(checker: Checker, node: Decorator, inner: Sequence[Expression] | None = None) -> ProperType:
    """The type of a function with all its decorators, or with those in `inner` alone.

    The checker goes from top to bottom and cannot defer a decorator, so what stands further down is not typed yet when
    a fallback above names it. It is worked out here without leaving a trace: errors are swallowed, types forgotten.
    """
    if node.var.is_ready and node.var.type is not None and inner is None:
        return get_proper_type(node.var.type)
    found: Type = declared_type(checker, node.func)
    if node in _being_inferred:
        return get_proper_type(found)
    _being_inferred.add(node)
    try:
        with checker.msg.filter_errors(), checker.local_type_map:
            # `classmethod` and its like are not among the node's decorators.
            for expression in (e for e in reversed(node.decorators) if inner is None or e in inner):
                decorator = checker.expr_checker.accept(expression)
                argument: list[Expression] = [checker.temp_node(found, context=expression)]
                found, _ = checker.expr_checker.check_call(decorator, argument, [ARG_POS], node)
    finally:
        _being_inferred.discard(node)
    return get_proper_type(found)


def is_being_inferred(node: Decorator) -> bool:
    """Whether `decorated_type` is at work on this function, so that a hook that fires now must not judge it."""
    return node in _being_inferred


def bound_to(owner: TypeInfo, function: FuncDef, typ: ProperType) -> ProperType:
    """`typ` of a method as it is seen on an instance of `owner`: without `self` or `cls`.

    Where the class speaks of `Self`, the instance may be one of a subclass.
    """
    if function.is_static or not isinstance(typ, FunctionLike):
        return typ
    own_type = None if owner.is_final else owner.self_type
    receiver = fill_typevars(owner) if own_type is None else own_type
    return bind_self(typ, TypeType(receiver) if function.is_class else receiver, is_classmethod=function.is_class)


def seen_from(owner: TypeInfo, base: TypeInfo, typ: ProperType) -> ProperType:
    """`typ` of a member of `base`, with the type arguments that `owner` gives to `base`."""
    return typ if owner is base else get_proper_type(map_type_from_supertype(typ, owner, base))


def supertype(instance: Instance, full_name: str) -> Instance | None:
    """`instance` as its base class of that name (with type arguments), None if it has no such base."""
    base = next((info for info in instance.type.mro if info.fullname == full_name), None)
    return None if base is None else map_instance_to_supertype(instance, base)


def await_result(typ: Type) -> ProperType | None:
    """What awaiting a value of this type gives; None if it cannot be awaited."""
    found = get_proper_type(typ)
    awaitable = supertype(found, "typing.Awaitable") if isinstance(found, Instance) else None
    return get_proper_type(awaitable.args[0]) if awaitable is not None and awaitable.args else None


def source_lines(checker: Checker, path: str) -> list[str]:
    """The text of a file by lines, as mypy itself shows it (from its own cache, so an editor's shadow file counts)."""
    errors = checker.msg.errors
    lines = errors.read_source(path) if errors.read_source is not None else None
    return lines or []


def may_contain(checker: Checker, path: str, word: bytes) -> bool:
    """Whether a word in ASCII may stand in the text of a file: looking through its bytes takes a fraction of the time
    that mypy takes to decode it and split it into lines."""
    if checker.options.shadow_file:
        return True
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - for each file of a run
            return word in file.read()
    except OSError:
        return True


def fail(checker: Checker, message: str, place: Context, code: ErrorCode, notes: tuple[str, ...] = ()) -> None:
    """Report an error, and notes that vanish together with it when the same error is reported twice."""
    parent = checker.msg.fail(message, place, code=code)
    for text in notes:
        checker.msg.note(text, place, code=code, parent_error=parent)


def note(checker: Checker, message: str, place: Context) -> None:
    """Report a note of its own: it is seen and does not fail the run."""
    checker.msg.note(message, place)


def may_fit(source: Type, target: Type) -> bool:
    """Whether some call may make `source` a subtype of `target`.

    Type variables of a function are filled anew by each call, so they fit wherever their bounds allow it; those of a
    class are fixed.
    """
    return is_subtype(_with_any(source), _with_bound(target))


def _with_bound(typ: Type) -> Type:
    found = get_proper_type(typ)
    if isinstance(found, TypeVarType) and found.id.raw_id < 0:
        return _with_any(UnionType.make_union(found.values) if found.values else found.upper_bound)
    return _with_any(typ)


def _with_any(typ: Type) -> Type:
    free = {variable.id for variable in get_all_type_vars(typ) if variable.id.raw_id < 0}
    return erase_typevars(typ, free) if free else typ
