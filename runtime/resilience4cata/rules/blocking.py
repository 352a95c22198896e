"""TB: time-outs that cannot take effect, because the body keeps its thread."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Context, Fault, Needs, Related, Severity, rule
from ..facts import Call, Project
from ..facts.familiar import BLOCKING, SLEEPING
from .guarding import Guarded, guarded_bodies


@rule("R4C-TB-004", "blocking-call-under-timeout", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def blocking_call_under_timeout(project: Project, context: Context) -> Iterator[Fault]:
    """The timeout of an `async def` ends it at its next `await`. A call that blocks never gets there: it holds up the
    event loop, with everything else that runs on it, and the timeout comes too late."""
    for guarded in _under_timeout(context):
        for call in guarded.body.calls if guarded.definition.coroutine else ():
            if call.callee in BLOCKING and not call.awaited:
                yield _blocked(
                    guarded,
                    call,
                    "'{callee}' blocks the event loop, so that the timeout cannot end it",
                    "await asyncio.sleep()" if call.callee in SLEEPING else "await it in asyncio.to_thread()",
                )


@rule("R4C-TB-005", "unbounded-call-under-timeout", view=Project, severity=Severity.WARNING, needs=Needs.BODIES)
def unbounded_call_under_timeout(project: Project, context: Context) -> Iterator[Fault]:
    """Nothing can interrupt a synchronous function from outside: its timeout takes effect when the function comes back.
    A call that waits for ever never does, unless it has a limit of its own."""
    for guarded in _under_timeout(context):
        definition = guarded.definition
        runs_here = not definition.coroutine and definition.is_async is False and not definition.yields
        for call in guarded.body.calls if runs_here and guarded.value("timeout", "offload") is False else ():
            if _is_unbounded(call, project):
                limit = BLOCKING[str(call.callee)].timeout
                yield _blocked(
                    guarded,
                    call,
                    "'{callee}' may wait for ever, and the timeout cannot interrupt it",
                    f"give it '{limit}', or the policy offload=True" if limit else "give the policy offload=True",
                )


def _under_timeout(context: Context) -> Iterator[Guarded]:
    return (guarded for guarded in guarded_bodies(context) if guarded.has("timeout"))


def _is_unbounded(call: Call, project: Project) -> bool:
    blocking = BLOCKING.get(call.callee) if isinstance(call.callee, str) else None
    if blocking is None or blocking.bounded or (blocking.socket and project.bounds_sockets):
        return False
    if call.open or blocking.timeout in call.keywords:
        return False
    return blocking.position is None or call.positional <= blocking.position


def _blocked(guarded: Guarded, call: Call, message: str, help: str) -> Fault:
    return Fault(
        call.at,
        guarded.subject("timeout"),
        message,
        {"callee": str(call.callee).replace("()", "")},
        help=help,
        related=(Related(guarded.at("timeout"), "the timeout"),),
    )
