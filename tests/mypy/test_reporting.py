"""How findings become mypy's errors: codes, comments, settings, and what happens when a check itself fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilience4cata.rules import all_rules
from tests.mypy.beside_plugins import ATTRS, ATTRS_FOUND, HEAD, assert_found
from tests.mypy.running import CONFIGURATION, mypy, write

PROGRAM = """\
from resilience4cata import bulkhead, retry, timeout

first = timeout("1 s")
second = bulkhead(max_concurrent=0)


@retry(max_attempts=0)
def third() -> None: ...
"""
FIRST = 'app.py:3:17:3:21: error: timeout("1 s"): "1 s" is not a duration'
SECOND = "app.py:4:34:4:34: error: bulkhead(max_concurrent=0): 0 is out of range"
THIRD = "app.py:7:21:7:21: error: @retry(max_attempts=0) on app.third: 0 is out of range"


def said(folder: Path, cache: Path, *arguments: str, **files: str) -> list[str]:
    """What mypy says about the program, or another one, with these arguments."""
    write(folder, {"app.py": PROGRAM} | {name.replace("_", ".", 1): text for name, text in files.items()})
    return mypy(folder, *arguments, cache=cache).messages


def assert_starts(expected: list[str], messages: list[str]) -> None:
    assert len(expected) == len(messages), messages
    for beginning, message in zip(expected, messages, strict=True):
        assert message.startswith(beginning)


def test_everything(tmp_path: Path, cache: Path) -> None:
    """Without any setting all three are reported."""
    assert_starts([FIRST, SECOND, THIRD], said(tmp_path, cache))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--disable-error-code", "R4C-DU-001"), [SECOND, THIRD]),
        (("--disable-error-code", "R4C"), []),
        (("--disable-error-code", "R4C", "--enable-error-code", "R4C-DU-001"), [FIRST]),
    ],
    ids=["one", "all", "all but one"],
)
def test_codes_on_the_command_line(
    arguments: tuple[str, ...], expected: list[str], tmp_path: Path, cache: Path
) -> None:
    """Each rule is a code of its own, below one parent."""
    assert_starts(expected, said(tmp_path, cache, *arguments))


def test_codes_for_one_module(tmp_path: Path, cache: Path) -> None:
    """Sections of the configuration may name our codes."""
    section = "\n[mypy-app]\ndisable_error_code = R4C-VA-001\n"
    assert_starts([FIRST], said(tmp_path, cache, mypy_ini=CONFIGURATION + section))


def test_codes_in_the_file(tmp_path: Path, cache: Path) -> None:
    """So may comments that set options for a file."""
    program = f'# mypy: disable-error-code="R4C-DU-001"\n{PROGRAM}'
    messages = said(tmp_path, cache, app_py=program)
    assert 2 == len(messages), messages
    assert all("R4C-VA-001" in message for message in messages)


def test_every_rule_is_a_code() -> None:
    """Options may name each rule, also one that only other front ends report."""
    from resilience4cata_mypy.codes import BY_RULE, PARENT

    assert list(all_rules()) == [code.code for code in BY_RULE.values()]
    assert all(code.sub_code_of is PARENT for code in BY_RULE.values())
    assert [r.on_by_default for r in all_rules().values()] == [code.default_enabled for code in BY_RULE.values()]


def test_links(tmp_path: Path, cache: Path) -> None:
    """Where mypy shows links to its own codes, ours have one to their page."""
    messages = said(tmp_path, cache, "--show-error-code-links")
    assert any(
        message.endswith("note: see https://resilience4cata.readthedocs.io/en/rules/R4C-DU-001.html  [R4C-DU-001]")
        or "R4C-DU-001.html" in message
        for message in messages
    ), messages


def test_beside_another_plugin(tmp_path: Path, cache: Path) -> None:
    """A plugin that is asked first and cares for other names takes nothing away."""
    other = """\
from mypy.plugin import Plugin


class Other(Plugin):
    def get_function_hook(self, fullname: str):
        if fullname == "builtins.len":
            return lambda context: context.api.named_generic_type("builtins.str", [])
        return None


def plugin(version: str) -> type[Plugin]:
    return Other
"""
    configuration = CONFIGURATION.replace("plugins = ", "plugins = other_plugin.py, ")
    program = f"{PROGRAM}\n\nreveal_type(len([1]))\n"
    (tmp_path / "other_plugin.py").write_text(other, encoding="utf-8")
    write(tmp_path, {"app.py": program, "mypy.ini": configuration})
    messages = mypy(tmp_path, "app.py", cache=cache).messages
    assert_starts([FIRST, SECOND, THIRD, 'app.py:11:13:11:20: note: Revealed type is "str"'], messages)


BREAKING = """\
import resilience4cata_mypy
from resilience4cata_mypy import {module}


def fail(*args, **kwargs):
    raise ZeroDivisionError("on purpose")


{module}.{name} = fail
plugin = resilience4cata_mypy.plugin
"""


@pytest.mark.parametrize(
    ("module", "name", "lines"),
    [
        ("judge", "all_findings", [3, 4, 7]),
        ("judge", "report", [3, 4, 7]),
        ("extract", "span", [3, 4, 7]),
        ("judge", "with_facts", [3, 4]),
        ("faultless", "policy_class", [7]),
        ("signatures", "signature_of", []),
    ],
)
def test_a_check_that_fails_ends_nothing(module: str, name: str, lines: list[int], tmp_path: Path, cache: Path) -> None:
    """A mistake in the plugin becomes one note at each place, and mypy goes on: it still finds its own errors."""
    (tmp_path / "breaking.py").write_text(BREAKING.format(module=module, name=name), encoding="utf-8")
    configuration = CONFIGURATION.replace("plugins = resilience4cata_mypy", "plugins = breaking.py")
    program = f"{PROGRAM}\n\nwrong: int = ''\n"
    write(tmp_path, {"app.py": program, "mypy.ini": configuration})
    result = mypy(tmp_path, "app.py", cache=cache)
    notes = [message for message in result.messages if "could not check this" in message]
    assert lines == [int(note.split(":")[1]) for note in notes], result.output
    assert all("ZeroDivisionError: on purpose" in note and "please report it" in note for note in notes)
    assert any("Incompatible types in assignment" in message for message in result.messages)


def test_beside_the_plugin_for_attrs(tmp_path: Path, cache: Path) -> None:
    """What attrs makes of a class and what policies stand on its methods are found in one run."""
    write(tmp_path, {"app.py": f"{HEAD}{ATTRS}\n\nClient(3)\n"})
    assert_found(ATTRS_FOUND, mypy(tmp_path, cache=cache))
