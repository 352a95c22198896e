"""`--fix` on faults that it repairs, written in every form: nothing else may change, and nothing may break."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resilience4cata.config.reading import read
from resilience4cata_lint.cli import main
from tests.fuzz.programs import programs

few = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

CONFIGURATION = """\
[resilience4cata.configs.external.retry]
max-attempts = 2

[resilience4cata.budgets.partners]
percent = 10
"""
NAMES = ("Layer", "circuit_breaker", "fallback", "order", "resilience_policy", "retry", "timeout")
ONE_LINE = f"from resilience4cata import {', '.join(NAMES)}\n"
LINES, REMARKED = ",\n    ", ",  # ours\n    "
HEADS = st.sampled_from(
    [
        ONE_LINE,
        f"from resilience4cata import (\n    {LINES.join(NAMES)},\n)\n",
        f"from resilience4cata import (\n    {REMARKED.join(NAMES)},\n)\n",
        "import resilience4cata\nfrom resilience4cata import *\n",
        f'"""What it is about."""\n\nfrom __future__ import annotations\n\n{ONE_LINE}',
        f"import functools  # ñ\nfrom resilience4cata import {NAMES[0]}\n{ONE_LINE.replace('Layer, ', '')}",
    ]
)
COMPOSED = '\ncomposed = resilience_policy("composed", timeout("2s"), retry(max_attempts=3))\n\n\n'
TEXTS = st.sampled_from(
    [
        'config="externl"', "config='externl'", 'config=("externl")', 'config="ext" "ernl"', 'config=f"externl"',
        'config=r"externl"', 'config="""externl"""', 'config="e\\x78ternl"', 'config="EXTERNAL"', 'budget="Partners"',
        'max_atempts=3', "max_atempts = 3", "jitter='full'", 'jitter="ful"', 'backoff="FIXED"', 'delay="2 s"',
        'delay="100 ms", max_atempts=2', 'delay = "1.5s"', "delay=u'2 s'", 'delay="2000ms"', "max_attempts=3",
        'name="external"', "max_atempts=3, max_attempts=2", "**{'max_atempts': 3}", "max_atempts=(3)",
    ]
)  # fmt: skip
DECORATORS = st.one_of(
    TEXTS.map("retry({})".format),
    TEXTS.map("retry(  # why\n    {},\n)".format),
    TEXTS.map("retry(\n\t{}  # why\n)".format),
    st.sampled_from(
        [
            "retry", "(retry)", "timeout", "composed", "composed()", "composed( )", "composed(  # why\n)",
            "staticmethod",
            "classmethod", "property", 'timeout("2 s")', "timeout('60000ms')", 'timeout(value="2000ms")',
            'timeout("PT0.5S")  # r4c: ignore[R4C-DU-006]', 'fallback(method="nobdy")', 'fallback(method=("nobdy",))',
            "fallback(method='''nobdy''')", "circuit_breaker  # of café", "order(Layer.RETRY, Layer.BULKHEAD)",
            "order(Layer.BULKHEAD, Layer.HEDGE, Layer.RETRY)",
            "order(\n    Layer.RETRY,\n    Layer.BULKHEAD,  # why\n)",
            'timeout("2s")  # r4c: ignore[R4C-DU-001]', 'timeout("2s")  # r4c: ignore[R4C-DU-001, R4C-DU-002] # é',
            'timeout("2s")  # r4c: ignore[DU-1, R4C-FB-002]',
            'timeout("2s")  # noqa # r4c: ignore[R4C-FB-002,]',
            'timeout("2s")  # r4c: ignore', "timeout('2s')  # r4c: ignore[R4C-FB-002] since", "\\\nretry()",
        ]
    ),
)  # fmt: skip
BETWEEN = st.sampled_from(["", "", "", "# about the next one\n", "\n", "# r4c: ignore[R4C-FB-002]\n"])


@st.composite
def functions(draw: st.DrawFn, indent: str) -> str:
    """A function with decorators, each of them perhaps with a comment above."""
    pairs = draw(st.lists(st.tuples(BETWEEN, DECORATORS), min_size=1, max_size=4))
    head = "".join(f"{between}@{decorator}\n" for between, decorator in pairs)
    kind, name = draw(st.sampled_from(["def", "async def"])), draw(st.sampled_from(["find", "größe", "charge"]))
    body = draw(st.sampled_from(["...", "return 1  # so", "\n    return '漢'\n"]))
    lines = f"{head}{kind} {name}(cls: object) -> int: {body}\n".split("\n")
    return "\n".join(f"{indent}{line}" if line else line for line in lines)


@st.composite
def faulty(draw: st.DrawFn) -> str:
    """A module with faults, perhaps with a class and a subclass that overrides what is guarded."""
    indent = draw(st.sampled_from(["    ", "\t", " "]))
    methods = "\n".join(draw(st.lists(functions(indent), min_size=1, max_size=3)))
    classes = f"class A:\n{methods}\n{indent}def nobody(self: object) -> int: ...\n\n\n"
    if draw(st.booleans()):
        classes += f"class B(A):\n{indent}def charge(self) -> int: ...\n{indent}def find(self) -> int: ...\n\n\n"
    plain = "\n\n".join(draw(st.lists(functions(""), max_size=2)))
    return f"{draw(HEADS)}{COMPOSED}{classes}{plain}\n\ndef nobody(cls: object) -> int: ...\n"


sources = st.one_of(faulty(), faulty(), programs())


def repair() -> int:
    status = main(["check", "--no-cache", "--jobs", "1", "--fix", "--unsafe-fixes", "--extend-select", "ALL", "."])
    assert status in {0, 1}
    return status


def is_parsed(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def comments(source: str) -> list[str]:
    """All comments but what silences findings, sorted, since they move with their decorators."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return sorted(filter(None, (re.sub(r"\s*# r4c: ignore(\[[^]]*\])?", "", text).strip() for text in texts)))


@pytest.mark.slow
@few
@given(sources, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_repaired(source: str, newline: str, mark: bool) -> None:
    """The result can be parsed, keeps comments, line ends and byte order mark, and is not repaired twice."""
    if not is_parsed(source):
        return
    before = source.replace("\n", newline).encode("utf-8-sig" if mark else "utf-8")
    module = Path("module.py")
    Path("resilience4cata.toml").write_text(CONFIGURATION, encoding="utf-8")
    module.write_bytes(before)
    repair()
    once = module.read_bytes()
    text = once.decode("utf-8-sig")
    ast.parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert comments(source) == comments(text.replace(newline, "\n"))
    assert mark is once.startswith(b"\xef\xbb\xbf")
    assert "" == re.sub(re.escape(newline), "", "".join(re.findall(r"[\r\n]+", text)))
    repair()
    assert once == module.read_bytes()


# ---------------------------------------------------------------- configuration

KEYS = st.sampled_from(
    ["max_attempts", "max-atempts", "maxAttempts", "delya", '"delya"', "'max attempts'", "extends", "wait-in-opne"]
)
SCALARS = st.sampled_from(
    [
        '"externl"',
        "'internl'",
        '"2 s"',
        '"ext\\u0065rnl"',
        "2",
        '["OSErorr", "ConectionError"]',
        '"""internl"""',
        "true",
    ]
)
TABLES = st.sampled_from(
    ["configs.external", "configs.internal.retry", "config.external", "retry", "instances.reprots", "external.retry",
     'configs."exte rnal"', "defaults.circuit-braker", "profiles.prdo.configs.external", "budgets.partners"]
)  # fmt: skip
REMARKS = st.sampled_from(["", "  # ñ", "# r4c: ignore[R4C-CFG-011]", " # r4c: ignore[R4C-CFG-02]", "  # delya"])
PROGRAM = """from resilience4cata import bulkhead, retry


@retry(config="external")
def f() -> None: ...


@bulkhead(name="reports")
def g() -> None: ...
"""


@st.composite
def toml(draw: st.DrawFn) -> str:
    """Tables with keys near to those that are known."""
    tables = []
    for table in draw(st.lists(TABLES, min_size=1, max_size=3, unique=True)):
        keys = draw(st.lists(st.tuples(KEYS, SCALARS, REMARKS), max_size=4, unique_by=lambda entry: entry[0]))
        lines = "".join(f"{key} = {value}{remark}\n" for key, value, remark in keys)
        tables.append(f"[resilience4cata.{table}]{draw(REMARKS)}\n{lines}")
    return "\n".join(tables)


@st.composite
def properties(draw: st.DrawFn) -> str:
    """The same as lines, continued and escaped here and there."""
    lines = []
    for table, key, value in draw(st.lists(st.tuples(TABLES, KEYS, SCALARS), max_size=5)):
        whole = f"{table}.{key}".replace('"', "").replace("'", "").replace(" ", "\\ ")
        separator = draw(st.sampled_from(["=", " : ", " = \\\n   ", " "]))
        prefix = draw(
            st.sampled_from(["resilience4cata.", "resilience4cata.", "resilience4cta.", "! resilience4cata."])
        )
        lines.append(f"{prefix}{whole}{separator}{value.strip(chr(34))}\n")
    return "".join(lines)


@st.composite
def yaml(draw: st.DrawFn) -> str:
    """The same nested, in block and flow style."""
    lines = ["resilience4cata:\n"]
    for table in draw(st.lists(TABLES, min_size=1, max_size=3, unique=True)):
        parts = table.replace('"', "").split(".")
        lines += [f"{'  ' * (depth + 1)}{part}:\n" for depth, part in enumerate(parts)]
        indent = "  " * (len(parts) + 1)
        keys = draw(st.lists(st.tuples(KEYS, SCALARS, REMARKS), min_size=1, max_size=3, unique_by=lambda e: e[0]))
        lines += [f"{indent}{key}: {value}{remark}\n" for key, value, remark in keys]
    return "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "made"), [("toml", toml()), ("properties", properties()), ("yaml", yaml())])
@few
@given(content=st.data(), newline=st.sampled_from(["\n", "\r\n"]))
def test_repaired_configuration(
    suffix: str, made: st.SearchStrategy[str], content: st.DataObject, newline: str
) -> None:
    """It can be read if it could be before, keeps lines and comments, and is not repaired twice."""
    source = content.draw(made).replace("\n", newline)
    file = Path(f"resilience4cata.{suffix}")
    Path("module.py").write_text(PROGRAM, encoding="utf-8")
    file.write_bytes(source.encode())
    repair()
    once = file.read_bytes()
    before, after = read(file.name, source.encode()), read(file.name, once)
    assert (before.broken is None) is (after.broken is None)
    assert len(before.repeated) >= len(after.repeated)
    text = once.decode()
    assert [source.count(remark) for remark in ("# ñ", "# delya")] == [text.count(r) for r in ("# ñ", "# delya")]
    assert text.count("\n") == text.count(newline)
    repair()
    assert once == file.read_bytes()
    file.unlink()
