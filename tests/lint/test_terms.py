"""Expressions are read as libcst reads them, to the column."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata_lint.syntax import Lines, Terms
from resilience4cata_lint.terms import (
    MAX_DEPTH,
    Argument,
    Call,
    Choice,
    Constant,
    Display,
    Opaque,
    Path,
    Table,
    Term,
    children,
    root_of,
)
from tests.lint import by_libcst

EXPRESSIONS = [
    "retry()",
    "r4c.policies.retry(max_attempts=3)",
    'retry(delay="100ms" "1s", max_delay=f"a{{b}}" rf"\\d")',
    'retry(delay=f"{x}s", jitter=-1, multiplier=+2.5, config=- x)',
    'retry(delay=("1s"), retry_on=(A, B), abort_on=((C,)), x=(), y=A, )',
    "retry(max_attempts=1_000, multiplier=1e999, a=0x_ff, b=2j, c=-0.0, d=-True)",
    "retry(**options, **{'delay': '1s', **more}, enabled=None)",
    "order(*layers, Layer.RETRY, *[Layer.HEDGE])",
    "retry(delay='1s' if fast else '2s', retry_on={A, *B})",
    "retry(delay=lambda: f(1), retry_on=[g(x) for x in y])",
    "retry(delay=f(1) + g(2), retry_on=not h(3), x=a or b(1))",
    "retry(config=names[0], retry_on=A | B, classifier=Box[int]())",
    "Resilience.builder().config('x', retry(delay='1s')).build()",
    "external_call()(client)[0].run(timeout('2s'))",
    "retry(config=(name := 'x'), delay=b'1s', enabled=...)",
    "retry(delay='ä€𝄞', config='x')",
    "retry(x=await f(1), y=a if b(2) else c)",
    'retry(delay=f"{f(1)}s", config=f"""é\n{ g(\n2)} é""")',
    'retry(\n    max_attempts=3,  # three\n    retry_on=(\n        A,\n        B,\n    ),\n    delay="""1\n\ts""",\n)',
]


def by_ast(source: str) -> Term:
    """The term for an expression that may run over several lines."""
    return Terms(Lines(source))(ast.parse(source, mode="eval").body)


def spans(term: Term) -> list[object]:
    """The term and its place, then those of everything in it."""
    return [(type(term).__name__, term.span), *(span for child in children(term) for span in spans(child))]


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_libcst_and_ast_agree(source: str) -> None:
    """Both readers give the same terms in the same places."""
    term = by_libcst.read(source, 1, 1)
    assert term is not None
    assert repr(by_ast(source)) == repr(term)
    assert spans(by_ast(source)) == spans(term)


def test_places_over_several_lines() -> None:
    """A call ends where its parenthesis does."""
    term = by_ast("retry(\n  delay='1s')")
    assert isinstance(term, Call)
    assert (1, 1, 2, 14) == term.span
    assert (2, 9, 2, 13) == term.arguments[0].value.span


def test_parentheses() -> None:
    """Parentheses belong to a tuple and to nothing else."""
    term = by_ast("f((a), ((b, c)))")
    assert isinstance(term, Call)
    assert [(1, 4, 1, 5), (1, 9, 1, 15)] == [argument.value.span for argument in term.arguments]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'a' 'b'", "ab"),
        ("f'a' 'b'", "ab"),
        ("f'{{}}'", "{}"),
        ("rf'\\n{{'", "\\n{"),
        ("-5", -5),
        ("+5", 5),
        ("-0.5", -0.5),
        ("1_000", 1000),
        ("0xff", 255),
        ("True", True),
        ("None", None),
        ("-True", None),
    ],
)
def test_literals(source: str, value: object) -> None:
    """Literals have their exact values and types."""
    terms = (by_ast(source), by_libcst.read(source, 1, 1))
    if source == "-True":
        assert not any(isinstance(term, Constant) for term in terms)
        return
    assert [repr(Constant(value, term.span)) for term in terms if term] == [repr(term) for term in terms]  # type: ignore[arg-type]


def test_structure() -> None:
    """A call, its arguments, and what they are made of."""
    source = "f(a.b, x=(1, None), **{'k': c}, y=1 if d else 2)"
    expected = Call(
        Path(("f",)),
        (
            Argument(Path(("a", "b"))),
            Argument(Display("tuple", (Constant(1), Constant(None))), "x"),
            Argument(Table(((Constant("k"), Path(("c",))),)), None, 2),
            Argument(Choice(Constant(1), Constant(2)), "y"),
        ),
    )
    assert expected == by_ast(source) == by_libcst.read(source, 1, 1)


def test_integers_that_cannot_be_printed_are_opaque() -> None:
    """Messages print values, and Python refuses to print integers of more than 4300 digits."""
    assert isinstance(by_ast("0x" + "f" * 5000), Opaque)
    assert isinstance(by_libcst.read("0x" + "f" * 5000, 1, 1), Opaque)


def test_depth_is_bounded() -> None:
    """What is nested too deeply is cut, not followed."""
    source = "f(" * (2 * MAX_DEPTH) + ")" * (2 * MAX_DEPTH)
    depth, term = 0, by_ast(source)
    while isinstance(term, Call) and term.arguments:
        depth, term = depth + 1, term.arguments[0].value
    assert MAX_DEPTH + 1 == depth
    assert isinstance(term, Opaque)


def test_roots() -> None:
    """The name that a callable begins with."""
    assert ["a", "a", "a", None] == [root_of(by_ast(s)) for s in ("a", "a.b(c).d[0](e)", "a[0].b", "(1).real")]


def test_columns_count_characters() -> None:
    """ast counts bytes, people do not."""
    source = "äöü = retry(delay='€', config='x')"
    call = ast.parse(source).body[0]
    assert isinstance(call, ast.Assign)
    term = Terms(Lines(source))(call.value)
    assert isinstance(term, Call)
    assert [(1, 7, 1, 35), (1, 19, 1, 22), (1, 31, 1, 34)] == [term.span, *(a.value.span for a in term.arguments)]


def test_name_span() -> None:
    """The name after `def`, `async def` and `class`, also behind a backslash."""
    source = dedent("""\
        def f(f): ...
        async  def   g(): ...
        class ss: ...
        def \\
          deferred(): ...
        async \\
          def \\
            later(): ...
        def ﬁne(): ...
        async \\
          def last(): ...
        """)
    lines = Lines(source)
    nodes = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    expected = [(1, 5, 1, 6), (2, 14, 2, 15), (3, 7, 3, 9), (5, 3, 5, 11), (8, 5, 8, 10), (9, 5, 9, 8), (11, 7, 11, 11)]
    assert expected == [lines.name_span(node) for node in nodes]


atoms = st.sampled_from(["a", "a.b", "'x'", "3", "-2.5", "None", "True", "()", "[]", "f'x'", "'a' 'b'", "(lambda: 0)"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("{}({})".format, st.sampled_from(["f", "a.b", "g()"]), inner),
        st.builds("f({}, k={}, **{})".format, inner, inner, st.sampled_from(["o", "{'k': 1}"])),
        st.builds("({}, {})".format, inner, inner),
        st.builds("[{}, *{}]".format, inner, st.sampled_from(["o", "(1, 2)"])),
        st.builds("({} if c else {})".format, inner, inner),
        st.builds("({} + {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=8,
)


@given(expressions)
def test_libcst_and_ast_agree_on_anything(source: str) -> None:
    """Property: the two readers cannot be told apart."""
    call = f"f({source})"
    term = by_libcst.read(call, 1, 1)
    assert term is not None
    assert repr(by_ast(call)) == repr(term)
    assert spans(by_ast(call)) == spans(term)
