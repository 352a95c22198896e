"""One run as a whole: what is given, what is only context, and which sources of templates are known."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from resilience4cata_lint.engine import Report, analyse
from resilience4cata_lint.inputs import Stdin
from resilience4cata_lint.options import load
from tests.lint.folder import write

pytestmark = pytest.mark.usefixtures("here")


def check(*paths: str, stdin: Stdin | None = None) -> list[str]:
    """Path and code of each finding."""
    return found(run(paths, stdin))


def run(paths: Sequence[str] = (), stdin: Stdin | None = None) -> Report:
    given = list(paths) if paths or stdin is not None else ["."]
    anchors = [stdin.filename] if stdin is not None and stdin.filename else given
    report = analyse(given, load(anchors), stdin=stdin)
    assert [] == report.failures
    return report


def found(report: Report) -> list[str]:
    return [f"{d.at.source} {d.code.removeprefix('R4C-')}" for d in report.diagnostics]


POLICIES = (
    'from resilience4cata import resilience_policy, timeout\n\nshared = resilience_policy("shared", timeout("2s"))\n'
)
OTHER = 'from resilience4cata import resilience_policy, timeout\n\nother = resilience_policy("other", timeout("5s"))\n'
USER = """\
from .policies import shared
from .other import other


@shared
@other
def f() -> None: ...
"""


def package(name: str = "acme") -> None:
    """Two composed policies that disagree, and a user of both that never names the library."""
    write(f"{name}/__init__.py")
    write(f"{name}/policies.py", POLICIES)
    write(f"{name}/other.py", OTHER)
    write(f"{name}/user.py", USER)


# ---------------------------------------------------------------- the gate


def test_users_of_composed_policies_are_found() -> None:
    """Though they never name the library."""
    package()
    assert ["acme/user.py CMP-004"] == check()


def test_users_over_several_hops() -> None:
    """Re-exports, stars and aliases, to a fixed point."""
    package()
    write("acme/__init__.py", "from .policies import *\nfrom .other import other as second\n")
    write("acme/facade.py", "from acme import shared as first, second\n__all__ = ['first', 'second']\n")
    write("acme/deep/__init__.py")
    write("acme/deep/user.py", "from ..facade import *\n\n\n@first\n@second\ndef g() -> None: ...\n")
    assert ["acme/deep/user.py CMP-004", "acme/user.py CMP-004"] == check()


def test_what_git_ignores(here: Path) -> None:
    """Is not reported, unless it is named."""
    subprocess.run(["git", "init", "--quiet"], check=True)
    write(".gitignore", "generated.py\n")
    write("generated.py", "import resilience4cata\nx = (\n")
    write("a.py", "import resilience4cata\nx = (\n")
    assert ["a.py SRC-001"] == check()
    assert ["generated.py SRC-001"] == check("generated.py")


# ---------------------------------------------------------------- given and context


def test_one_file_of_a_project_sees_the_others() -> None:
    """What a file imports is read, and nothing is reported there."""
    write("pyproject.toml")
    package()
    write("acme/broken.py", "import resilience4cata\nx = (\n")
    assert ["acme/user.py CMP-004"] == check("acme/user.py")
    assert [] == check("acme/policies.py")


def test_one_file_without_a_project_loads_what_it_imports() -> None:
    """The folders that imports start from are known from the file alone."""
    write("acme/__init__.py")
    write("acme/errors.py", "class Broken(BaseException): ...\n")
    write(
        "acme/a.py",
        "from resilience4cata import retry\nfrom .errors import Broken\n\n\n@retry(retry_on=int)\ndef f(): ...\n",
    )
    assert ["acme/a.py CL-002"] == check("acme/a.py")


def test_standard_input_in_a_project() -> None:
    """It stands for the file of its name."""
    write("pyproject.toml")
    package()
    changed = USER.replace("@other\n", "")
    assert [] == check(stdin=Stdin(changed.encode(), "acme/user.py"))
    assert ["acme/new.py CMP-004"] == check(stdin=Stdin(USER.encode(), "acme/new.py"))


TWICE = """\
from resilience4cata import circuit_breaker


@circuit_breaker(name="shared", window_size={})
def f() -> None: ...
"""


def test_rules_about_the_whole_project() -> None:
    """They compare files, so they run for folders and not for single files or parts of a package."""
    write("pyproject.toml")
    write("acme/__init__.py")
    write("acme/part/__init__.py")
    write("acme/part/a.py", TWICE.format(20))
    write("acme/part/b.py", TWICE.format(30))
    expected = ["acme/part/b.py IN-001"]
    assert [expected, expected, [], [], []] == [
        check(),
        check("acme"),
        check("acme/part"),
        check("acme/part/a.py", "acme/part/b.py"),
        check(stdin=Stdin(TWICE.format(30).encode(), "acme/part/b.py")),
    ]


def test_applications_side_by_side() -> None:
    """Modules of one name in two roots are not mistaken for each other."""
    for name in ("one", "two"):
        package(f"{name}/acme")
    write("two/acme/other.py", OTHER.replace("5s", "2s"))
    assert ["one/acme/user.py CMP-004"] == check()


def test_counts() -> None:
    """Every file that was looked at, whether or not it matters."""
    package()
    write("plain.py")
    write("pyproject.toml")
    write("resilience4cata.toml")
    report = run()
    assert 6 == report.files


# ---------------------------------------------------------------- configuration

USES_TEMPLATE = 'from resilience4cata import retry\n\n\n@retry(config="externl")\ndef f() -> None: ...\n'
TEMPLATE = '[resilience4cata.configs.external.retry]\ndelay = "1s"\n'
BUILDER = """\
from resilience4cata import Resilience, retry

resilience = Resilience.builder().config("external", retry(delay="1s")).build()
"""


def test_templates_are_unknown_without_a_source() -> None:
    """Nothing is known about any template, so none is missing."""
    write("a.py", USES_TEMPLATE)
    assert [] == check()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("resilience4cata.toml", TEMPLATE),
        ("resilience4cata.properties", "resilience4cata.configs.external.retry.delay=1s\n"),
        ("pyproject.toml", TEMPLATE.replace("[", "[tool.", 1)),
        ("setup.py", BUILDER),
    ],
)
def test_sources_of_templates(path: str, text: str) -> None:
    """A default file, a table of the project's own, or templates in code."""
    write("a.py", USES_TEMPLATE)
    write(path, text)
    assert ["a.py CFG-001"] == check()


def test_listed_files_and_templates_made_elsewhere() -> None:
    write("a.py", USES_TEMPLATE)
    write("conf/x.toml", TEMPLATE)
    write("pyproject.toml", '[tool.r4c]\nconfig-files = ["conf/x.toml"]\n')
    assert ["a.py CFG-001"] == check()
    write("pyproject.toml", '[tool.r4c]\nconfig-files = ["conf/x.toml"]\ntemplates = ["externl"]\n')
    # Now nobody uses the one in the file.
    assert ["conf/x.toml CFG-006"] == check()


def test_an_unnamed_source_of_templates_for_one_file() -> None:
    """Without a project, one file and the configuration beside it are not all there is."""
    write("a.py", USES_TEMPLATE)
    write("resilience4cata.toml", TEMPLATE)
    assert [] == check("a.py")


WRONG = '[resilience4cata.configs.external.retry]\ndelya = "1s"\n'


def test_configuration_is_reported_with_the_whole_project() -> None:
    """A single file is reported alone; configuration that is named is reported too."""
    write("pyproject.toml")
    write("src/a.py")
    write("resilience4cata.toml", WRONG)
    expected = ["resilience4cata.toml CFG-011"]
    assert [expected, expected, [], expected] == [
        check(),
        check("src"),
        check("src/a.py"),
        check("resilience4cata.toml"),
    ]


def test_named_configuration_of_others() -> None:
    """pre-commit names every TOML file; those that are not meant for us say nothing."""
    write("pyproject.toml", '[project]\ndependencies = ["resilience4cata"]\n')
    write("other.toml", "[tool]\nx = 1\n")
    write("broken.toml", "[tool\n")
    write("ours.toml", WRONG)
    write("values.yaml", "other:\n  resilience4cata: 1\n")
    assert ["ours.toml CFG-011"] == check("pyproject.toml", "other.toml", "broken.toml", "ours.toml", "values.yaml")


# ---------------------------------------------------------------- suppression


def test_suppressed_in_code() -> None:
    """The comment names the code, on one of the finding's lines."""
    bad = "from resilience4cata import retry\n@retry(max_attempts=0){}\ndef f(): ...\n"
    results = []
    for comment in ("", "  # r4c: ignore[R4C-VA-001]", "  # r4c: ignore[X, R4C-VA-001]", "  # r4c: ignore[R4C-VA-002]"):
        write("a.py", bad.format(comment))
        results.append(check())
    assert [["a.py VA-001"], [], ["a.py SUP-002"], ["a.py VA-001", "a.py SUP-001"]] == results


def test_suppressed_in_configuration() -> None:
    """There on the line before, since values reach to the end of the line."""
    write("resilience4cata.properties", "# r4c: ignore[R4C-CFG-011]\nresilience4cata.configs.external.retry.delya=1s\n")
    assert [] == check()
    write("resilience4cata.toml", WRONG.replace("delya", "# r4c: ignore[R4C-CFG-011]\ndelya"))
    assert [] == check()
