"""Objects and lambdas that cannot be asked as classifiers are found by `build()`, not by the first call that fails."""

from __future__ import annotations

import pytest

from ..live import Application

TEXT = """
    from unittest.mock import Mock

    from resilience4cata import Classifier, Outcome, retry

    def fees(): ...

    class Plain: ...

    class Duck:
        def classify(self, result, failure):
            return Outcome.SUCCESS

    class Late:
        def __init__(self):
            self.classify = lambda result, failure: Outcome.SUCCESS

    class Proxy:
        def __getattr__(self, name):
            return lambda result, failure: Outcome.SUCCESS

    @retry(classifier={classifier})
    def charge(): ...
"""


@pytest.mark.parametrize(
    ("classifier", "shown"),
    [("lambda result, failure: Outcome.FAILURE", "<lambda>"), ("Plain()", "Plain()"), ("fees", "fees")],
)
def test_found(app: Application, classifier: str, shown: str) -> None:
    app.load("shop", TEXT.format(classifier=classifier))
    expected = f"@retry(classifier={shown}) on shop.charge:\n    {shown} is not a Classifier"
    assert [("R4C-CL-005", True)] == [(d.code, expected in d.text) for d in app.diagnostics("shop")]


@pytest.mark.parametrize(
    "classifier", ["Duck", "Duck()", "Late()", "Proxy()", "Mock()", "Mock(spec=Classifier)", "None"]
)
def test_silent(app: Application, classifier: str) -> None:
    app.load("shop", TEXT.format(classifier=classifier))
    assert () == app.diagnostics("shop")
