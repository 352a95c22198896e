"""Faults in the methods and functions that are fallen back to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..mutant import ALL, LINT_AND_BUILD, MYPY_AND_BUILD, ONLY_LINT, Edit, Faulty, Place
from ..sources import Function, Shop, Source, Use
from .fallbacks import by_method, fallbacks

_BUILTIN = ("str", "int", "bool", "bytes", "frozenset[str]", "list[Product]")


class Target(NamedTuple):
    """A fallback, and the method or function of the same file that it names."""

    use: Use
    function: Function

    @property
    def source(self) -> Source:
        return self.use.source

    @property
    def parameters(self) -> list[ast.arg]:
        """Those of the call: without `self`, and without the exception that a last one may take."""
        arguments = self.function.args.args
        own = arguments[1:] if arguments and arguments[0].arg == "self" else arguments
        return [argument for argument in own if argument.arg != "error"]

    @property
    def error(self) -> ast.arg | None:
        last = self.function.args.args[-1]
        return last if last.arg == "error" else None

    def fault(self, code: str, *edits: Edit, reports: frozenset[str] = ALL) -> Faulty:
        return Faulty(self.use.title, self.source, edits, [Place(code, self.source, self.use.place, reports)])


def targets(shop: Shop) -> Iterator[Target]:
    """Every fallback whose single target stands in the same file; the one of a class is for all of its methods."""
    for use, name in by_method(shop):
        if use.function is not None:
            found = [o for o, c in use.source.owners if o.name == name.value and c is use.within]
            yield from (Target(use, function) for function in found if isinstance(function, Function))


def dropped_parameter(shop: Shop) -> Iterator[Faulty]:
    """The target lacks a parameter of the method."""
    for target in targets(shop):
        first = target.parameters[0]
        following = target.source.content[target.source.end(first) :]
        comma = len(", ") if following.startswith(", ") else 0
        start = target.source.start(first)
        before = 0 if comma or target.source.content[start - 1] == "(" else len(", ")
        yield target.fault("R4C-FB-003", Edit(start - before, target.source.end(first) + comma, ""))


def renamed_parameter(shop: Shop) -> Iterator[Faulty]:
    """A parameter of the target is called otherwise than that of the method."""
    for target in targets(shop):
        at = target.source.start(target.parameters[0])
        yield target.fault("R4C-FB-003", Edit(at, at, "the_"))


def required_keyword(shop: Shop) -> Iterator[Faulty]:
    """The target requires a keyword that no call of the method gives."""
    for target in targets(shop):
        end = target.source.end(target.function.args.args[-1])
        yield target.fault("R4C-FB-003", Edit(end, end, ", *, reason: str"))


def two_required_parameters(shop: Shop) -> Iterator[Faulty]:
    """The target requires two parameters more than the method has, so neither can be meant for the exception."""
    for target in targets(shop):
        if target.error is None:
            end = target.source.end(target.function.args.args[-1])
            yield target.fault("R4C-FB-003", Edit(end, end, ", reason: str, where: str"))


def text_for_the_exception(shop: Shop) -> Iterator[Faulty]:
    """The one parameter that the target has more than the method is annotated with text."""
    for target in targets(shop):
        if target.error is None:
            end = target.source.end(target.function.args.args[-1])
            yield target.fault("R4C-FB-005", Edit(end, end, ", error: str"))
        else:
            assert target.error.annotation is not None
            annotation = target.error.annotation
            edit = Edit(target.source.start(annotation), target.source.end(annotation), "str")
            yield target.fault("R4C-FB-005", edit)


def unannotated_exception(shop: Shop) -> Iterator[Faulty]:
    """The parameter for the exception does not say which."""
    for target in targets(shop):
        if target.error is not None:
            start = target.source.start(target.error) + len("error")
            yield target.fault("R4C-FB-005", Edit(start, target.source.end(target.error), ""))


def exception_for_checkers_alone(shop: Shop) -> Iterator[Faulty]:
    """The type of the exception is imported where only type checkers look."""
    for target in targets(shop):
        kind = target.error.annotation if target.error is not None else None
        if isinstance(kind, ast.Name):
            source, at = target.source, target.source.imports_at
            imports = (node for node in source.tree.body if isinstance(node, ast.ImportFrom))
            named = (node.module for node in imports if kind.id in {alias.name for alias in node.names})
            line = f"    from {next(named, 'builtins')} import {kind.id} as Absent\n"
            importing = Edit(at, at, f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n{line}")
            edits = (importing, Edit(source.start(kind), source.end(kind), '"Absent"'))
            yield target.fault("R4C-FB-015", *edits, reports=LINT_AND_BUILD)


def exception_first(shop: Shop) -> Iterator[Faulty]:
    """The parameter for the exception comes before those of the call."""
    for target in targets(shop):
        if target.error is not None:
            start, source = target.source.start(target.parameters[0]), target.source
            end = source.end(target.parameters[-1])
            moved = [Edit(start, start, f"{source.code(target.error)}, "), Edit(end, source.end(target.error), "")]
            yield target.fault("R4C-FB-005", *moved)


def other_result(shop: Shop) -> Iterator[Faulty]:
    """The target answers with a date. Where the method's own result is no builtin, the linter knows too little."""
    for target in targets(shop):
        result, own = target.function.returns, target.use.function
        assert result is not None
        assert own is not None
        assert own.returns is not None
        edit = Edit(target.source.start(result), target.source.end(result), "bytes")
        known = target.source.code(own.returns) in _BUILTIN
        yield target.fault("R4C-FB-004", edit, reports=ALL if known else MYPY_AND_BUILD)


def async_target(shop: Shop) -> Iterator[Faulty]:
    """The method is synchronous, its target no longer is."""
    for target in targets(shop):
        if isinstance(target.use.owner, ast.FunctionDef):
            at = target.source.start(target.function)
            yield target.fault("R4C-FB-009", Edit(at, at, "async "))


def target_is_a_property(shop: Shop) -> Iterator[Faulty]:
    """The target is a property."""
    for target in targets(shop):
        if target.use.within is not None and not target.function.decorator_list:
            at = target.source.start(target.function)
            yield target.fault("R4C-FB-012", Edit(at, at, "@property\n    "))


def target_is_a_generator(shop: Shop) -> Iterator[Faulty]:
    """The target yields, so calling it answers with a generator."""
    for target in targets(shop):
        last = target.function.body[-1]
        if isinstance(last, ast.Return):
            start = target.source.start(last)
            yield target.fault("R4C-FB-012", Edit(start, start + len("return"), "yield"))


def instance_method_for_a_static_one(shop: Shop) -> Iterator[Faulty]:
    """The method is static, its target needs an instance."""
    source = shop["shop/catalogue/prices.py"]
    at = source.find("@staticmethod", after="return {str(name)")
    name = source.find("(source", after="def _no_rates")
    edits = [Edit(at, source.find("def _no_rates"), ""), Edit(name + 1, name + 1, "self, ")]
    place = Place("R4C-FB-012", source, source.find('fallback(method="_no_rates"'))
    yield Faulty("catalogue.prices parse", source, edits, [place])


def defined_twice(shop: Shop) -> Iterator[Faulty]:
    """The target stands in the class a second time, right behind the first."""
    for target in targets(shop):
        if target.use.within is not None:
            start = target.source.line_start(_first_line(target.function))
            end = target.source.end(target.function)
            copy = target.source.content[start:end]
            place = Place("R4C-FB-013", target.source, target.source.start(target.function), ONLY_LINT)
            # The copy comes first, so that the one which counts keeps its place.
            yield Faulty(target.use.title, target.source, [Edit(start, start, f"{copy}\n\n")], [place])


def _first_line(function: Function) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def same_exception_twice(shop: Shop) -> Iterator[Faulty]:
    """Two targets are for the same exception."""
    for path, old, new, title in (
        ("shop/users/client.py", "ServiceUnavailable", "UserNotFound", "_groups_offline"),
        ("shop/users/client.py", "UserNotFound", "ServiceUnavailable", "_groups_of_stranger"),
    ):
        source = shop[path]
        at = source.find(old, after=f"def {title}")
        place = Place("R4C-FB-006", source, source.find('fallback(method=("_groups'))
        yield Faulty(title, source, [Edit(at, at + len(old), new)], [place])


def two_for_everything(shop: Shop) -> Iterator[Faulty]:
    """Two targets take no exception, so both are for all of them."""
    source = shop["shop/catalogue/search.py"]
    at = source.find(", error: ServiceUnavailable")
    place = Place("R4C-FB-006", source, source.find('fallback(method=("_cached'))
    yield Faulty("_cached", source, [Edit(at, at + len(", error: ServiceUnavailable"), "")], [place])


def inherited_target(shop: Shop) -> Iterator[Faulty]:
    """The target on the base class, in another file, no longer fits the methods of all subclasses."""
    for path, name, parameter, users in (
        ("shop/storage/base.py", "_absent", "key", ("shop/storage/orders.py", "shop/storage/products.py")),
        ("shop/http/service.py", "_assume_empty", "key", ("shop/payments/client.py", "shop/notifications/push.py")),
    ):
        source = shop[path]
        at = source.find(parameter, after=f"def {name}")
        uses = [use for user in users for use in fallbacks(shop) if use.source.path == user]
        places = [Place("R4C-FB-003", u.source, u.place) for u in uses if u.text("method") == name]
        yield Faulty(f"{name} renames a parameter", source, [Edit(at, at, "the_")], places)
        at = source.find(name, after=f"def {name}")
        gone = [Place("R4C-FB-002", place.source, place.offset) for place in places]
        yield Faulty(f"{name} is renamed", source, [Edit(at, at + len(name), "_other")], gone)


def misfit_of_a_class(shop: Shop) -> Iterator[Faulty]:
    """The fallback of a class no longer fits one of its methods, or all of them."""
    source = shop["shop/notifications/sms.py"]
    place = Place("R4C-FB-014", source, source.find("fallback(method="))
    for name in ("remind", "confirm"):
        at = source.find(") ->", after=f"def {name}")
        yield Faulty(name, source, [Edit(at, at, ", urgent: bool")], [place])
    at = source.find("message: Message", after="def _undelivered")
    yield Faulty("_undelivered", source, [Edit(at, at, "the_")], [place])


OPERATORS = (
    dropped_parameter,
    renamed_parameter,
    required_keyword,
    two_required_parameters,
    text_for_the_exception,
    unannotated_exception,
    exception_for_checkers_alone,
    exception_first,
    other_result,
    async_target,
    target_is_a_property,
    target_is_a_generator,
    instance_method_for_a_static_one,
    defined_twice,
    same_exception_twice,
    two_for_everything,
    inherited_target,
    misfit_of_a_class,
)
