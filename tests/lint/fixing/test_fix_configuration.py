"""Words in configuration files and in files that give variables to processes; all else stays as it is."""

import pytest

from ..folder import write
from .repairing import repaired

CODE = """from resilience4cata import bulkhead, retry


class Mail:
    @retry(config="external", retry_on=ConnectionError)
    def send(self) -> None: ...


@bulkhead(name="reports")
def report() -> None: ...
"""
TOML = """\
# The mail server.  Ñandú
[resilience4cata.configs.external]\t# of all
retry = {{ {} = 2, delay = '1s' }} # once
extends = {}

[resilience4cata.configs.internal]
timeout.value = "1s"

[resilience4cata.instances]
{}.bulkhead."max-concurrent" = 3
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_toml(newline: str, mark: str) -> None:
    """Keys and values, bare and quoted."""
    write("acme.py", CODE)
    wrong, right = (
        mark + TOML.format(*words).replace("\n", newline)
        for words in (("max_attempts", "'internl'", '"reprots"'), ("max-attempts", "'internal'", '"reports"'))
    )
    assert right == repaired(wrong, path="resilience4cata.toml")


def test_missing_level() -> None:
    """A table gets the level that it lacks."""
    write("acme.py", CODE.replace('"external"', '"reports"'))
    wrong = "[resilience4cata.reports]\nretry.max-attempts = 2\n"
    right = "[resilience4cata.configs.reports]\nretry.max-attempts = 2\n"
    assert right == repaired(wrong, path="resilience4cata.toml")


def test_members_of_lists() -> None:
    """The place of the finding is the list; the word in it changes."""
    write("acme.py", CODE)
    wrong = """[resilience4cata]
profiles.active = ["prdo", 'test', "prdod"]

[resilience4cata.profiles.prod.configs.external.retry]
delay = "1s"
[resilience4cata.profiles.test.configs.external.retry]
delay = "1s"
[resilience4cata.configs.external.retry]
retry-on = ["ConectionError",  # all of them
    "OSError", 'builtins.ConectionError']
"""
    right = (
        wrong.replace('"prdo"', '"prod"')
        .replace('"prdod"', '"prod"')
        .replace('["ConectionError"', '["ConnectionError"')
        .replace("'builtins.ConectionError'", "'builtins.ConnectionError'")
    )
    assert right == repaired(wrong, "--select", "CFG-005,CFG-017", path="resilience4cata.toml")


def test_properties() -> None:
    """Keys with dots and with slashes, and values; comments, blanks and continued lines stay."""
    write("acme.py", CODE)
    wrong = """! mail\\
resilience4cata.configs.external.extends : \\
    Internal
resilience4cata.configs.internal.retry.max_attempts=2
acme.Mail/snd/retry/delay = 2s
"""
    right = wrong.replace("Internal", "internal").replace("max_attempts", "max-attempts").replace("/snd/", "/send/")
    assert right == repaired(wrong, path="resilience4cata.properties")


def test_yaml() -> None:
    """Keys and values in block and flow style."""
    write("acme.py", CODE)
    wrong = """\
# mail
resilience4cata:
  configs:
    external: {retry: {max_attempts: 2, "delya": 1s}}  # once
    internal:
      extends:   'extrenal'
      retry:
        delay: 1s
"""
    right = wrong.replace("max_attempts", "max-attempts").replace("delya", "delay").replace("extrenal", "external")
    assert right == repaired(wrong, path="resilience4cata.yaml")


def test_settings_of_the_project() -> None:
    """A table of `pyproject.toml` is configuration as well."""
    write("acme.py", CODE)
    wrong = '[project]\nname = "delya"\n\n[tool.resilience4cata.configs.external.retry]\ndelya = "1s"\n'
    right = '[project]\nname = "delya"\n\n[tool.resilience4cata.configs.external.retry]\ndelay = "1s"\n'
    assert right == repaired(wrong, path="pyproject.toml")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (".env", "# mail\nexport {} = 5  # times\nOTHER=5\n"),
        ("settings/prod.env", "{}=5\r\n"),
        ("compose.yaml", "services:\n  mail:\n    environment:\n      - {}=5 # times\n      - OTHER=1\n"),
        ("compose.yml", "services: {{mail: {{environment: {{'{}': 5}}}}}}\n"),
        (".github/workflows/ci.yml", "jobs:\n  a:\n    env:\n      {}: 5\n"),
        ("k8s/mail.yaml", 'spec:\n  containers:\n    - env:\n        - name: "{}"\n          value: "5"\n'),
    ],
)
def test_variables(path: str, source: str) -> None:
    """The name of a variable, wherever a process gets it."""
    write("acme.py", CODE)
    write("resilience4cata.toml", "[resilience4cata.configs.external.retry]\nmax-attempts = 2\n")
    wrong, right = (f"RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_MAX_{word}" for word in ("ATTEMTPS", "ATTEMPTS"))
    assert source.format(right) == repaired(source.format(wrong), path=path)
