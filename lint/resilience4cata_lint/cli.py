"""The command `r4c`: reads the command line, runs, and chooses the exit code.

0: nothing was found; 1: something was; 2: the tool could not do its work. Nothing heavy is imported before it is
needed.
"""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH109, PTH110, PTH123

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

from .formats import FORMATS
from .outcome import FAILED, FOUND, INTERRUPTED, TRACEBACK, UsageError, internal_error
from .project import PYPROJECT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `r4c` with these arguments (those of the process if None); returns the exit code."""
    _make_printable()
    try:
        with _no_collection():
            parsed = _parse(list(sys.argv[1:] if arguments is None else arguments))
            run: Callable[[argparse.Namespace], int] = parsed.run
            code = run(parsed)
            sys.stdout.flush()
    except UsageError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads on. The interpreter would complain when it flushes, so the stream leads nowhere from here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except OSError as error:
        # What concerns one file is dealt with where it is read: here the system refuses the run as a whole.
        if os.environ.get(TRACEBACK):
            raise
        return _fail(_refused(error))
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        return _fail(internal_error("", error))
    return code


def command() -> NoReturn:
    """Run `r4c` as a process, which then ends at once: taking its memory apart would take longer than some runs."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Modules, trees and facts live until the end: looking for garbage among them takes as long as making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _fail(text: str) -> int:
    print(f"r4c: error: {text}", file=sys.stderr)
    return FAILED


def _refused(error: OSError) -> str:
    """The system's words for what it refuses, and to whom: a full disk, a working folder that is gone."""
    try:
        os.getcwd()
    except OSError:
        return "the working folder does not exist any more"
    what = error.strerror or str(error)
    return f"'{error.filename}': {what}" if error.filename else f"cannot write: {what}"


def _make_printable() -> None:
    # Closed streams are None. Whoever closes them still wants the exit code.
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, it stays open as long as the process
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    # Names of files may hold anything, and consoles may know few characters: neither may stop a report.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


# What argparse says; some versions of Python put the choices in quotes.
_CHOICE: Final = re.compile(r"argument (?P<option>\S+): invalid choice: '(?P<word>.*)' \(choose from (?P<known>.+)\)")


class _Help(argparse.HelpFormatter):
    """As wide as the terminal; argparse would import `shutil` to know, which takes a tenth of a run over one file."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        with suppress(AttributeError, OSError, ValueError):
            columns = columns or str(os.get_terminal_size(sys.stdout.fileno()).columns)
        super().__init__(prog, width=int(columns) - 2 if columns.isdecimal() and int(columns) else 78)


class _Parser(argparse.ArgumentParser):
    """Errors in our words."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Help, **settings)

    def error(self, message: str) -> NoReturn:
        choice = _CHOICE.fullmatch(message)
        if choice is not None:
            raise UsageError(_unknown_choice(choice["option"], choice["word"], choice["known"].replace("'", "")))
        msg = f"{message}\n  try '{self.prog} --help'"
        raise UsageError(msg)


class _Version(argparse.Action):
    """Imports the runtime, which knows the version, only if it is asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from resilience4cata._version import __version__

        print(f"r4c {__version__}")
        parser.exit()


def _parser(command: str) -> argparse.ArgumentParser:
    """What reads the command line. Of the commands, only the given one gets its options: that takes a while."""
    parser = _Parser(
        prog="r4c",
        description="Checks resilience policies in Python code and their configuration.",
        epilog="'r4c COMMAND --help' shows the options of a command. Exit codes: 0 nothing found, 1 something found, "
        "2 the check could not be made.",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", title="commands", parser_class=_Parser
    )
    for name, (summary, add_options) in _COMMANDS.items():
        of_command = commands.add_parser(name, help=summary, allow_abbrev=False)
        if name == command:
            add_options(of_command)
    return parser


_RULES: Final = "codes (R4C-FB-002, fb-2), names (missing-fallback), families (FB) or ALL, in any case"
_PATHS: Final = "files and folders (default: the working folder), or - for standard input"


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        msg = f"must be a number from 1, not '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _add_check(parser: argparse.ArgumentParser, paths: str = _PATHS) -> None:
    add = parser.add_argument
    add("paths", nargs="*", default=[], metavar="PATH", help=paths)
    add("--format", choices=FORMATS, default="full", help="how findings are shown (default: full)")
    add("--output-file", metavar="FILE", help="write the findings there instead of to standard output")
    add("--select", action="append", metavar="RULE,…", help=f"only these rules: {_RULES}")
    add(
        "--extend-select", action="append", default=[], metavar="RULE,…", help="these rules too, also if off by default"
    )
    add("--ignore", action="append", default=[], metavar="RULE,…", help="not these rules")
    add(
        "--config",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a {PYPROJECT} to take [tool.r4c] from, or a configuration file of the policies to check with the code",
    )
    add("--fix", action="store_true", help="repair what can safely be repaired, and show what remains")
    add("--unsafe-fixes", action="store_true", help="also offer edits that may not be what was meant")
    add("--diff", action="store_true", help="show what --fix would write, and write nothing")
    add("--baseline", metavar="FILE", help="pass over the findings that this file lists")
    add("--update-baseline", action="store_true", help="make the file list what is found now")
    add("--stdin-filename", metavar="FILE", help="the path that standard input is to be treated as")
    add(
        "--skip-unrelated",
        action="store_true",
        help="pass over named files that have nothing to do with the library, even if they cannot be parsed",
    )
    add("--no-cache", dest="cache", action="store_false", help="read everything anew, and keep nothing")
    add(
        "--cache-dir",
        metavar="FOLDER",
        help="where the cache is (default: .r4c_cache beside the project's pyproject.toml)",
    )
    add("--jobs", type=_jobs, metavar="N", help="processes that read and parse files (default: as many as pay)")
    add(
        "--statistics",
        action="store_true",
        help="also count the findings of each rule, on standard error if the format is for programs",
    )
    add("--exit-zero", action="store_true", help="exit with 0 even if something was found")
    add("--no-color", "--no-colour", dest="colour", action="store_false", help="no colours")
    parser.set_defaults(run=_check, parser=parser)


def _add_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rule", nargs="?", metavar="RULE", help=f"a page or a list: {_RULES}")
    parser.add_argument("--all", action="store_true", help="list all rules")
    parser.add_argument("--lang", choices=("en", "es"), default="en", help="language of the page (default: en)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_rule, parser=parser)


def _add_config(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", required=True, metavar="COMMAND", parser_class=_Parser)
    check = commands.add_parser("check", help="check configuration files alone", allow_abbrev=False)
    _add_check(check, "configuration files (default: those of the project)")
    check.set_defaults(run=_config_check)
    schema = commands.add_parser("schema", help="print the JSON Schema of configuration files", allow_abbrev=False)
    schema.set_defaults(run=_config_schema, parser=schema)


def _add_describe(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", metavar="TARGET", help="acme.users.UserClient.find, the end of such a name, or src/acme/users.py:42")
    add("--profile", action="append", default=[], metavar="NAME", help="as if this profile were active; repeatable")
    add("--format", choices=("text", "json"), default="text")
    add("--lang", choices=("en", "es"), default="en", help="language of remarks (default: en)")
    add("--config", action="append", default=[], metavar="FILE", help="as for 'r4c check'")
    parser.set_defaults(run=_describe, parser=parser)


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.set_defaults(run=_init, parser=parser)


_COMMANDS: Final[dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "check": ("check files and folders", _add_check),
    "config": ("about configuration files", _add_config),
    "describe": ("show what counts for a function, and why", _add_describe),
    "init": ("set a project up", _add_init),
    "rule": ("explain a rule, or list a family or all of them", _add_rule),
}


def _parse(arguments: list[str]) -> argparse.Namespace:
    """The command line as read. Raises UsageError, with what was probably meant, for what is not known."""
    if not arguments:
        arguments = ["--help"]
    if not arguments[0].startswith("-") and arguments[0] not in _COMMANDS:
        raise UsageError(_unknown_command(arguments[0]))
    parser = _parser(next((word for word in arguments if word in _COMMANDS), ""))
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise UsageError(_unknown_argument(unknown[0], parsed.parser))
    return parsed


def _unknown_command(word: str) -> str:
    from resilience4cata.suggestions import did_you_mean

    suggestion = did_you_mean(word, _COMMANDS)
    if suggestion is None and os.path.exists(word):
        suggestion = f"check {word}"
    advice = f"did you mean 'r4c {suggestion}'?" if suggestion else f"there are {', '.join(map(repr, _COMMANDS))}"
    return f"no command '{word}'; {advice}"


def _unknown_argument(word: str, parser: argparse.ArgumentParser) -> str:
    from resilience4cata.suggestions import did_you_mean

    suggestion = did_you_mean(word.partition("=")[0], re.findall(r"--[\w-]+", parser.format_help()))
    return f"no option '{word}'" + (f"; did you mean '{suggestion}'?" if suggestion else "")


def _unknown_choice(option: str, word: str, known: str) -> str:
    from resilience4cata.suggestions import did_you_mean

    suggestion = did_you_mean(word, known.split(", "))
    return f"{option} knows no '{word}'; " + (f"did you mean '{suggestion}'?" if suggestion else f"it knows {known}")


def _check(parsed: argparse.Namespace) -> int:
    from .replay import replayed

    def make() -> int:
        from .commands import check

        return check(parsed)

    return replayed(parsed, make)


def _config_check(parsed: argparse.Namespace) -> int:
    from .commands import config_check

    return config_check(parsed)


def _config_schema(parsed: argparse.Namespace) -> int:
    from .commands import print_json
    from .json_schema import json_schema

    print_json(json_schema())
    return 0


def _describe(parsed: argparse.Namespace) -> int:
    from .describe import run

    return run(parsed)


def _init(parsed: argparse.Namespace) -> int:
    from .init import run

    return run(parsed)


def _rule(parsed: argparse.Namespace) -> int:
    from .commands import rule

    return rule(parsed)
