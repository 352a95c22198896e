"""Rules about effective settings: who is judged, under which profiles, and where it is said."""

import pytest

from tests.lint.effective_project import diagnostics, found

pytestmark = pytest.mark.usefixtures("here")


HEAD = "from resilience4cata import retry, timeout\n\n\n"
CALL = HEAD + '@timeout("2s")\n@retry(config="partner")\ndef call() -> None: ...\n'
PROFILES = """\
[resilience4cata.configs.partner]
retry.max-duration = "10s"

[resilience4cata.profiles.prod.configs.partner]
retry.max-duration = "1s"
"""


def test_wrong_under_one_profile() -> None:
    """The finding names the profile, points at the value that it gives, and shows the code."""
    (diagnostic,) = diagnostics(CALL, PROFILES)
    assert diagnostic.text == (
        "resilience4cata.toml:5:22: warning: [R4C-TB-001] profiles.prod.configs.partner.retry.max-duration:\n"
        "    timeout 2s is not shorter than max_duration 1s: one attempt may use up the time of all, on app.call, "
        "with profile 'prod'\n"
        "    max_duration bounds all attempts and waits together\n"
        '    app.py:4:10: timeout is "2s"\n'
        "    app.py:5:2: it counts for app.call"
    )


def test_wrong_without_profile_is_said_once() -> None:
    """What is wrong anyway names no profile, although one gives another wrong value."""
    toml = PROFILES.replace("10s", "2s")
    assert ["app.py:4:10 TB-001"] == found(CALL, toml)


def test_wrong_under_profiles_that_are_active_together() -> None:
    """Profiles that are harmless by themselves are judged together if files activate them together."""
    toml = (
        '[resilience4cata]\nprofiles.active = ["slow", "hasty"]\n'
        '[resilience4cata.profiles.slow.configs.partner]\ntimeout.value = "4s"\n'
        '[resilience4cata.profiles.hasty.configs.partner]\nretry.max-duration = "3s"\n'
        '[resilience4cata.configs.partner]\ntimeout.value = "1s"\n'
    )
    code = CALL.replace('"2s"', 'config="partner"')
    (diagnostic,) = diagnostics(code, toml)
    assert ("resilience4cata.toml:6:22", True) == (
        diagnostic.place,
        diagnostic.message.endswith("on app.call, with profiles 'slow' and 'hasty'"),
    )
    assert [] == diagnostics(code, toml.replace('"slow", "hasty"', '"slow"'))


def test_elements_share_a_finding_of_a_template() -> None:
    """A template that contradicts itself is one mistake, however many functions start from it."""
    toml = '[resilience4cata.configs.partner]\nretry.max-duration = "1s"\ntimeout.value = "2s"\n'
    code = CALL.replace('"2s"', 'config="partner"')
    twice = code + code.removeprefix(HEAD).replace("def call", "def again")
    (diagnostic,) = diagnostics(twice, toml)
    assert ("resilience4cata.toml:3:17", True) == (
        diagnostic.place,
        diagnostic.message.endswith("the time of all, on app.call and 1 more"),
    )


def test_class_and_its_methods_share_a_finding() -> None:
    """What stands on a class is said there, not again on each method that has it."""
    code = (
        "from resilience4cata import bulkhead, retry, timeout\n\n\n"
        '@timeout("2s")\n@retry(max_duration="1s")\nclass Client:\n'
        "    @bulkhead(max_concurrent=2)\n    def find(self) -> None: ...\n\n    def store(self) -> None: ...\n"
    )
    assert ["app.py:5:21 TB-001"] == found(code)


def test_class_of_which_nothing_is_called() -> None:
    """Settings of a class count for methods without policies of their own; where there are none, for nobody."""
    code = HEAD + (
        '@timeout("2s")\n@retry(max_duration="1s")\nclass Client:\n'
        '    @timeout("100ms")\n    def find(self) -> None: ...\n'
    )
    assert [] == found(code)


BASES = """\
from abc import ABC, abstractmethod

from resilience4cata import resilience_policy, timeout as limit


@limit("6s")
class Base:
    def own(self) -> None: ...


class Port(ABC):
    @abstractmethod
    @limit("6s")
    def send(self) -> None: ...


slow = resilience_policy("slow", limit("6s"))
"""


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ('class Sub(Base):\n    @r.retry(max_duration="5s")\n    def find(self) -> None: ...', "7:27"),
        ('class Impl(Port):\n    @r.retry(max_duration="5s")\n    def send(self) -> None: ...', "7:27"),
        ('@slow\n@r.retry(max_duration="5s")\ndef find() -> None: ...', "7:23"),
        ('@r.retry(max_duration="5s")\n@slow\nasync def find() -> None: ...', "7:2"),
    ],
    ids=["inherited class level", "abstract method", "composed", "composed below"],
)
@pytest.mark.parametrize("paths", [(".",), ("app.py",)], ids=["whole", "part"])
def test_other_modules(code: str, place: str, paths: tuple[str, ...]) -> None:
    """Policies that come from bases and composed policies elsewhere count, under any alias, also for a part."""
    head = "import resilience4cata as r\nfrom bases import Base, Port, slow\n\n\n\n"
    assert [f"app.py:{place} TB-001"] == found(head + code + "\n", "", *paths, bases=BASES)


KEPT = HEAD + '@timeout("6s")\n@retry(max_duration="5s")\ndef call() -> None: ...\n'


def test_key_of_an_instance_repairs() -> None:
    """What an operator sets for one instance counts, unless the instance is locked."""
    toml = '[resilience4cata.instances."app#call"]\ntimeout.value = "1s"\n'
    assert [] == found(KEPT, toml)
    assert ["app.py:5:21 TB-001", "resilience4cata.toml:2:9 CFG-014"] == found(KEPT, f"{toml}locked = true\n")


def test_builders_may_override() -> None:
    """What code gives to a builder may count or not: another builder may be the one that runs."""
    code = "from resilience4cata import Resilience\n" + KEPT
    builder = 'Resilience.builder().instance("app#call", timeout("1s"))\n'
    assert ["app.py:6:21 TB-001"] == found(code)
    assert [] == found(code + builder)


@pytest.mark.parametrize(
    "code",
    [
        KEPT.replace('"6s"', "config=CHOSEN"),
        KEPT.replace("@retry(", "@retry(**OPTIONS, ").replace('"6s"', '"1s"'),
        KEPT.replace('max_duration="5s"', "**OPTIONS"),
        KEPT.replace("@retry", "@retry(enabled=False)\n# @retry"),
    ],
    ids=["template", "options", "only options", "switched off"],
)
def test_what_nobody_knows_is_silent(code: str) -> None:
    """A value that may be another one contradicts nothing."""
    head = "import os\nCHOSEN = os.environ['X']\nOPTIONS = {os.environ['Y']: '1s'}\n"
    assert [] == found(head + code)


def test_suppressed_on_the_line() -> None:
    """A comment on the reported line silences the finding, and is not reported as unneeded where there is none."""
    comment = "  # r4c: ignore[R4C-TB-001]\n"
    assert [] == found(KEPT.replace('"5s")\n', f'"5s"){comment}'))
    assert [] == found(KEPT.replace('"5s")\n', f'"1m"){comment}'))
