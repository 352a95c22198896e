"""Values of configuration files, repaired in the style in which they are written."""

import pytest

from ..folder import write
from .repairing import Run, repaired

CODE = "from resilience4cata import retry\n\n\n@retry(config='external')\ndef send() -> None: ...\n"


@pytest.fixture(autouse=True)
def project() -> None:
    """Code that uses the template which the files define."""
    write("acme.py", CODE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("delay = '5 s' # '5 s'", "delay = '5s' # '5 s'"),
        ('delay = """5 s"""', 'delay = """5s"""'),
        ('delay = """\n5 s"""', 'delay = """\n5s"""'),
        ('jitter = "full"', 'jitter = "FULL"'),
        ("backoff='Exponental'", "backoff='EXPONENTIAL'"),
        # What has a type of its own has no quotes.
        ("max-attempts = '3' # 3", "max-attempts = 3 # 3"),
        ('multiplier = "2.5"', "multiplier = 2.5"),
        ('enabled = "True"', "enabled = true"),
        ("enabled = 'ture'", "enabled = true"),
    ],
)
def test_toml(wrong: str, right: str) -> None:
    """Durations, members, numbers and truth values; quotes and comments stay."""
    table = "[resilience4cata.configs.external.retry]\n"
    assert f"{table}{right}\n" == repaired(f"{table}{wrong}\n", path="resilience4cata.toml")


@pytest.mark.parametrize(
    "line",
    [
        "delay = '5'",  # seconds or milliseconds
        'delay = "5\\u0020s"',
        "max-attempts = '0'",
        "max-attempts = 'x'",
        "enabled = 'yes'",
        "jitter = '?'",
    ],
)
def test_toml_by_hand(line: str) -> None:
    """Where two things may be meant, nothing right is near, or characters are written in another way."""
    text = f"[resilience4cata.configs.external.retry]\n{line}\n"
    assert text == repaired(text, path="resilience4cata.toml")


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_yaml(newline: str) -> None:
    """Anchors, tags, quotes and comments stay; blocks, whose line ends are part of them, stay as they are."""
    wrong = """\
resilience4cata:
  order: [retry, 'TIMEOT'] # both
  configs:
    external:
      retry: {delay: &d 5 s, jitter: 'full', max-attempts: "3", enabled: "TRUE"}
      timeout:
        value: !!str 5 s # five
        enabled: !!str true
      circuit-breaker:
        wait-in-open: |
          5 s
        slow-call-duration: >
          5 s
        enabled: ! "true"
""".replace("\n", newline)
    right = (
        wrong.replace("[retry, 'TIMEOT']", "[RETRY, 'TIMEOUT']")
        .replace("&d 5 s, jitter: 'full'", "&d 5s, jitter: 'FULL'")
        .replace('"3"', "3")
        .replace('"TRUE"', "true")
        .replace("!!str 5 s", "!!str 5s")
    )
    assert right == repaired(wrong, path="resilience4cata.yaml")


def test_properties() -> None:
    """Blanks at the end of a line are part of the value."""
    start = "resilience4cata.configs.external.retry"
    wrong = f"{start}.delay = 5 s\n{start}.max-delay:5s \n{start}.max-attempts=3 \n{start}.enabled True\\\n\n"
    right = f"{start}.delay = 5s\n{start}.max-delay:5s\n{start}.max-attempts=3\n{start}.enabled true\\\n\n"
    assert right == repaired(wrong, path="resilience4cata.properties")


def test_safely(run: Run) -> None:
    """One edit away is safe, further is not."""
    lines = "delay = '5 s'\nmax-delay = '5 sec'\njitter = 'full'\nbackoff = 'Exponentail'\n"
    write("resilience4cata.toml", f"[resilience4cata.configs.external.retry]\n{lines}")
    _, out, _ = run(".")
    assert "[*] 3 fixable with --fix (1 more with --unsafe-fixes)" == out.splitlines()[-1]


def test_key_that_is_there(run: Run) -> None:
    """Nothing is offered that would write a key twice."""
    text = "[resilience4cata.configs.external.retry]\ndelay = '1s'\nDelay = '2s'\n"
    write("resilience4cata.toml", text)
    code, out, err = run("--fix", "--unsafe-fixes", ".")
    assert (1, False, "") == (code, "[*]" in out, err)


def test_key_that_activates_profiles() -> None:
    """`profiles` has one key besides the profiles."""
    text = "[resilience4cata]\nprofiles.{} = 'prod'\nprofiles.prod.configs.external.retry.delay = '1s'\n"
    assert text.format("active") == repaired(text.format("actve"), path="resilience4cata.toml")
