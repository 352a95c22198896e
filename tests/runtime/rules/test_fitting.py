"""Which targets can stand in for an original: the table of fallback cases, and what surrounds it."""

from __future__ import annotations

import pytest

from resilience4cata.facts import At, Definition, Kind, NoTypes, TypeFact
from resilience4cata.rules.fitting import expected_form, misfits, shape_of
from tests.runtime.rules.build import signature

ORIGINAL = "(a: int, b: str) -> User"


class Sizes(NoTypes):
    """An oracle for which `bool` is an `int`, an `int` an `object`, and nothing else is anything else."""

    def assignable(self, source: TypeFact, target: TypeFact) -> bool | None:
        wider = {"bool": {"bool", "int", "object"}, "int": {"int", "object"}, "str": {"str", "object"}}
        return target.text in wider[source.text] if source.text in wider else None


@pytest.mark.parametrize(
    ("original", "target", "reasons"),
    [
        (ORIGINAL, "(a: int, b: str)", []),
        (ORIGINAL, "(a: int, b: str, error: OSError)", []),
        (ORIGINAL, "(a: int, b: str, error: OSError | ValueError)", []),
        (ORIGINAL, "(a: int, b: str, note: str = '')", []),
        (ORIGINAL, "(a: int, b: str, error: Exception | None = None)", []),
        (ORIGINAL, "(*args, **kwargs)", []),
        (ORIGINAL, "(a, b)", []),
        (ORIGINAL, "(a: int)", ["'b' is missing"]),
        ("(a: int, b: str = '')", "(a: int)", ["'b' is missing"]),
        ("(a: int, b: str = '')", "(a: int, b: str)", []),
        (ORIGINAL, "(a: int, name: str)", ["'b' is called 'name'"]),
        ("(a: int, b: str, /)", "(x: int, y: str)", []),
        (ORIGINAL, "(a: int, b: str, /)", ["'a' cannot be given by keyword", "'b' cannot be given by keyword"]),
        (ORIGINAL, "(b: str, a: int)", ["'a' stands in another place", "'b' stands in another place"]),
        ("(*, b: str)", "(b: str)", []),
        ("(b: str)", "(*, b: str)", ["'b' cannot be given by position"]),
        ("(*, b: str)", "(b: str, /)", ["'b' cannot be given by keyword"]),
        ("(a: int, *, b: str)", "(a: int, b: str)", []),
        ("(a: str, /, *, b: str)", "(b: str)", ["'b' may already be given by position"]),
        ("(a: int, *rest: int, b: str)", "(a: int, b: str, *rest: int)", ["'b' may already be given by position"]),
        ("(a: int, *rest: int, b: str)", "(a: int, error: OSError, *rest: int, b: str)", []),
        ("(a: int, *rest: int)", "(a: int)", ["'*rest' is missing"]),
        ("(a: int, **more: int)", "(a: int)", ["'**more' is missing"]),
        (ORIGINAL, "(error: OSError)", ["'a' is called 'error'", "'b' is missing"]),
        (
            ORIGINAL,
            "(a: int, b: str, c: int, d: int)",
            ["'c' is required but not given", "'d' is required but not given"],
        ),
        ("()", "(*, key: str)", ["'key' is required but not given"]),
        ("(a: int)", "(a: object)", []),
        ("(a: int)", "(a: bool)", ["'a' takes bool, not int"]),
        ("(a: Unknown)", "(a: int)", []),
    ],
)
def test_every_call_of_the_original_must_fit(original: str, target: str, reasons: list[str]) -> None:
    ours, theirs = signature(original), signature(target)
    assert reasons == list(misfits(ours, shape_of(ours, theirs).parameters, Sizes()))


@pytest.mark.parametrize(
    ("target", "parameter", "misplaced"),
    [
        ("(a: int, b: str)", None, ""),
        ("(a: int, b: str, error: OSError)", "error", ""),
        ("(a: int, b: str, error: Elsewhere)", "error", ""),
        ("(error: OSError, a: int, b: str)", "error", "does not come last"),
        ("(a: int, b: str, error)", "error", "has no annotation"),
        ("(a: int, b: str, error: str)", "error", "is annotated with no exception type"),
        ("(a: int, b: str, error: OSError | int)", "error", "is annotated with no exception type"),
        ("(a: int, b: str, note: str = '')", None, ""),
        ("(a: int, b: str, c: OSError, d: OSError)", None, ""),
    ],
)
def test_one_parameter_more_receives_the_exception(target: str, parameter: str | None, misplaced: str) -> None:
    shape = shape_of(signature(ORIGINAL), signature(target))
    assert (parameter, misplaced) == (shape.exception.name if shape.exception else None, shape.misplaced)


@pytest.mark.parametrize(
    ("original", "kind", "is_async", "expected"),
    [
        (ORIGINAL, Kind.METHOD, False, "def fb(self, a: int, b: str[, error: Exception]) -> User"),
        (ORIGINAL, Kind.FUNCTION, True, "async def fb(a: int, b: str[, error: Exception]) -> User"),
        ("()", Kind.FUNCTION, False, "def fb([error: Exception])"),
        ("()", Kind.CLASS_METHOD, False, "def fb(cls[, error: Exception])"),
        (
            "(a, /, b=1, *, c: int = 2)",
            Kind.STATIC_METHOD,
            False,
            "def fb(a, /, b[, error: Exception], *, c: int)",
        ),
        ("(a, *rest: int, **more)", Kind.METHOD, False, "def fb(self, a[, error: Exception], *rest: int, **more)"),
    ],
)
def test_the_expected_form_is_the_line_that_would_fit(original: str, kind: Kind, is_async: bool, expected: str) -> None:
    definition = Definition("app.f", "f", "app", kind, At("app.py", 1, 5), signature(original), is_async)
    assert expected == expected_form(definition, "fb")


def test_nothing_is_expected_of_an_unknown_signature() -> None:
    assert expected_form(Definition("app.f", "f", "app", Kind.FUNCTION, At("app.py")), "fb") == ""
