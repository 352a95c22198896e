"""The table that tells mypy when to ask us. Nothing else happens here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from mypy.errors import CompileError
from mypy.nodes import MypyFile
from mypy.options import Options
from mypy.plugin import FunctionContext, MethodContext, Plugin, ReportConfigContext
from mypy.types import Type

from . import cache, internals, settings
from .carried import COMPOSED, POLICY_CLASSES
from .judge import Judge
from .report import crashed

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
        self._settings = settings.load(options)
        cache.announce(options, self._settings)
        judge = Judge(self._settings.project)
        made = dict.fromkeys(POLICY_CLASSES, _safe(judge.policy_made)) | {COMPOSED: _safe(judge.composed_made)}
        methods = dict.fromkeys(_CALLS, _safe(judge.applied)) | {_TEMPLATE: _safe(judge.template_made)}
        methods |= dict.fromkeys(_LISTENING, _safe(judge.listener_given))
        # mypy asks about each call in a program, most of which are none of ours: a table answers faster than a method.
        self.get_function_hook = made.get  # type: ignore[method-assign, assignment]
        self.get_method_hook = methods.get  # type: ignore[method-assign, assignment]

    def report_config_data(self, ctx: ReportConfigContext) -> object:
        return cache.report_config_data(ctx, self._settings)

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """All files are read; mypy gives a mapping that it fills. Wrong settings end the run here.

        What is raised while the plugin is made would end the daemon.
        """
        super().set_modules(modules)
        if self._settings.problem:
            raise CompileError([self._settings.problem], use_stdout=True)


def _safe(hook: Callable[[C], Type]) -> Callable[[C], Type]:
    """`hook`, but a mistake of ours becomes a note and never ends mypy's run."""

    def guarded(context: C) -> Type:
        try:
            return hook(context)
        except Exception as error:
            checker = context.api
            if isinstance(checker, internals.Checker):
                crashed(checker, context.context, error)
            return context.default_return_type

    return guarded


def plugin(version: str) -> type[Plugin]:
    """The entry point that mypy looks for; `version` is mypy's own."""
    return ResiliencePlugin
