"""Dotted paths and paths of files in a configuration: what they lead to, and what is said where they lead nowhere."""

from __future__ import annotations

import sys

import pytest

from resilience4cata import ConfigSources, Resilience

from ..live import Application, failure
from .clients import FILE, builder, settings


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("acme.errors.Bsuy", "'acme.errors' has no 'Bsuy'; did you mean 'acme.errors.Busy'?"),
            ("acme.erors.Busy", "'acme' has no 'erors'; did you mean 'acme.errors.Busy'?"),
            ("no_such_package.X", "there is no 'no_such_package'; write the whole path: package.module.Name"),
            ("ConectionError", "there is no 'ConectionError'; did you mean 'ConnectionError'?"),
            ("acme.broken.X", "importing acme.broken fails with ZeroDivisionError: division by zero"),
            ("acme.errors.Busy.X", "'acme.errors.Busy' has no 'X'"),
        ],
    )
    def test_that_lead_nowhere(self, app: Application, path: str, said: str) -> None:
        """Where the path ends, and what it may have been meant to be."""
        app.write("acme/broken.py", "1 / 0")
        app.write("r.toml", FILE.replace("acme.errors.Busy", path))
        error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("r.toml")))
        found = [d for d in error.diagnostics if d.code == "R4C-CFG-017"]
        assert [f"configs.external.retry.retry-on: '{path}' leads nowhere: {said}"] == [d.line for d in found]

    def test_what_is_no_exception(self, app: Application) -> None:
        """A path that leads to something else is told as in code; a tuple of types is as good as its members."""
        app.write("r.toml", FILE.replace("acme.errors.Busy", "acme.errors.judge"))
        error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("r.toml")))
        assert ["judge in 'retry-on' is not an exception type"] == [
            d.message for d in error.diagnostics if d.code == "R4C-CFG-012"
        ]
        app.write("r.toml", FILE.replace("acme.errors.Busy", "acme.errors.SEVERAL"))
        found = settings(builder().build(), ".PaymentsClient#charge")["retry"]["retry_on"]
        assert (ConnectionError, OSError, sys.modules["acme.errors"].Busy) == found

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("classification.unwrap=json.Nope", ["R4C-CFG-017"]),
            ("classification.bypass=json.dumps", ["R4C-CFG-012"]),
            ("classification.bypass=KeyError, json.JSONDecoder", ["R4C-CFG-012"]),
            ("classification.unwrap=acme.errors.SEVERAL", []),
            ("defaults.retry.classifier=json.JSONDecoder", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=json.dumps", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=ValueError", ["R4C-CFG-012"]),
            ("defaults.retry.classifier=acme.errors.judge", []),
            ("defaults.retry.classifier=acme.errors.Judge", []),
        ],
    )
    def test_what_is_of_the_wrong_kind(self, app: Application, line: str, said: list[str]) -> None:
        """Each mistake once."""
        app.write("s.properties", f"resilience4cata.{line}")
        found = Resilience.builder().only("no.such").source(ConfigSources.file("s.properties"))
        assert said == (
            [d.code for d in failure(found).diagnostics] if said else [d.code for d in found.build().diagnostics]
        )


def test_missing_file_beside_a_near_one(app: Application) -> None:
    """The path that was given, with the name that stands there."""
    error = failure(Resilience.builder().only("no.such").source(ConfigSources.file("s.toml")))
    assert ["s.toml: error: [R4C-CFG-016]\n    the configuration file 's.toml' does not exist"] == [
        d.text.partition("\n    did")[0] for d in error.diagnostics
    ]
