"""Importing all modules of a package: what is loaded, and what is told of those that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from resilience4cata.registry import import_package

from .live import application


def test_import_package(tmp_path: Path) -> None:
    """Every module is imported, except `__main__`; a broken one is told and does not keep the others away."""
    with application(tmp_path) as app:
        app.write("goods/__init__.py", "")
        app.write("goods/a.py", "raise ValueError('no')")
        app.write("goods/b.py", "loaded = True")
        app.write("goods/__main__.py", "raise SystemExit(3)")
        app.write("goods/deep/__init__.py", "import missing_module")
        app.write("goods/script.py", "raise SystemExit(4)")
        app.write("goods/far/__init__.py", "")
        app.write("goods/far/c.py", "loaded = True")
        failed = import_package("goods")
        found: Any = __import__("goods.far.c").far.c.loaded
        assert found is True
    expected = {
        "goods.a": "no",
        "goods.deep": "No module named 'missing_module'",
        "goods.script": "goods.script exits when it is imported (code 4)",
    }
    assert expected == {module: str(error) for module, error in failed.items()}


def test_import_package_that_does_not_exist() -> None:
    failed = import_package("no_such_package_anywhere")
    assert ["no_such_package_anywhere"] == list(failed)
    with pytest.raises(ModuleNotFoundError):
        raise failed["no_such_package_anywhere"]
