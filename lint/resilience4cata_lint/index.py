"""From a walk to a file's facts: expressions become terms, and what cannot matter is left behind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from resilience4cata.facts import ParameterKind

from .bodies import body_of
from .candidates import Candidates, last_name, root_name
from .symbols import (
    Assigned,
    Binding,
    ClassFacts,
    Defined,
    FileFacts,
    FunctionFacts,
    Imported,
    ParameterFacts,
    ScopeFacts,
    Site,
    Star,
)
from .syntax import Terms, may_name_class
from .terms import Call, Opaque, Path, Position, Term
from .walk import Bound, ClassDraft, Draft, Function, FunctionDraft, Walk

# Values of variables that are worth keeping; of calls only some are.
_KEPT: Final = (
    ast.Constant,
    ast.JoinedStr,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.IfExp,
    ast.UnaryOp,
    ast.BinOp,
    ast.Subscript,
)

_INSTANCE: Final = ("self", "cls")

# Methods of ours that are worth a look on whatever object they are called.
_METHODS: Final = frozenset({"config", "listen", "listener"})

_SOCKET_TIMEOUT: Final = ("socket", "setdefaulttimeout")


class Index:
    """Makes the facts of one file."""

    def __init__(self, walk: Walk, path: str, module: str, is_package: bool) -> None:
        self._walk = walk
        self._path = path
        self._module = module
        self._is_package = is_package
        self._lines = walk.lines
        self._terms = Terms(walk.lines)
        self._annotations = Terms(walk.lines, annotation=True)
        self._candidates = Candidates(walk)
        self._classes = {draft.node.name for draft in walk.classes}

    def facts(self) -> FileFacts:
        """Everything about the file."""
        public = self._public()
        return FileFacts(
            path=self._path,
            module=self._module,
            is_package=self._is_package,
            scopes=tuple(self._scope(draft) for draft in self._walk.scopes),
            functions=tuple(self._function(draft) for draft in self._walk.functions),
            classes=tuple(self._class(draft) for draft in self._walk.classes),
            sites=tuple(self._sites()),
            patched=frozenset(self._walk.patched),
            public=public,
            exports=tuple(sorted(set(self._exports(public or ())))),
            bounds_sockets=any(self._bounds_sockets(call.node) for call in self._walk.calls),
        )

    def _bounds_sockets(self, call: ast.Call) -> bool:
        """Whether a call is `socket.setdefaulttimeout(…)`, with something else than None."""
        function = call.func
        if isinstance(function, ast.Attribute):
            is_setter = function.attr == _SOCKET_TIMEOUT[1]
        else:
            bounds = self._walk.scopes[0].bindings.get(function.id, ()) if isinstance(function, ast.Name) else ()
            is_setter = any(bound.value == _SOCKET_TIMEOUT for bound in bounds)
        return is_setter and not any(isinstance(a, ast.Constant) and a.value is None for a in call.args)

    def _annotation(self, node: ast.expr | None) -> Term | None:
        return None if node is None else self._annotations(node)

    def _scope(self, draft: Draft) -> ScopeFacts:
        return ScopeFacts(
            draft.kind,
            draft.prefix,
            draft.parent,
            {name: tuple(self._binding(bound) for bound in bounds) for name, bounds in draft.bindings.items()},
            tuple(Star(module, position) for module, position in draft.stars),
            draft.open,
            {
                name: self._annotations(annotations[0])
                for name, annotations in draft.annotations.items()
                if len(annotations) == 1 and may_name_class(annotations[0])
            },
        )

    def _binding(self, bound: Bound) -> Binding:
        value = bound.value
        to: Imported | Defined | Assigned | None = None
        if isinstance(value, ast.expr):
            if self._is_kept(value):
                to = Assigned(self._terms(value), bound.annotated)
        elif value is not None:
            first, second = value
            if isinstance(second, int):
                to = Defined("function" if first == "function" else "class", second)
            else:
                to = Imported(first, second)
        if to is None and bound.annotated:
            to = Assigned(Opaque(), annotated=True)  # still a field
        return Binding(to, bound.position, bound.conditional, bound.anytime, bound.for_checkers)

    def _is_kept(self, value: ast.expr) -> bool:
        return isinstance(value, _KEPT) or (
            isinstance(value, ast.Call | ast.NamedExpr)
            and (self._candidates.useful(value) or root_name(value) in self._classes)
        )

    def _function(self, draft: FunctionDraft) -> FunctionFacts:
        node = draft.node
        return FunctionFacts(
            name=node.name,
            qualified=self._walk.scopes[draft.body].prefix.removesuffix(".<locals>"),
            scope=draft.scope,
            body=draft.body,
            name_span=self._lines.name_span(node),
            position=self._start(node),
            decorators=tuple(self._terms(decorator) for decorator in node.decorator_list),
            parameters=tuple(self._parameters(node.args)),
            result=self._annotation(node.returns),
            is_async=isinstance(node, ast.AsyncFunctionDef),
            yields=self._walk.scopes[draft.body].yields,
            stub=all(map(_does_nothing, node.body)),
            delegates=node.name in self._walk.scopes[draft.body].attributes,
            conditional=draft.conditional,
            does=body_of(node, self._terms, self._lines),
            unbound=tuple(self._unbound(draft)),
        )

    def _unbound(self, draft: FunctionDraft) -> Iterator[str]:
        """`self` or `cls` in the decorators of a method, where they cannot be known; nothing if there are none."""
        scopes = self._walk.scopes
        if scopes[draft.scope].kind != "class" or not self._candidates:
            return
        bound: set[str] = set()
        scope: int | None = draft.scope
        while scope is not None:
            bound.update(scopes[scope].bindings)
            scope = scopes[scope].parent
        for decorator in draft.node.decorator_list:
            yield next((name for name in _names_in(decorator) if name in _INSTANCE and name not in bound), "")

    def _parameters(self, arguments: ast.arguments) -> Iterator[ParameterFacts]:
        positional = [*arguments.posonlyargs, *arguments.args]
        required = len(positional) - len(arguments.defaults)
        for index, argument in enumerate(positional):
            only = index < len(arguments.posonlyargs)
            kind = ParameterKind.POSITIONAL_ONLY if only else ParameterKind.POSITIONAL_OR_KEYWORD
            yield self._parameter(argument, kind, required=index < required)
        if arguments.vararg is not None:
            yield self._parameter(arguments.vararg, ParameterKind.VAR_POSITIONAL, required=False)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            yield self._parameter(argument, ParameterKind.KEYWORD_ONLY, required=default is None)
        if arguments.kwarg is not None:
            yield self._parameter(arguments.kwarg, ParameterKind.VAR_KEYWORD, required=False)

    def _parameter(self, argument: ast.arg, kind: ParameterKind, *, required: bool) -> ParameterFacts:
        return ParameterFacts(argument.arg, kind, required, self._annotation(argument.annotation))

    def _class(self, draft: ClassDraft) -> ClassFacts:
        node = draft.node
        bases = [self._annotations(base) for base in node.bases]
        if getattr(node, "type_params", ()):
            bases.append(Path(("typing.Generic",)))
        return ClassFacts(
            name=node.name,
            qualified=self._walk.scopes[draft.body].prefix,
            scope=draft.scope,
            body=draft.body,
            name_span=self._lines.name_span(node),
            position=self._start(node),
            decorators=tuple(self._terms(decorator) for decorator in node.decorator_list),
            bases=tuple(bases),
            keywords=tuple((keyword.arg, self._terms(keyword.value)) for keyword in node.keywords),
            conditional=draft.conditional,
        )

    def _start(self, node: ast.stmt) -> Position:
        first, column, *_ = self._lines.span(node)
        return first, column

    def _sites(self) -> Iterator[Site]:
        """The outermost calls of each scope that may be policies or hold some, decorators left out."""
        if not self._candidates:
            return
        spans = [(self._lines.span(draft.node), draft) for draft in self._walk.calls]
        spans.sort(key=lambda pair: (pair[0][:2], (-pair[0][2], -pair[0][3])))
        covered: dict[int, Position] = {}
        for span, draft in spans:
            node, scope = draft
            inside = span[2:] <= covered.get(scope, (0, 0))
            if inside or not (id(node) in self._walk.decorators or self._may_matter(node, scope)):
                continue
            covered[scope] = span[2:]
            if id(node) not in self._walk.decorators:
                term = self._terms(node)
                if isinstance(term, Call):
                    discarded = id(node) in self._walk.statements
                    yield Site(term, scope, self._walk.variables.get(id(node)), discarded)

    def _may_matter(self, node: ast.Call, scope: int) -> bool:
        candidates = self._candidates
        if candidates.certain(node) or candidates.applying(node):
            return True
        if last_name(node.func) in _METHODS and isinstance(node.func, ast.Attribute) and candidates.ours:
            return True
        # A policy handed on under another name is still seen where it is bound to a variable of a module or class.
        bound = id(node) in self._walk.variables and self._walk.scopes[scope].kind != "function"
        return bound and root_name(node) in candidates.possible

    def _public(self) -> tuple[str, ...] | None:
        """What `__all__` lists; None if there is none, or it is put together in a way that cannot be followed."""
        bounds = self._walk.scopes[0].bindings.get("__all__", [])
        value = bounds[0].value if len(bounds) == 1 else None
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        names = [item.value if isinstance(item, ast.Constant) else None for item in value.elts]
        return (
            tuple(name for name in names if isinstance(name, str)) if all(isinstance(n, str) for n in names) else None
        )

    def _exports(self, public: tuple[str, ...]) -> Iterator[str]:
        """Names of the module that may lead other modules to us."""
        guarding, decorating = self._guarded_classes(), self._decorating()
        for name, bounds in self._walk.scopes[0].bindings.items():
            if name in self._candidates.ours or name in guarding:
                yield name
            elif name in self._candidates.possible:
                imported = any(isinstance(bound.value, tuple) for bound in bounds)
                handed_on = self._is_package or name in public or name not in self._walk.loads
                if not imported or handed_on or name in decorating:
                    yield name

    def _decorating(self) -> set[str]:
        functions = [d for draft in self._walk.functions for d in draft.node.decorator_list]
        classes = [d for draft in self._walk.classes for d in draft.node.decorator_list]
        return {name for name in map(root_name, (*functions, *classes)) if name is not None}

    def _guarded_classes(self) -> set[str]:
        """Classes of the module that carry policies, or have methods that do."""
        classes = [draft for draft in self._walk.classes if not draft.scope]
        found = {draft.node.name for draft in classes if self._may_be_guarded(draft.node)}
        bodies = {draft.body: draft.node.name for draft in classes}
        inside = (draft for draft in self._walk.functions if draft.scope in bodies)
        found.update(bodies[draft.scope] for draft in inside if self._may_be_guarded(draft.node))
        return found

    def _may_be_guarded(self, node: ast.ClassDef | Function) -> bool:
        leads = self._candidates.ours | self._candidates.possible
        return any(root_name(decorator) in leads for decorator in node.decorator_list)


def _does_nothing(statement: ast.stmt) -> bool:
    """A docstring, `...`, `pass`, or the refusal to be called."""
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _names_in(node: ast.expr) -> Iterator[str]:
    """The names that are looked up where an expression is evaluated; a lambda has names of its own."""
    stack: list[ast.AST] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Name):
            yield part.id
        elif not isinstance(part, ast.Lambda):
            stack.extend(ast.iter_child_nodes(part))
