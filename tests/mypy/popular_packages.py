"""What others have written, and what others have plugged in: `make test-packages`.

The plugin must not change what mypy says about a package that does not use the library, and must get on with the
plugins of pydantic and Django in one run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mypy.beside_plugins import ATTRS, ATTRS_FOUND, HEAD, assert_found
from tests.mypy.running import CONFIGURATION, mypy, write

PACKAGES = (
    "aiohttp",
    "anyio",
    "attr",
    "click",
    "fastapi",
    "flask",
    "httpx",
    "jinja2",
    "packaging",
    "platformdirs",
    "pluggy",
    "pydantic",
    "requests",
    "rich",
    "sqlalchemy",
    "stamina",
    "starlette",
    "structlog",
    "tenacity",
    "typer",
    "urllib3",
    "werkzeug",
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders, whose configurations have the plugin and do not have it; each keeps its cache."""
    with_it, without_it = (tmp_path_factory.mktemp(name) for name in ("with", "without"))
    write(with_it, {"mypy.ini": CONFIGURATION})
    write(without_it, {"mypy.ini": CONFIGURATION.replace("plugins = resilience4cata_mypy\n", "")})
    return with_it, without_it


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_said_about_it(package: str, folders: tuple[Path, Path]) -> None:
    """With the plugin mypy says of a popular package what it says without: to the letter, and nothing of ours."""
    with_it, without_it = (mypy(folder, "--package", package, cache=folder / "cache") for folder in folders)
    assert "checked" in without_it.output or "no issues found" in without_it.output, without_it.output
    assert without_it == with_it
    assert "R4C" not in with_it.output


DJANGO = """

class Order(models.Model):
    number = models.CharField(max_length=20)
    total = models.IntegerField()

    @fallback(method="_cached")
    @timeout("2s")
    def in_currency(self, currency: str) -> int:
        return self.total

    def _cached(self, currency: str) -> str:
        return self.number
"""
DJANGO_FOUND = (
    (
        '@fallback(method="_cached") on shop.models.Order.in_currency: '
        "'_cached' returns str, but 'in_currency' returns int  [R4C-FB-004]"
    ),
    'Unexpected attribute "unknown" for model "Order"  [misc]',
)
PYDANTIC = """

class Customer(BaseModel):
    name: str
    age: int

    @fallback(method="_last")
    @retry(max_attempts=3)
    def score(self, weight: float) -> float:
        return self.age * weight

    def _last(self, weigth: float) -> float:
        return 0.0
"""
PYDANTIC_FOUND = (
    (
        '@fallback(method="_last") on shop.models.Customer.score: '
        "'_last' cannot take every call of 'score': 'weight' is called 'weigth'  [R4C-FB-003]"
    ),
    'Argument "age" to "Customer" has incompatible type "str"; expected "int"  [arg-type]',
)
MISUSE = """

def misuse() -> None:
    Order(total=1, unknown=1)
    Customer(name="Ada", age="old")
    Client(3)
"""
SECTIONS = """
[mypy.plugins.django-stubs]
django_settings_module = settings

[pydantic-mypy]
init_typed = True
"""
PLUGINS = ("pydantic.mypy", "mypy_django_plugin.main", "resilience4cata_mypy")


@pytest.mark.parametrize("plugins", [PLUGINS, PLUGINS[::-1]], ids=["last", "first"])
def test_beside_pydantic_and_django(plugins: tuple[str, ...], tmp_path: Path) -> None:
    """A model of Django, one of pydantic and a class of attrs: each plugin finds its own fault, ours one in each."""
    imports = "from django.db import models\nfrom pydantic import BaseModel\n"
    configuration = CONFIGURATION.replace("resilience4cata_mypy", ", ".join(plugins)) + SECTIONS
    program = f"{imports}{HEAD}{DJANGO}{PYDANTIC}{ATTRS}{MISUSE}"
    settings = 'SECRET_KEY = "-"\nINSTALLED_APPS = ["shop"]\n'
    files = {"mypy.ini": configuration, "settings.py": settings, "shop/__init__.py": "", "shop/models.py": program}
    write(tmp_path, files)
    found = [text.replace("app.Client", "shop.models.Client") for text in ATTRS_FOUND]
    assert_found([*DJANGO_FOUND, *PYDANTIC_FOUND, *found], mypy(tmp_path, cache=tmp_path / "cache"))
