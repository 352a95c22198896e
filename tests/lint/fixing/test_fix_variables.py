"""Files that give variables to processes: whatever else they hold stays, and nothing is set twice."""

import pytest

from ..folder import write
from .repairing import Run, repaired

CODE = """from resilience4cata import retry


@retry(config="external")
def send() -> None: ...
"""
TOML = """[resilience4cata.configs.external.retry]
max-attempts = 2

[resilience4cata.profiles.prod.configs.external.retry]
max-attempts = 3
"""
P = "RESILIENCE4CATA_"
DEPLOYMENT = f"""\
# A deployment.
%YAML 1.1
---
kind: Deployment
spec:
  containers:
    - env: &shared
        - {{name: {P}DEFAULTS_RETRY_DELY, value: "5 s"}} # wait
        - name: "{P}PROFILES_ACTIVE"
          value: !!str 'prdo'
...
---
kind: Service
--- # the other
kind: Deployment
spec:
  containers:
    - env:
        - name: {P}DEFAULTS_RETRY_JITTER
          value: full
        - name: {P}CONFIGS_EXTRNAL_RETRY_DELAY
          value: 1s
"""
REPAIRED = (
    DEPLOYMENT.replace("DELY", "DELAY")
    .replace("5 s", "5s")
    .replace("prdo", "prod")
    .replace("full", "FULL")
    .replace("EXTRNAL", "EXTERNAL")
)


@pytest.fixture(autouse=True)
def project() -> None:
    """A project whose settings the variables are about."""
    write("acme.py", CODE)
    write("resilience4cata.toml", TOML)
    write("pyproject.toml", '[tool.r4c]\nconfig-files = ["resilience4cata.toml"]\n')


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_several_documents(newline: str, mark: str) -> None:
    """Faults in several documents of one file, with anchors, tags and comments."""
    wrong, right = (mark + text.replace("\n", newline) for text in (DEPLOYMENT, REPAIRED))
    assert right == repaired(wrong, path="k8s/mail.yaml")


def test_several_documents_safely(run: Run) -> None:
    """What is said to be repaired by `--fix` is, and nothing is said to be left."""
    write("k8s/mail.yaml", DEPLOYMENT)
    code, out, _ = run(".")
    assert (1, "[*] 4 fixable with --fix") == (code, out.splitlines()[-1])
    code, out, err = run("--fix", ".")
    assert (0, "") == (code, err)


def test_charts() -> None:
    """What a template engine puts in is no YAML, and is left as it is."""
    inside = f"env:\n  {P}DEFAULTS_RETRY_DELY: 5s # {{{{ .Values.x }}}}\n"
    wrong = f"{{{{- if .Values.on }}}}\n{inside}{{{{- end }}}}\n---\na: 1\n"
    assert wrong.replace("DELY", "DELAY") == repaired(wrong, path="chart/templates/app.yaml")


SET_TWICE = [
    (".env", "{a}=1s\n{b}=2s\n"),
    ("compose.yaml", "environment:\n  {a}: 1s\n  {b}: 2s\n"),
    ("compose.yaml", "environment:\n  - {a}=1s\n  - {b}=2s\n"),
    ("k8s.yaml", "env:\n  - name: {a}\n    value: 1s\n  - name: {b}\n    value: 2s\n---\nkind: Service\n"),
]


@pytest.mark.parametrize(("path", "text"), SET_TWICE)
def test_set_already(run: Run, path: str, text: str) -> None:
    """Where the right variable is set as well, nobody knows which value was meant to count."""
    wrong = text.format(a=f"{P}DEFAULTS_RETRY_DELY", b=f"{P}DEFAULTS_RETRY_DELAY")
    assert wrong == repaired(wrong, path=path)


def test_set_elsewhere() -> None:
    """Another service has an environment of its own."""
    one = "  {}:\n    environment:\n      {}: 1s\n"
    wrong, right = (
        "services:\n" + one.format("a", f"{P}DEFAULTS_RETRY_DELAY") + one.format("b", f"{P}DEFAULTS_RETRY_{word}")
        for word in ("DELY", "DELAY")
    )
    assert right == repaired(wrong, path="compose.yaml")


@pytest.mark.parametrize(
    "text",
    [
        f"{P}LOG_LEVEL=debug\n{P}FOO=1\n{P}HOST=debug\n",
        f"{P}DEFAULTS_FOO_BAR=full\n{P}ENABLE=prod\n",
    ],
)
def test_nothing_near(text: str) -> None:
    """What is like no variable, or like one that cannot have the value, stays as it is."""
    assert text == repaired(text, path=".env")


def test_texts_of_variables() -> None:
    """Values are text in any format: quotes stay."""
    wrong = f"env:\n  {P}ENABLED: \"True\" # on\n  {P}DEFAULTS_RETRY_MAX_ATTEMPTS: ' 3'\n  {P}STRICT: ture\n"
    right = wrong.replace("True", "true").replace("' 3'", "'3'").replace("ture", "true")
    assert right == repaired(wrong, path="compose.yaml")
