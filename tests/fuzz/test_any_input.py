"""Any bytes and any text as each kind of file that the linter reads."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.checking import check, outside

few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))

IMPORT = b"from resilience4cata import fallback, retry, timeout\n"
PROGRAM = IMPORT + b'@retry(config="external")\ndef f() -> None: ...\n'
# Pieces that lead further into a reader than letters do.
PIECES = st.sampled_from(
    [
        "resilience4cata", "configs", "external", "retry", "delay", "100ms", "extends", "instances", "profiles", ".",
        "=", ":", "\n", "\r", "\x0c", "\x00", "\t", " ", "[", "]", "{", "}", '"', "'", "#", "!", "\\", "\\u12", "&a",
        "*a", "<<", "- ", "|", "---", "?", "@", "(", ")", ",", "def f", "class A", "async ", "lambda", "f'{", "é",
        "\U0001f600", "\u2028", "\ud800", "1e999", "-0", "0x", "2020-01-01", "true", "null", "~", "%", "# r4c: ignore[",
        "r4c", "version", "findings", "fallback(method=", "timeout(", "*", "**", "import", "from . import *",
    ]
)  # fmt: skip
data = st.one_of(
    st.binary(max_size=80),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")),
)


def write(path: str, content: bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content)


@few
@given(data)
def test_python(content: bytes) -> None:
    """As it is, and behind an import of ours, which makes the linter look closer."""
    write("plain.py", content)
    write("ours.py", IMPORT + content)
    assert [] == outside(check("--no-cache"))


@few
@given(data)
def test_python_in_place_of_an_argument(content: bytes) -> None:
    """Where a policy's arguments are expected."""
    write("ours.py", IMPORT + b"@retry(" + content + b")\ndef f() -> None: ...\n")
    assert [] == outside(check("--no-cache"))


@pytest.mark.parametrize("suffix", ["toml", "properties", "yaml", "yml"])
@few
@given(content=data)
def test_configuration(suffix: str, content: bytes) -> None:
    """As it is, and in a value of ours."""
    write("app.py", PROGRAM)
    write(f"resilience4cata.{suffix}", content)
    assert [] == outside(check("--no-cache"))


@pytest.mark.parametrize("suffix", ["toml", "properties", "yaml"])
@few
@given(content=data)
def test_configuration_behind_a_right_beginning(suffix: str, content: bytes) -> None:
    """Where a value is expected."""
    beginning = {
        "toml": b"[resilience4cata.configs.external]\nretry = ",
        "properties": b"resilience4cata.configs.external.retry.delay = ",
        "yaml": b"resilience4cata:\n  configs:\n    external:\n      retry: ",
    }
    write("app.py", PROGRAM)
    write(f"resilience4cata.{suffix}", beginning[suffix] + content)
    assert [] == outside(check("--no-cache"))


@few
@given(data)
def test_pyproject(content: bytes) -> None:
    """The linter's own options; a run without options that can be read is refused."""
    write("app.py", PROGRAM)
    write("pyproject.toml", b"[tool.r4c]\n" + content)
    assert [] == outside(check("--no-cache"))


@few
@given(data)
def test_deployment_files(content: bytes) -> None:
    """Files that set environment variables."""
    write("app.py", PROGRAM)
    for path in (".env", "compose.yaml", ".github/workflows/ci.yml"):
        write(path, b"RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY: " + content)
    assert [] == outside(check("--no-cache"))


@few
@given(data)
def test_baseline(content: bytes) -> None:
    """A baseline that is none is refused."""
    write("app.py", PROGRAM)
    write("baseline.json", content)
    assert [] == outside(check("--no-cache", "--baseline", "baseline.json"))


@few
@given(data, st.booleans())
def test_cache(content: bytes, after_the_right_beginning: bool) -> None:
    """A damaged cache changes nothing of what is found."""
    write("app.py", IMPORT + b'@timeout("2 s")\ndef f() -> None: ...\n')
    right = check("--no-cache")
    check()
    for entry in Path(".r4c_cache").rglob("*.json"):
        beginning = entry.read_bytes().partition(b"\n")[0] + b"\n" if after_the_right_beginning else b""
        entry.write_bytes(beginning + content)
    assert right == check()
