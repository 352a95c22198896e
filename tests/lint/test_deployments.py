"""Which files give variables to processes, and what is known about the names in them."""

import subprocess

import pytest

from tests.lint.effective_project import diagnostics, found
from tests.lint.folder import write

P = "RESILIENCE4CATA_"
CODE = (
    "from resilience4cata import bulkhead, retry\n\n\n"
    '@bulkhead(name="mail")\n@retry(config="partner")\ndef call() -> None: ...\n'
)
TOML = '[resilience4cata.configs.partner]\nretry.delay = "1s"\n'
WRONG = f"{P}DEFAULTS_RETRY_DELAY=1 s\n"


pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("name", [".env", ".env.prod", "deploy/worker.env", "app/.env"])
def test_env_files(name: str) -> None:
    """Files of variables, hidden ones too."""
    write(name, WRONG)
    assert [f"{name}:1:38 CFG-012"] == found(CODE, TOML)


@pytest.mark.parametrize("name", ["compose.yaml", "k8s/app.yml", ".github/workflows/ci.yml"])
def test_yaml_files(name: str) -> None:
    """YAML anywhere in what is checked, and workflows."""
    write(name, f"env:\n  {P}DEFAULTS_RETRY_DELAY: 1 s\n")
    assert [f"{name}:2:41 CFG-012"] == found(CODE, TOML)


@pytest.mark.parametrize("name", ["node_modules/x/compose.yaml", ".venv/.env", ".hidden/a.yaml", "notes.txt"])
def test_files_of_others(name: str) -> None:
    """What is passed over for its code is passed over for its variables."""
    write(name, WRONG)
    assert [] == found(CODE, TOML)


def test_ignored_by_git() -> None:
    """A file that git ignores is somebody's own, unless it is named."""
    subprocess.run(["git", "init", "-q"], check=True)
    write(".gitignore", ".env\n")
    write(".env", WRONG)
    assert [] == found(CODE, TOML)
    assert [".env:1:38 CFG-012"] == found(CODE, TOML, ".env")


def test_excluded() -> None:
    """`exclude` counts for them too."""
    write("old/.env", WRONG)
    write("old/compose.yaml", f"env:\n  {P}ENABLED: maybe\n")
    assert ["old/.env:1:38 CFG-012", "old/compose.yaml:2:28 CFG-012"] == found(CODE, TOML)
    assert [] == found(CODE, TOML, settings='exclude = ["old"]\n')


NAMES = [
    f"{P}CONFIGS_PARTNR_RETRY_DELAY",
    f"{P}INSTANCES_MIAL_BULKHEAD_MAX_WAIT",
    f"{P}PROFILES_PROD_DEFAULTS_RETRY_DELAY",
    f"{P}BUDGETS_ALL_TTL",
]


def test_unknown_names_in_a_whole_project() -> None:
    """Templates, instances, profiles and budgets that nobody declares."""
    write(".env", "".join(f"{name}=1s\n" for name in NAMES))
    assert [f".env:{line}:1 CFG-013" for line in (1, 2, 3, 4)] == found(CODE, TOML)


def test_unknown_names_where_sources_are_not_known() -> None:
    """Another source may bring templates, profiles and budgets; instances are in the code."""
    write(".env", "".join(f"{name}=1s\n" for name in NAMES))
    assert [".env:2:1 CFG-013"] == found(CODE, None)


def test_unknown_names_for_a_part() -> None:
    """A file by itself is no whole project, so that instances may be elsewhere."""
    write(".env", "".join(f"{name}=1s\n" for name in NAMES))
    assert [f".env:{line}:1 CFG-013" for line in (1, 3, 4)] == found(CODE, TOML, ".env")


def test_unknown_names_without_code() -> None:
    """Where nothing is guarded, the code is elsewhere."""
    write(".env", f"{P}INSTANCES_MIAL_BULKHEAD_MAX_WAIT=1s\n{P}DEFAULTS_RETRY_DELY=1s\n")
    assert [".env:2:1 CFG-013"] == found("", None)


def test_profile_of_the_variables_alone() -> None:
    """A profile may be activated and filled by variables, without any file of keys, in one file or in several."""
    write(".env", f"{P}PROFILES_ACTIVE=eu, prod\n{P}PROFILES_PROD_DEFAULTS_RETRY_DELAY=1s\n")
    assert [".env:1:33 CFG-005"] == found(CODE, TOML)
    write(".env.eu", f"{P}PROFILES_EU_DEFAULTS_RETRY_DELAY=1s\n")
    assert [] == found(CODE, TOML)


PROFILES = f"{TOML}[resilience4cata.profiles.prod.configs.partner]\nretry.delay = '2s'\n"


@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        (".env", f"{P}PROFILES_ACTIVE=prdo\n", ".env:1:33"),
        ("deploy/a.env", f"export {P}PROFILES_ACTIVE='prod, prdo' # two\r\n", "deploy/a.env:1:40"),
        ("compose.yaml", f"environment:\n  - {P}PROFILES_ACTIVE=prdo\n", "compose.yaml:2:37"),
        (".github/workflows/ci.yml", f"env:\n  {P}PROFILES_ACTIVE: prdo\n", ".github/workflows/ci.yml:2:36"),
        (
            "k8s/app.yaml",
            f"kind: Service\n---\nenv:\n- name: {P}PROFILES_ACTIVE\n  value: prdo\n",
            "k8s/app.yaml:5:10",
        ),
    ],
)
def test_misspelt_profile(path: str, text: str, place: str) -> None:
    """The profile that a process would run without, where its file says so."""
    write(path, text)
    (only,) = diagnostics(CODE, PROFILES)
    assert (place, "R4C-CFG-005", "error", ("prod",)) == (
        only.place,
        only.code,
        only.severity.value,
        only.suggestions,
    )
    assert only.fix is not None
    assert only.fix.is_safe


def test_profiles_of_several_processes() -> None:
    """Each service of a file activates its own; what something else decides is not known."""
    services = "".join(
        f"  {name}:\n    environment:\n      {P}PROFILES_ACTIVE: {value}\n"
        for name, value in (("a", "prod"), ("b", "canary"), ("c", "prdo"), ("d", "${STAGE}"))
    )
    write("compose.yaml", f"services:\n{services}")
    expected = [("compose.yaml:7:40", "warning"), ("compose.yaml:10:40", "error")]
    assert expected == [(d.place, d.severity.value) for d in diagnostics(CODE, PROFILES)]
    # Not where code says what is active, or where another source may define it.
    active = "from resilience4cata import Resilience\nResilience.builder().profiles('prod').build()\n"
    assert [] == found(CODE, PROFILES, started=active)
    write("started.py", "")
    write("resilience4cata.toml", "")
    assert [] == found(CODE.replace('config="partner"', ""), None)


def test_environments_of_one_file() -> None:
    """What one process gets is neither replaced by what another gets, nor at odds with it."""
    breaker = f"{P}DEFAULTS_CIRCUIT_BREAKER"
    first = f"    environment:\n      {P}DEFAULTS_RETRY_DELAY: 1 s\n      {breaker}_WINDOW_SIZE: 5\n"
    second = f"    environment:\n    - {P}DEFAULTS_RETRY_DELAY=2 s\n    - {breaker}_MINIMUM_CALLS=9\n"
    third = f"env:\n  {breaker}_WINDOW_SIZE: 5\n  {breaker}_MINIMUM_CALLS: 9\n"
    write("compose.yaml", f"services:\n  a:\n{first}  b:\n{second}---\n{third}")
    expected = ["compose.yaml:4:45 CFG-012", "compose.yaml:8:44 CFG-012", "compose.yaml:13:59 VA-004"]
    assert expected == found(CODE, TOML)


def test_variables_of_a_misspelt_profile() -> None:
    """A slip that is activated makes no profile of that name."""
    write(".env", f"{P}PROFILES_ACTIVE=prdo\n{P}PROFILES_PRD_DEFAULTS_RETRY_DELAY=1s\n")
    first, second = diagnostics(CODE, PROFILES)
    assert ("R4C-CFG-005", ("prod",)) == (first.code, first.suggestions)
    assert ("R4C-CFG-013", (f"{P}PROFILES_PROD_DEFAULTS_RETRY_DELAY",)) == (second.code, second.suggestions)


def test_variables_do_not_settle_the_project() -> None:
    """Each file speaks about a process of its own: none changes what counts for the code."""
    code = CODE.replace("@bulkhead", '@timeout("2s")\n@bulkhead').replace("bulkhead,", "bulkhead, timeout,")
    write(".env", f"{P}DEFAULTS_RETRY_MAX_DURATION=1s\n")
    assert [] == found(code, TOML)


def test_suppressed() -> None:
    """A comment in the file silences what is said about the next line."""
    comment = "# r4c: ignore[R4C-CFG-012]\n"
    write(".env", comment + WRONG)
    write(".env.prod", comment + WRONG)
    write("compose.yaml", f"env:\n  {P}DEFAULTS_RETRY_DELAY: 1 s  {comment}")
    assert [] == found(CODE, TOML)
