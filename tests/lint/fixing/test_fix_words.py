"""Words in Python source: texts, names of arguments, members; in every form in which they can be written."""

from pathlib import Path

import pytest

from ..folder import write
from .repairing import repaired

HEAD = "from resilience4cata import fallback, retry, timeout\n\n\n"
TEMPLATE = '[resilience4cata.configs.external]\nretry = { max-attempts = 2 }\ntimeout = { value = "1s" }\n'


def in_call(arguments: str, policy: str = "retry") -> str:
    """What becomes of the arguments of a policy on a function."""
    write("resilience4cata.toml", TEMPLATE)
    source = f"{HEAD}@{policy}({arguments})\ndef f() -> None: ...\n"
    after = repaired(source)
    assert after.startswith(f"{HEAD}@{policy}(")
    assert after.endswith(")\ndef f() -> None: ...\n")
    return after.removeprefix(f"{HEAD}@{policy}(").removesuffix(")\ndef f() -> None: ...\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('config="externl"', 'config="external"'),
        ("config='externl'", "config='external'"),
        ('config = r"externl"', 'config = r"external"'),
        ('config=u"externl"', 'config=u"external"'),
        ('config="""externl"""', 'config="""external"""'),
        ('config=("externl")', 'config=("external")'),
        ('\n    config="externl",  # once "externl"\n', '\n    config="external",  # once "externl"\n'),
        ('name="größe", config="EXTERNAL"', 'name="größe", config="external"'),
        ('  # 漢\n\tconfig = "externl" # 😀\n', '  # 漢\n\tconfig = "external" # 😀\n'),
    ],
)
def test_texts(before: str, after: str) -> None:
    """Quotes, prefixes, blanks and comments stay."""
    assert after == in_call(before)


@pytest.mark.parametrize(
    "arguments",
    [
        'config="ext" "ernl"',
        'config="e\\x78ternl"',
        'config=f"externl"',
        'config="exter\\\nnl"',
        'config="database"',
    ],
    ids=["joined", "escaped", "f-string", "continued", "nothing near"],
)
def test_texts_that_stay(arguments: str) -> None:
    """No edit where the word does not stand there as it is, or nobody knows a better one."""
    assert arguments == in_call(arguments)


def test_constant() -> None:
    """Whoever else uses a constant may mean what it says."""
    write("resilience4cata.toml", TEMPLATE)
    source = f'{HEAD}NAME = "externl"\n\n\n@retry(config=NAME)\ndef f() -> None: ...\n'
    assert source == repaired(source)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"2 s"', '"2s"'),
        ('value="2S"', 'value="2s"'),
        ('"1.5s"', '"1500ms"'),
        ('"60000ms"', '"1m"'),
        ('"5"', '"5"'),
        ("5", "5"),
        ('"-1s"', '"-1s"'),
        ('"1h30m"', '"1h30m"'),
    ],
)
def test_durations(before: str, after: str) -> None:
    """What has one reading is written so; what has two, or a minus, is left to people."""
    assert after == in_call(before, "timeout")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("max_atempts=3", "max_attempts=3"),
        ("max_atempts = 3, delay='1s'", "max_attempts = 3, delay='1s'"),
        ("\n    max_atempts\n    =\n    (3)\n", "\n    max_attempts\n    =\n    (3)\n"),
        ("max_atempts=3, max_attempts=2", "max_atempts=3, max_attempts=2"),
        ("**{'max_atempts': 3}", "**{'max_atempts': 3}"),
    ],
)
def test_arguments(before: str, after: str) -> None:
    """The name of an argument changes, unless it would be given twice, or is no name."""
    assert after == in_call(before)


def test_several_in_one_line() -> None:
    """All are repaired, in one pass or several."""
    before = "max_atempts=3, delay='100 ms', config='externl'"
    assert "max_attempts=3, delay='100ms', config='external'" == in_call(before)


def test_one_of_several_fallbacks() -> None:
    """The place of the finding is the whole decorator; the word is the one that is wrong."""
    source = f"""{HEAD}class A:
    @fallback(method=("nobody", 'nobdy'))
    def f(self) -> int: ...

    def nobody(self, error: OSError) -> int: ...
"""
    assert source.replace("'nobdy'", "'nobody'") == repaired(source, "--select", "FB-002")


def test_same_word_twice() -> None:
    """Which of them is meant is not known."""
    source = f"""{HEAD}class A:
    @fallback(method=("nobdy", "nobdy"))
    def f(self) -> int: ...

    def nobody(self) -> int: ...
"""
    assert source == repaired(source)


def test_unicode_names() -> None:
    """A method may have any name that Python allows, and any that the encoding of the file can write."""
    source = """# -*- coding: {} -*-
from resilience4cata import fallback


class A:
    @fallback(method="größse")  # ü
    def f(self) -> int: ...

    def größe(self) -> int: ...
"""
    utf, latin = (source.format(name).replace("größse", "größe") for name in ("utf-8", "latin-1"))
    Path("latin.py").write_bytes(source.format("latin-1").encode("latin-1"))
    assert utf == repaired(source.format("utf-8"))
    assert latin.encode("latin-1") == Path("latin.py").read_bytes()
