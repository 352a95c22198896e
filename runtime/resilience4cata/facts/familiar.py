"""What others have made, by full name, as far as rules or extractors must know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from .values import Ref

HARMLESS_CLASS_DECORATORS: Final = frozenset(
    {
        "abc.update_abstractmethods",
        "attr.attrs",
        "attr.dataclass",
        "attr.define",
        "attr.frozen",
        "attr.mutable",
        "attr.s",
        "attrs.define",
        "attrs.frozen",
        "attrs.mutable",
        "dataclasses.dataclass",
        "django.contrib.admin.decorators.register",
        "django.contrib.admin.register",
        "django.utils.decorators.method_decorator",
        "enum.unique",
        "enum.verify",
        "functools.total_ordering",
        "pydantic.dataclasses.dataclass",
        "typing.dataclass_transform",
        "typing.final",
        "typing.no_type_check",
        "typing.runtime_checkable",
        "typing_extensions.dataclass_transform",
        "typing_extensions.deprecated",
        "typing_extensions.final",
        "typing_extensions.no_type_check",
        "typing_extensions.runtime_checkable",
        "warnings.deprecated",
    }
)
"""They add special methods at most, none that a fallback could name."""

ORDINARY_METACLASSES: Final = frozenset(
    {
        "abc.ABCMeta",
        "builtins.type",
        "enum.EnumMeta",
        "enum.EnumType",
        "typing.NamedTupleMeta",
        "typing._ProtocolMeta",
    }
)
"""They add no methods either."""

FUTURES: Final = frozenset(
    {
        "_asyncio.Future",
        "_asyncio.Task",
        "asyncio.Future",
        "asyncio.Task",
        "asyncio.futures.Future",
        "asyncio.tasks.Task",
        "concurrent.futures.Future",
        "concurrent.futures._base.Future",
    }
)
"""What stands for a result that comes later, while something else works on it already: each under the names of the
modules that define it and of those that people import it from."""


def future_of(classes: tuple[Ref, ...] | None) -> Ref | None:
    """The class of futures that an annotation names, if it names that one class alone."""
    if classes is None or len(classes) != 1:
        return None
    return classes[0] if FUTURES.intersection(classes[0].ancestors or ()) else None


SINGLE_PASS: Final = frozenset(
    {
        "_io._IOBase",
        "asyncio.streams.StreamReader",
        "builtins.enumerate",
        "builtins.filter",
        "builtins.generator",
        "builtins.map",
        "builtins.reversed",
        "builtins.zip",
        "collections.abc.AsyncIterator",
        "collections.abc.Iterator",
        "io.IOBase",
        "typing.AsyncIterator",
        "typing.IO",
        "typing.Iterator",
    }
)
"""What can be run through or read once: iterators and streams, under the names that run time and stubs give them."""

READING: Final = frozenset({"read", "read1", "readinto", "readline", "readlines"})
"""Methods that take something out of a stream."""

REWINDING: Final = "seek"
"""The method that lets a stream begin again."""

RUNNING_THROUGH: Final = frozenset(
    f"builtins.{name}" for name in ("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum")
) | {"builtins.tuple"}
"""They run through what they are given at once."""

LAZY: Final = frozenset({"enumerate", "filter", "iter", "map", "zip"})
"""Built-in functions that run through what they are given while their own result is run through."""


def is_single_pass(classes: tuple[Ref, ...] | None) -> bool:
    """Whether an annotation names iterators and streams alone, or nothing (`None`) beside them."""
    refs = [ref for ref in classes or () if ref.short not in ("None", "NoneType")]
    return bool(refs) and all(SINGLE_PASS.intersection(ref.ancestors or ()) for ref in refs)


SLEEPING: Final = frozenset(
    {"anyio.sleep", "asyncio.sleep", "asyncio.tasks.sleep", "gevent.sleep", "time.sleep", "trio.sleep"}
)
"""They do nothing but wait."""


class Blocking(NamedTuple):
    """How a call that blocks is bounded: by the argument called `timeout`, which may also be given at a position (from
    0); `bounded` ones have a limit even without it. "" means that nothing can bound it. A `socket` of Python's own is
    bounded by `socket.setdefaulttimeout` as well."""

    timeout: str = ""
    position: int | None = None
    bounded: bool = False
    socket: bool = False


def _each(owner: str, names: str, blocking: Blocking) -> dict[str, Blocking]:
    return {f"{owner}.{name}": blocking for name in names.split()}


_VERBS: Final = "delete get head options patch post put request"
_BY_KEYWORD: Final = Blocking("timeout")

BLOCKING: Final[Mapping[str, Blocking]] = {
    "time.sleep": Blocking(bounded=True),
    "os.system": Blocking(),
    "socket.create_connection": Blocking("timeout", 1, socket=True),
    "urllib.request.urlopen": Blocking("timeout", 2, socket=True),
    "smtplib.SMTP": Blocking("timeout", 3, socket=True),
    "ftplib.FTP": Blocking("timeout", 4, socket=True),
    "psycopg2.connect": Blocking("connect_timeout"),
    "pymysql.connect": Blocking("connect_timeout", bounded=True),
    "psycopg2.connect().cursor().execute": Blocking(bounded=True),
    "pymysql.connect().cursor().execute": Blocking(bounded=True),
    "urllib3.request": Blocking("timeout", socket=True),
    **_each("urllib3.PoolManager()", "request urlopen", Blocking("timeout", socket=True)),
    **_each("subprocess", "call check_call check_output run", _BY_KEYWORD),
    **_each("subprocess.Popen()", "communicate wait", _BY_KEYWORD),
    **_each("requests", _VERBS, _BY_KEYWORD),
    **_each("requests.api", _VERBS, _BY_KEYWORD),
    **_each("requests.Session()", _VERBS, _BY_KEYWORD),
    **_each("requests.session()", _VERBS, _BY_KEYWORD),
    **_each("httpx", _VERBS, Blocking("timeout", bounded=True)),
    **_each("httpx.Client()", _VERBS, Blocking("timeout", bounded=True)),
}
"""Calls that keep their thread until an answer is there. Those of drivers whose connections carry a time-out of their
own count as bounded: where it was set cannot be seen at the call."""

NON_IDEMPOTENT: Final = frozenset(
    f"{client}.{verb}"
    for verb in ("patch", "post")
    for client in (
        "aiohttp.ClientSession()",
        "httpx",
        "httpx.AsyncClient()",
        "httpx.Client()",
        "requests",
        "requests.Session()",
        "requests.api",
        "requests.session()",
    )
)
"""Requests that may do their work twice if they are sent twice (RFC 9110, section 9.2.2, and RFC 5789)."""

COROUTINE_FUNCTIONS: Final = frozenset(
    {
        "asyncio.open_connection",
        "asyncio.sleep",
        "asyncio.to_thread",
        "asyncio.wait_for",
        *(f"httpx.AsyncClient().{verb}" for verb in _VERBS.split()),
    }
)
"""Functions that are written with `async def` outside the project."""

CLOCKS: Final = frozenset(
    {
        "contextvars.ContextVar().get",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
        "resilience4cata.current_deadline",
        *(f"time.{name}{unit}" for name in ("monotonic", "perf_counter", "time") for unit in ("", "_ns")),
    }
)
"""What they give is another value each time."""


def _methods(names: str, *owners: str) -> frozenset[str]:
    return frozenset(f"{owner}().{name}" for owner in owners for name in names.split())


_FLASK_HOOKS: Final = "after_request before_request context_processor errorhandler teardown_request"

REGISTERING: Final = (
    frozenset(
        {
            "atexit.register",
            "celery.Celery().task",
            "celery.shared_task",
            "click.command",
            "click.group",
            "django.dispatch.receiver",
            "dramatiq.actor",
            "pytest.fixture",
            "sqlalchemy.event.listens_for",
        }
    )
    | _methods("command group result_callback", "click.Group")
    | _methods("callback command", "typer.Typer")
    | _methods(f"route {_VERBS} {_FLASK_HOOKS}", "flask.Blueprint", "flask.Flask")
    | _methods("after_app_request app_errorhandler before_app_request", "flask.Blueprint")
    | _methods(f"api_route {_VERBS} websocket", "fastapi.APIRouter", "fastapi.FastAPI")
    | _methods("exception_handler middleware on_event", "fastapi.FastAPI")
    | _methods(_VERBS, "aiohttp.web.RouteTableDef")
)
"""Decorators that keep the function that they are given, for somebody who calls it later."""

GROUPS: Final[Mapping[str, str]] = {"click.group": "click.Group()", "click.Group().group": "click.Group()"}
"""What decorators make of a function that are known to make something else of it, whose methods are decorators."""
