"""The table that tells mypy when to ask us. Nothing else happens here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from mypy.errors import CompileError
from mypy.nodes import MypyFile, Var
from mypy.options import Options
from mypy.plugin import FunctionContext, MethodContext, Plugin, ReportConfigContext
from mypy.types import Type

from resilience4cata.facts import UNKNOWN, Value

from . import cache, internals
from .carried import COMPOSED, POLICY_CLASSES
from .expressions import Expressions
from .intervals import TIMEDELTA, Constants
from .judge import Judge, Judges
from .report import crashed
from .settings import Projects

_CALLS: Final = tuple(f"{name}.__call__" for name in (*POLICY_CLASSES, COMPOSED))
_TEMPLATE: Final = "resilience4cata.resilience.ResilienceBuilder.config"
_LISTENING: Final = (
    "resilience4cata.resilience.ResilienceBuilder.listener",
    "resilience4cata.resilience.Resilience.listen",
)

C = TypeVar("C", FunctionContext, MethodContext)


class ResiliencePlugin(Plugin):
    """Policies are judged when they are made and when they are applied, both in mypy's type checking phase."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._projects = Projects(options)
        cache.announce(options, self._projects)
        judges = Judges(self._projects)
        made = dict.fromkeys(POLICY_CLASSES, _safe(judges, Judge.policy_made))
        made[COMPOSED] = _safe(judges, Judge.composed_made)
        constants = Constants(Expressions(_nothing, _unknown, bool, {}).value)
        made[TIMEDELTA] = _safe(judges, lambda judge, context: constants.made(context))
        methods = dict.fromkeys(_CALLS, _safe(judges, Judge.applied)) | {_TEMPLATE: _safe(judges, Judge.template_made)}
        methods |= dict.fromkeys(_LISTENING, _safe(judges, Judge.listener_given))
        # mypy asks about each call in a program, most of which are none of ours: a table answers faster than a method.
        self.get_function_hook = made.get  # type: ignore[method-assign, assignment]
        self.get_method_hook = methods.get  # type: ignore[method-assign, assignment]

    def report_config_data(self, ctx: ReportConfigContext) -> object:
        return cache.report_config_data(ctx, self._projects)

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """All files are found: `modules` has those that are new, those in the cache were asked about before.

        Wrong settings end the run here. What is raised while the plugin is made would end the daemon.
        """
        super().set_modules(modules)
        for tree in modules.values():
            self._projects.of(tree.path)
        problems = self._projects.problems
        if problems:
            raise CompileError(problems, use_stdout=True)


def _safe(judges: Judges, hook: Callable[[Judge, C], Type]) -> Callable[[C], Type]:
    """`hook` with the judge of the file at hand, but a mistake of ours becomes a note and never ends mypy's run."""

    def guarded(context: C) -> Type:
        checker = context.api
        if not isinstance(checker, internals.Checker):
            return context.default_return_type
        try:
            return hook(judges.of(checker), context)
        except Exception as error:
            crashed(checker, context.context, error)
            return context.default_return_type

    return guarded


def _nothing(variable: str) -> None:
    """What a variable is bound to, where no file is at hand that could tell."""


def _unknown(variable: Var) -> Value:
    return UNKNOWN


def plugin(version: str) -> type[Plugin]:
    """The entry point that mypy looks for; `version` is mypy's own."""
    return ResiliencePlugin
