"""Decorators that move, are written otherwise, or go; with everything that belongs to them."""

import pytest

from .repairing import repaired

HEAD = """from functools import cached_property

from resilience4cata import Layer, circuit_breaker, fallback, order, resilience_policy, retry, timeout

composed = resilience_policy("composed", timeout("2s"), retry(max_attempts=3, delay="100ms"))


"""


def on_function(decorators: str, code: str, parameters: str = "") -> str:
    """What becomes of the decorators of a function, by the edits of one rule."""
    after = repaired(f"{HEAD}{decorators}def f({parameters}): ...\n", "--select", code)
    assert after.startswith(HEAD)
    return after.removeprefix(HEAD).removesuffix(f"def f({parameters}): ...\n")


def in_class(decorators: str, code: str, indent: str = "    ") -> str:
    """The same for a method."""
    lines = "".join(f"{indent}{line}\n" if line else "\n" for line in decorators.splitlines())
    method, rest = f"{HEAD}class A:\n{lines}", f"{indent}def f(self): ...\n"
    after = repaired(method + rest, "--select", code)
    return after.removeprefix(f"{HEAD}class A:\n").removesuffix(rest).replace(f"\n{indent}", "\n").removeprefix(indent)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@retry()\n@property\n", "@property\n@retry()\n"),
        ("@retry()\n@timeout('1s')\n@staticmethod\n", "@staticmethod\n@retry()\n@timeout('1s')\n"),
        ("@fallback(method='f')\n@classmethod\n@retry()\n", "@classmethod\n@fallback(method='f')\n@retry()\n"),
        ("@retry()  # why\n# of it\n@property  # as such\n", "# of it\n@property  # as such\n@retry()  # why\n"),
        (
            "# about the method\n@retry(\n    max_attempts=2,\n)\n@property\n",
            "# about the method\n@property\n@retry(\n    max_attempts=2,\n)\n",
        ),
        ("@property\n@retry()\n", "@property\n@retry()\n"),
        ("@(retry())\n@property\n", "@(retry())\n@property\n"),
        ("@\\\nretry()\n@property\n", "@\\\nretry()\n@property\n"),
    ],
)
@pytest.mark.parametrize("indent", ["    ", "\t"], ids=["blanks", "tab"])
def test_moved(before: str, after: str, indent: str) -> None:
    """Whole lines, in the order in which they stood; what does not stand alone on its lines stays."""
    assert after == in_class(before, "LOC", indent)


def test_moved_past_others() -> None:
    """What stands between keeps its side of the property."""
    source = f"{HEAD}class A:\n    @retry()\n    @other\n    @property\n    def f(self): ...\n"
    expected = f"{HEAD}class A:\n    @other\n    @property\n    @retry()\n    def f(self): ...\n"
    assert expected == repaired(
        source.replace("class A", "def other(f): return f\nclass A"), "--select", "LOC"
    ).replace("def other(f): return f\nclass A", "class A")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "@timeout('1s')\n@retry()\n@fallback(method='g')\n",
            "@fallback(method='g')\n@retry()\n@timeout('1s')\n",
        ),
        (
            "@timeout('1s')  # a second\n# again\n@retry(\n    max_attempts=2\n)\n",
            "# again\n@retry(\n    max_attempts=2\n)\n@timeout('1s')  # a second\n",
        ),
        ("@timeout('1s')\n@print\n@retry()\n", "@timeout('1s')\n@print\n@retry()\n"),
    ],
)
def test_reordered(before: str, after: str) -> None:
    """As they run; not past a decorator of somebody else."""
    assert after == on_function(before, "OR-004")


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("@retry\n", "@retry()\n", "LOC-006"),
        ("@retry  # again\n", "@retry()  # again\n", "LOC-006"),
        ("@(retry)\n", "@(retry())\n", "LOC-006"),
        ("@composed()\n", "@composed\n", "CMP-008"),
        ("@composed (\n)  # so\n", "@composed  # so\n", "CMP-008"),
        ("@composed(  # so\n)\n", "@composed(  # so\n)\n", "CMP-008"),
    ],
)
def test_parentheses(before: str, after: str, code: str) -> None:
    assert after == on_function(before, code)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@composed\n@retry(max_attempts=5, delay='100ms')\n", "@composed\n@retry(max_attempts=5)\n"),
        ("@composed\n@retry(delay='100ms', max_attempts=5)\n", "@composed\n@retry(max_attempts=5)\n"),
        (
            "@composed\n@retry(\n    max_attempts=5,\n    delay='100ms',\n)\n",
            "@composed\n@retry(\n    max_attempts=5,\n)\n",
        ),
        ("@composed\n@timeout('2000ms')\n@retry(max_attempts=5)\n", "@composed\n@retry(max_attempts=5)\n"),
        ("@composed\n@retry(max_attempts=3, delay='100ms')\n", "@composed\n"),
        ("@composed\n@timeout('2s')  # so\n", "@composed\n@timeout('2s')  # so\n"),
        ("@composed\n@timeout(  # so\n    '2s')\n", "@composed\n@timeout(  # so\n    '2s')\n"),
        (
            "@composed\n@retry(max_attempts=5,  # so\n    delay='100ms')\n",
            "@composed\n@retry(max_attempts=5,  # so\n    delay='100ms')\n",
        ),
        ("@composed\n@retry(name='x', delay=('100ms'))\n", "@composed\n@retry(name='x', delay=('100ms'))\n"),
    ],
)  # fmt: skip
def test_dropped_arguments(before: str, after: str) -> None:
    """With their commas; a decorator goes with its last argument, a comment never goes."""
    assert after == on_function(before, "CMP-006")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Layer.RETRY, Layer.HEDGE", "Layer.RETRY"),
        ("Layer.HEDGE, Layer.RETRY", "Layer.RETRY"),
        ("Layer.HEDGE, Layer.BULKHEAD, Layer.RETRY, Layer.CIRCUIT_BREAKER,", "Layer.RETRY,"),
        ("\n    Layer.RETRY,\n    Layer.HEDGE,\n", "\n    Layer.RETRY,\n"),
        ("Layer.HEDGE", "Layer.HEDGE"),
        ("*(Layer.RETRY, Layer.HEDGE)", "*(Layer.RETRY, Layer.HEDGE)"),
    ],
)
def test_dropped_layers(before: str, after: str) -> None:
    """All that the function lacks at once; an order of nothing is none."""
    assert f"@order({after})\n@retry()\n" == on_function(f"@order({before})\n@retry()\n", "OR-003")
