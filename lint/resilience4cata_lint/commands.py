"""What the commands of `r4c` do, once the command line is read."""

# Paths stay the texts they were given as: making objects of thousands of them costs more than reading the files.
# ruff: noqa: PTH119, PTH123

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

from resilience4cata.records import replace

from . import files
from .formats import FOR_PROGRAMS
from .inputs import STDIN, Stdin, shown_in
from .locate import relative
from .options import PYPROJECT, Options, UsageError, load
from .outcome import CLEAN, FAILED, FOUND, TRACEBACK, internal_error
from .output import View, format_named, statistics
from .selection import EXACTLY, Selection, meant, split, unknown_rule

if TYPE_CHECKING:
    from resilience4cata.diagnostics import Rule

    from .baseline import Baseline
    from .engine import Report
    from .reading import Failure

_MOST_FAILURES: Final = 3


def check(parsed: argparse.Namespace) -> int:
    """`r4c check`."""
    from .cache import open_cache
    from .engine import analyse
    from .progress import watched
    from .reading import Means
    from .team import Team

    began = time.perf_counter()
    paths, stdin = _inputs(parsed.paths, parsed.stdin_filename)
    options = options_for(parsed.config, paths, stdin)
    if stdin is not None and stdin.filename:
        stdin = replace(stdin, filename=shown_in(options)(stdin.filename))
    if not parsed.paths and options.paths:
        paths = list(map(relative, options.paths))
    select = None if parsed.select is None else split(parsed.select)
    selection = Selection(select, split(parsed.ignore), split(parsed.extend_select))
    baseline = _baseline(parsed, options)
    cache = open_cache(options, parsed.cache_dir) if parsed.cache else None
    with Team(parsed.jobs) as team, watched() as watch:
        means = Means(cache, team, watch, parsed.skip_unrelated)

        def look(source: Stdin | None) -> Report:
            return analyse(paths, options, selection, source, means)

        report = look(stdin)
        left: list[str] = []
        if parsed.fix or parsed.diff:
            from .fixing.applying import repair, save, show

            result = repair(look, report, stdin, baseline, unsafe=parsed.unsafe_fixes)
            if parsed.diff:
                return show(
                    result, baseline, unsafe=parsed.unsafe_fixes, exit_zero=parsed.exit_zero, colour=_is_drawn(parsed)
                )
            report, left = save(result, look, stdin)
    is_outdated = baseline is not None and baseline.apply(report, update=parsed.update_baseline)
    for path in report.skipped:
        print(f"r4c: warning: {path} is neither Python nor configuration, and was not checked", file=sys.stderr)
    if not report.files and not report.skipped:
        print(f"r4c: warning: nothing to check in {', '.join(paths)}", file=sys.stderr)
    _show(report, parsed, time.perf_counter() - began)
    _complain(report.failures)
    if report.failures or left:
        return FAILED
    return FOUND if (report.diagnostics or is_outdated) and not parsed.exit_zero else CLEAN


def config_check(parsed: argparse.Namespace) -> int:
    """`r4c config check`: the files that are named, or those of the project, without the code."""
    if not parsed.paths:
        parsed.paths = list(map(relative, options_for(parsed.config, [os.curdir]).config_files))
    if not parsed.paths:
        msg = "no configuration files: name them, or list them as config-files under [tool.r4c]"
        raise UsageError(msg)
    return check(parsed)


def _complain(failures: Sequence[Failure]) -> None:
    """Say what the linter itself failed on; a few are enough, since one mistake of ours may concern every file."""
    for failure in failures[:_MOST_FAILURES]:
        if os.environ.get(TRACEBACK):
            raise failure.error
        print(f"r4c: error: {internal_error(failure.place, failure.error)}", file=sys.stderr)
    if len(failures) > _MOST_FAILURES:
        print(f"r4c: error: and {len(failures) - _MOST_FAILURES} more like these", file=sys.stderr)


def _baseline(parsed: argparse.Namespace, options: Options) -> Baseline | None:
    """The baseline that is named, if one is or has to be."""
    path = parsed.baseline or options.baseline
    if path is None and not parsed.update_baseline:
        return None
    from .baseline import open_baseline

    return open_baseline(path, update=parsed.update_baseline)


def _inputs(paths: Sequence[str], stdin_filename: str | None) -> tuple[list[str], Stdin | None]:
    """The paths to check, and standard input if that is meant. Raises UsageError if both are."""
    if STDIN not in paths:
        if stdin_filename is not None:
            msg = "--stdin-filename is for standard input: write 'r4c check - --stdin-filename FILE'"
            raise UsageError(msg)
        return list(paths) or [os.curdir], None
    if len(paths) > 1:
        msg = "standard input (-) is checked alone, without other paths"
        raise UsageError(msg)
    if sys.stdin is None:
        msg = "standard input is closed"
        raise UsageError(msg)
    return [], Stdin(sys.stdin.buffer.read(), stdin_filename)


def options_for(named: Sequence[str], paths: Sequence[str], stdin: Stdin | None = None) -> Options:
    """The project's options, with what `--config` says."""
    projects = [path for path in named if os.path.basename(path) == PYPROJECT]
    if len(projects) > 1:
        msg = f"--config takes one {PYPROJECT}"
        raise UsageError(msg)
    others = [path for path in named if path not in projects]
    for path in others:
        if not files.is_file(path):
            msg = f"no such file: '{path}' (--config)"
            raise UsageError(msg)
    anchors = [stdin.filename] if stdin is not None and stdin.filename else paths
    options = load(anchors, projects[0] if projects else None)
    return options.with_files(others) if others else options


def _show(report: Report, parsed: argparse.Namespace, seconds: float) -> None:
    output = format_named(parsed.format)
    if parsed.statistics and parsed.format in FOR_PROGRAMS:
        sys.stderr.writelines(f"{line}\n" for line in statistics(report.diagnostics))
    if parsed.output_file is None:
        colour = parsed.colour and not os.environ.get("NO_COLOR")
        # Where the repaired source goes to standard output, nothing else does.
        stream = sys.stderr if parsed.fix and STDIN in parsed.paths else sys.stdout
        view = View(is_looked_at(stream), colour, seconds, parsed.statistics, parsed.unsafe_fixes)
        output.render(report, stream, view)
        return
    try:
        with open(parsed.output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            output.render(report, file, View(statistics=parsed.statistics, unsafe=parsed.unsafe_fixes))
    except OSError as error:
        msg = f"cannot write {parsed.output_file}: {error.strerror}"
        raise UsageError(msg) from error


def _is_drawn(parsed: argparse.Namespace) -> bool:
    """Whether a diff gets colours."""
    return parsed.colour and not os.environ.get("NO_COLOR") and is_looked_at(sys.stdout)


def is_looked_at(stream: TextIO) -> bool:
    """Whether somebody looks on, or asks to be treated so (`FORCE_COLOR`)."""
    return stream.isatty() or bool(os.environ.get("FORCE_COLOR"))


def rule(parsed: argparse.Namespace) -> int:
    """`r4c rule`."""
    from resilience4cata.rules import all_rules

    rules = all_rules()
    if (parsed.rule is None) is not parsed.all:
        msg = "name one rule or family, or write --all"
        raise UsageError(msg)
    if parsed.all:
        _list(list(rules.values()), parsed)
        return CLEAN
    found = meant(parsed.rule, list(rules.values()))
    if not found:
        raise UsageError(unknown_rule(parsed.rule, list(rules.values())))
    if EXACTLY in found.values():
        _explain(rules[next(iter(found))], parsed)
    else:
        _list([rules[code] for code in found], parsed)
    return CLEAN


def _list(rules: Sequence[Rule], parsed: argparse.Namespace) -> None:
    from . import pages

    if parsed.format == "json":
        print_json([pages.as_dict(rule, parsed.lang) for rule in rules])
        return
    for line in pages.table(rules):
        print(line)


def _explain(found: Rule, parsed: argparse.Namespace) -> None:
    from . import pages

    text = pages.page(found, parsed.lang)
    facts, url = pages.facts_line(found, parsed.lang), found.url(parsed.lang)
    if parsed.format == "json":
        print_json({**pages.as_dict(found, parsed.lang), "page": text})
    elif is_looked_at(sys.stdout):
        from .output.terminal import draw_page

        draw_page(text, facts, url, sys.stdout)
    else:
        print(f"{found.code} ({found.name})\n{facts}\n{url}\n\n{text.rstrip()}")


def print_json(value: object) -> None:
    """Write plain values to standard output, in ASCII: JSON is UTF-8, and standard output may be something else."""
    import json

    print(json.dumps(value, indent=2))
