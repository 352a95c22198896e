"""From a call that mypy has just checked to findings: which facts to gather, when, and once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mypy.nodes import ARG_POS, CallExpr, ClassDef, Decorator, Expression, MemberExpr, TypeInfo
from mypy.plugin import FunctionContext, MethodContext
from mypy.types import Instance, Type, get_proper_type

from resilience4cata.diagnostics import FRONT_ENDS, Finding, Needs
from resilience4cata.diagnostics import Context as RuleContext
from resilience4cata.facts import (
    Applied,
    Composed,
    ConfigFile,
    Declaration,
    Definition,
    Element,
    Kind,
    LocalScope,
    Project,
    Setting,
    Template,
    Written,
)
from resilience4cata.records import replace
from resilience4cata.rules import all_findings, all_rules, that_count, views_of, written_on

from . import internals
from .around import classes_with_policies, order_known
from .carried import COMPOSED, with_facts
from .extract import Reader
from .faultless import Fingerprint, around_method, content, fingerprint
from .index import FileIndex, Indexes
from .listeners import listener
from .naming import holds_policy, names_policy_class, policy_class
from .oracle import MypyTypes
from .report import report
from .scopes import ClassScope, ModuleScope, scope_of
from .settings import Projects

_POLICIES_ALONE: Final = Needs.DECLARATIONS | Needs.TEMPLATES | Needs.EFFECTIVE
LOOKING_AROUND: Final = frozenset(rule.code for rule in all_rules().values() if rule.needs not in _POLICIES_ALONE)
"""Rules that look at more of a function than its policies."""
_ON_POLICIES: Final = frozenset(all_rules()) - LOOKING_AROUND
"""Rules that look at its policies alone."""
_ON_DECLARATIONS: Final = frozenset(rule.code for rule in all_rules().values() if rule.views == (Written,))
"""Rules that look at each policy by itself."""


class Judges:
    """The judges of the projects that the files of a run belong to."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._indexes = Indexes()
        self._by_settings: dict[int, Judge] = {}
        self._by_path: dict[str, Judge] = {}

    def of(self, checker: internals.Checker) -> Judge:
        """The judge of the file that is being checked."""
        path = internals.tree_of(checker).path
        found = self._by_path.get(path)
        if found is None:
            settings = self._projects.of(path)
            found = self._by_settings.setdefault(id(settings), Judge(settings.project, self._indexes))
            self._by_path[path] = found
        return found


class _Look(NamedTuple):
    """What rules look at, with the project around.

    `methods` are those of a class, of which only what stands on the class itself is told with it: `lines` are those of
    the element, and what is wrong elsewhere is told there.
    """

    views: Iterable[object]
    project: Project
    methods: Sequence[Element] = ()
    lines: range | None = None


class Judge:
    """Judges each policy of a project once, where all that belongs to it is known."""

    def __init__(self, project: Project, indexes: Indexes) -> None:
        self._project = project
        # Then two functions that look alike need not have the same settings.
        self._tunes_by_name = any(map(_tunes_by_name, project.files))
        self._indexes = indexes
        self._faultless: set[Hashable] = set()
        self._faulty: set[Hashable] = set()
        # The rules that may find something in a function, by its fingerprint.
        self._finders: dict[Fingerprint | None, frozenset[str]] = {}

    def _index(self, checker: internals.Checker) -> FileIndex:
        tree = internals.tree_of(checker)
        found = self._indexes.get(tree)
        return found or self._indexes.make(
            tree,
            lambda: internals.source_lines(checker, tree.path),
            lambda word: internals.may_contain(checker, tree.path, word),
        )

    def _reader(self, checker: internals.Checker) -> Reader:
        return Reader(checker, self._index(checker))

    # ------------------------------------------------------------ policies where they are made

    def policy_made(self, context: FunctionContext) -> Type:
        """A policy is made: unless it is judged together with what it belongs to, check it and keep its facts."""
        call, checker = context.context, context.api
        if not isinstance(call, CallExpr) or not isinstance(checker, internals.Checker):
            return context.default_return_type
        index = self._index(checker)
        if index.is_decorator(call):
            return context.default_return_type
        reader = Reader(checker, index)
        policy = reader.made(call)
        if isinstance(policy, Declaration) and not _belongs_to_composed(index, call):
            self._check(self._alone(Written(policy, within=_within(reader, call))), reader)
        return self._carrying(context, policy, index, call)

    def composed_made(self, context: FunctionContext) -> Type:
        """A composed policy is made: check it and its members, and keep the facts of all of them."""
        call, checker = context.context, context.api
        if not isinstance(call, CallExpr) or not isinstance(checker, internals.Checker):
            return context.default_return_type
        reader = self._reader(checker)
        composed = reader.composed(call)
        self._check(self._alone(*_composed_views(composed, call)), reader)
        return self._carrying(context, composed, reader.index, call)

    def template_made(self, context: MethodContext) -> Type:
        """`builder.config("external", …)` is called: check the template; its policies were checked on the way."""
        call, checker = context.context, context.api
        if isinstance(call, CallExpr) and isinstance(checker, internals.Checker):
            reader = self._reader(checker)
            argument = _name_argument(call)
            name = reader.value(argument) if argument is not None else None
            if argument is not None and isinstance(name, str):
                self._check(self._alone(Template(name, reader.at(argument))), reader)
        return context.default_return_type

    def listener_given(self, context: MethodContext) -> Type:
        """`resilience.listen(StateTransition, notify)` is called: look at what is to be called with events."""
        call, checker = context.context, context.api
        given = dict(zip(context.callee_arg_names, zip(context.args, context.arg_types, strict=True), strict=True))
        callback = given.get("callback")
        if isinstance(call, CallExpr) and isinstance(checker, internals.Checker) and callback and callback[0]:
            (expression,), (typ,) = callback
            reader = self._reader(checker)
            self._check(self._alone(listener(call, expression, typ, reader)), reader)
        return context.default_return_type

    def _carrying(
        self, context: FunctionContext, policy: Declaration | Composed | None, index: FileIndex, call: CallExpr
    ) -> Type:
        result = get_proper_type(context.default_return_type)
        if policy is None or not isinstance(result, Instance) or index.variable_of(call) is None:
            return context.default_return_type
        text = context.api.named_generic_type("builtins.str", [])
        return with_facts(result, policy, text)

    # ------------------------------------------------------------ policies where they are applied

    def applied(self, context: MethodContext) -> Type:
        """A policy is applied: if it is the outermost of ours, all policies of the definition are judged together."""
        node, checker = context.context, context.api
        if not isinstance(checker, internals.Checker) or not isinstance(node, Decorator | ClassDef):
            return context.default_return_type
        expressions = node.original_decorators if isinstance(node, Decorator) else node.decorators
        tentative = isinstance(node, Decorator) and internals.is_being_inferred(node)
        if not tentative and _is_outermost(context.args[0][0], expressions):
            reader = self._reader(checker)
            known = self._fingerprint(node, reader) if isinstance(node, Decorator) else None
            if known is None or known not in self._faultless:
                self._check(self._look(node, reader, known), reader, known)
        return context.default_return_type

    def _look(self, node: Decorator | ClassDef, reader: Reader, known: Fingerprint | None) -> _Look:
        """What is looked at for an element: its policies alone if nothing else will be."""
        finders = self._finders.get(known)
        if finders is not None and finders <= _ON_DECLARATIONS and isinstance(node, Decorator):
            decorators = reader.decorators(node.original_decorators)
            policies = (decorator for decorator in decorators if isinstance(decorator, Applied))
            return _Look(written_on(reader.index.name_of(node.func), policies), self._project)
        element, classes = _element(node, reader)
        methods = tuple(_guarded_methods(node, reader)) if isinstance(node, ClassDef) else ()
        if not (classes or methods):
            return _Look(views_of(element), self._project)
        elements = (*(_element(cls.defn, reader)[0] for cls in classes), element, *methods)
        return _Look(views_of(element), replace(self._project, elements=elements), methods, _lines(node))

    def _fingerprint(self, node: Decorator, reader: Reader) -> Fingerprint | None:
        found = None if self._tunes_by_name else fingerprint(node, reader)
        if found is None:
            return None
        info = node.func.info or None
        classes = classes_with_policies(info, reader, node.name)
        guards = around_method(classes, node, reader) if classes else None
        if classes and guards is None:
            return None
        order = order_known(info.mro if info is not None else (), reader)
        return Fingerprint((found.seen, classes is not None, guards, order), found.whole)

    def _alone(self, *views: object) -> _Look:
        return _Look(views, self._project)

    def _check(self, look: _Look, reader: Reader, known: Fingerprint | None = None) -> None:
        """Check and report. With `known`, what is remembered by it saves time, and what is found is remembered."""
        if internals.in_deferred_code(reader.checker) or internals.only_interface_is_wanted(reader.checker):
            return
        context = RuleContext(FRONT_ENDS["mypy"], MypyTypes(reader), look.project)
        finders = self._finders.get(known)
        if finders is not None:
            findings = all_findings(look.views, context, finders)
        else:
            findings = all_findings(self._worth_checking(look.views), context)
            self._remember(known, findings)
        findings += all_findings(look.methods, context, _ON_POLICIES)
        if findings:
            report((f for f in that_count(findings) if look.lines is None or f.fault.at.line in look.lines), reader)

    def _remember(self, known: Fingerprint | None, findings: Iterable[Finding]) -> None:
        if known is None:
            return
        codes = frozenset(finding.rule.code for finding in findings)
        if codes or not known.whole:
            self._finders[known] = codes if known.whole else codes | LOOKING_AROUND
        else:
            self._faultless.add(known)

    def _worth_checking(self, views: Iterable[object]) -> Iterator[object]:
        """The views without declarations that say the same as one in which nothing was found.

        What rules find in a declaration depends on what it says, on the project, and on whether it stands on an element
        or is meant for several: never on which.
        """
        for view in views:
            if not isinstance(view, Written):
                yield view
                continue
            said = (bool(view.element), content(view.declaration))
            if said in self._faultless:
                continue
            if said in self._faulty or all_findings((view,), RuleContext(FRONT_ENDS["mypy"], project=self._project)):
                self._faulty.add(said)
                yield view
            else:
                self._faultless.add(said)


def _is_outermost(applied: Expression, decorators: list[Expression]) -> bool:
    """Whether no policy of ours stands further out than the one that is being applied.

    Outer decorators have no type yet; one that hides what it is (`@make_policy()`) is taken for foreign.
    """
    for decorator in decorators:
        if decorator.line == applied.line and decorator.column == applied.column:
            return True
        made_by = decorator.callee if isinstance(decorator, CallExpr) else decorator
        if policy_class(made_by) or names_policy_class(made_by) or holds_policy(decorator):
            return False
    return False


def _composed_views(composed: Composed, call: CallExpr) -> Iterator[object]:
    yield composed
    for member, argument in zip(composed.members, _members(call), strict=False):
        # Only what is written in place; a variable is checked where it is made.
        if isinstance(member, Declaration) and isinstance(argument, CallExpr):
            yield Written(member, within=composed.title)


def _belongs_to_composed(index: FileIndex, call: CallExpr) -> bool:
    parent = index.parent_of(call)
    return parent is not None and policy_class(parent.callee) == COMPOSED


def _members(call: CallExpr) -> Iterator[Expression]:
    """The arguments of `resilience_policy(…)` that are members, as `Reader.composed` reads them."""
    positional = [argument for argument, kind in zip(call.args, call.arg_kinds, strict=True) if kind is ARG_POS]
    return iter(positional if "name" in call.arg_names else positional[1:])


def _within(reader: Reader, call: CallExpr) -> str:
    """The template that a policy is written in, `config("external")`, or nothing."""
    parent = reader.index.parent_of(call)
    if parent is None or not isinstance(parent.callee, MemberExpr) or parent.callee.name != "config":
        return ""
    argument = _name_argument(parent)
    value = reader.value(argument) if argument is not None else None
    return f'config("{value}")' if isinstance(value, str) else ""


def _name_argument(call: CallExpr) -> Expression | None:
    """The argument that names a template."""
    for argument, kind, keyword in zip(call.args, call.arg_kinds, call.arg_names, strict=True):
        if kind is ARG_POS or keyword == "name":
            return argument
    return None


def _tunes_by_name(file: ConfigFile) -> bool:
    meanings = (key.meaning for key in file.keys)
    return any(isinstance(meaning, Setting) and meaning.kind in ("instance", "family") for meaning in meanings)


def _guarded_methods(node: ClassDef, reader: Reader) -> Iterator[Element]:
    """The methods of a class with policies of their own."""
    found = (_element(statement, reader)[0] for statement in node.defs.body if isinstance(statement, Decorator))
    return (element for element in found if element.policies)


def _lines(node: Decorator | ClassDef) -> range:
    """The lines of a definition; of a class those above its body."""
    if isinstance(node, Decorator):
        return range(node.original_decorators[0].line, (node.func.end_line or node.func.line) + 1)
    return range(node.decorators[0].line, node.line + 1)


def _element(node: Decorator | ClassDef, reader: Reader) -> tuple[Element, tuple[TypeInfo, ...]]:
    """The element, and the other classes whose policies it may have."""
    if isinstance(node, Decorator):
        owner = node.func.info or None
        definition = reader.function(node.func, node, owner, as_target=False)
        around = owner.mro if owner is not None else ()
        classes = classes_with_policies(owner, reader, node.name)
        known = classes is not None, order_known(around, reader)
        return Element(definition, scope_of(node.func, reader), None, *known), classes or ()
    body = ClassScope(node.info, reader)
    owner_name = body.id.rpartition(".")[0]
    definition = Definition(
        body.id,
        node.name,
        owner_name.removesuffix(".<locals>"),
        Kind.CLASS,
        reader.name_at(node),
        decorators=reader.decorators(node.decorators),
    )
    is_local = owner_name.endswith(".<locals>")
    scope = LocalScope(definition.owner) if is_local else ModuleScope(internals.tree_of(reader.checker), reader)
    classes = classes_with_policies(node.info, reader)
    known = classes is not None, order_known(node.info.mro[1:], reader)
    return Element(definition, scope, body, *known), tuple(cls for cls in classes or () if cls is not node.info)
