"""R4C-VA-004, CL-001 and CL-004 over several layers: which values meet, where it is said, and how often."""

import pytest

from tests.lint.effective_project import diagnostics, found

pytestmark = pytest.mark.usefixtures("here")

HEAD = "from resilience4cata import *\n"
BREAKER = HEAD + '@circuit_breaker(config="ext")\ndef call(): ...\n'
NEAR = HEAD + '@circuit_breaker(config="ext", minimum_calls=20)\ndef call(): ...\n'
RETRY = HEAD + '@retry(config="ext", delay="3s")\ndef call(): ...\n'


def _toml(**tables: str) -> str:
    """Tables by what comes behind `resilience4cata.`, in which `__` stands for a dot."""
    return "".join(f"[resilience4cata.{name.replace('__', '.')}]\n{text}\n" for name, text in tables.items())


PROFILE = _toml(
    configs__ext="circuit-breaker = { window-size = 50, minimum-calls = 20 }",
    profiles__prod__configs__ext="circuit-breaker.window-size = 5",
)


def test_wrong_in_one_profile_alone() -> None:
    """The profile, its line, the value that it meets, and one of those for whom it counts are named."""
    (diagnostic,) = diagnostics(BREAKER, PROFILE)
    assert diagnostic.text == (
        "resilience4cata.toml:4:31: error: [R4C-VA-004] profiles.prod.configs.ext.circuit-breaker.window-size:\n"
        "    minimum_calls 20 is more than window_size 5: the window never holds that many calls, on app.call, "
        "with profile 'prod'\n"
        "    resilience4cata.toml:2:55: minimum_calls is 20\n"
        "    app.py:2:2: it counts for app.call"
    )


def test_users_of_a_template_share_it() -> None:
    """However many functions start from a template, it is one mistake."""
    (diagnostic,) = diagnostics(BREAKER + BREAKER.removeprefix(HEAD).replace("call", "again"), PROFILE)
    assert diagnostic.message.endswith("on app.call and 1 more, with profile 'prod'")


@pytest.mark.parametrize(
    ("code", "toml", "expected"),
    [
        (NEAR, _toml(configs__ext="circuit-breaker.window-size = 5"), ["app.py:2:46 VA-004"]),
        (NEAR, _toml(defaults="circuit-breaker.window-size = 5", configs__ext=""), ["app.py:2:46 VA-004"]),
        (
            NEAR,
            _toml(configs__ext='extends = "root"', configs__root="circuit-breaker.window-size = 5"),
            ["app.py:2:46 VA-004"],
        ),
        (
            BREAKER,
            _toml(
                configs__ext='extends = "root"\ncircuit-breaker.minimum-calls = 20',
                configs__root="circuit-breaker.window-size = 5",
            ),
            ["resilience4cata.toml:5:31 VA-004"],
        ),
        (
            NEAR,
            _toml(configs__ext="", instances='"app#call".circuit-breaker.window-size = 5'),
            ["app.py:2:46 VA-004"],
        ),
        (RETRY, _toml(configs__ext='retry.max-delay = "1s"'), ["app.py:2:28 VA-004"]),
        (
            HEAD + "@adaptive_limit(config='ext', min_limit=50)\ndef call(): ...\n",
            _toml(configs__ext="adaptive-limit.initial-limit = 20\nadaptive-limit.max-limit = 30"),
            ["app.py:2:41 VA-004", "app.py:2:41 VA-004"],
        ),
    ],
    ids=["template", "defaults", "extends", "extends-apart", "instance", "delay", "several"],
)
def test_layers(code: str, toml: str, expected: list[str]) -> None:
    """A value of code meets one of a file; it is said where the code can be changed, else at the later value."""
    assert expected == found(code, toml)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            (
                "@circuit_breaker(window_size=5)\nclass Client:\n    @circuit_breaker(minimum_calls=20)\n"
                "    def find(self): ...\n    def store(self): ...\n"
            ),
            ["app.py:4:36 VA-004"],
        ),
        (
            (
                "inner = resilience_policy('inner', circuit_breaker(window_size=5))\n"
                "outer = resilience_policy('outer', inner, circuit_breaker(minimum_calls=20))\n"
                "@outer\ndef one(): ...\n@outer\ndef two(): ...\n"
            ),
            ["app.py:3:73 VA-004"],
        ),
        (
            (
                "inner = resilience_policy('inner', circuit_breaker(window_size=5))\n"
                "@inner\n@circuit_breaker(minimum_calls=20)\ndef one(): ...\n"
            ),
            ["app.py:4:32 VA-004"],
        ),
        (
            (
                "@retry(abort_on=ValueError)\nclass Client:\n    @retry(retry_on=(KeyError, ValueError))\n"
                "    def find(self): ...\n"
            ),
            ["app.py:4:21 CL-001"],
        ),
        (
            (
                "@fallback(method='none', skip_on=LookupError)\nclass Client:\n"
                "    @fallback(method='none', apply_on=KeyError)\n    def find(self): ...\n    def none(self): ...\n"
            ),
            ["app.py:4:39 CL-004"],
        ),
    ],
    ids=["class", "composed", "beside-composed", "lists", "fallback"],
)
def test_code_alone(code: str, expected: list[str]) -> None:
    """What is wrong with a composed policy is said where it is made, once; else nearest to the method."""
    assert expected == [line for line in found(HEAD + code) if line.endswith(("VA-004", "CL-001", "CL-004"))]


@pytest.mark.parametrize(
    ("listed", "denied", "expected"),
    [
        ("ValueError", '"ValueError"', ["ValueError is in 'retry_on' and in 'abort_on', which is asked first"]),
        (
            "ValueError",
            '"Exception"',
            [
                (
                    "ValueError in 'retry_on' can never match: 'abort_on' names its base Exception, "
                    "and nothing else is listed"
                )
            ],
        ),
        (
            "(ValueError, KeyError, OSError)",
            '["KeyError", "ValueError"]',
            [
                "KeyError is in 'retry_on' and in 'abort_on', which is asked first",
                "ValueError is in 'retry_on' and in 'abort_on', which is asked first",
            ],
        ),
        ("OSError", '"ConnectionError"', []),
    ],
    ids=["same", "base", "two", "subclass"],
)
def test_lists(listed: str, denied: str, expected: list[str]) -> None:
    """A template denies what code wants retried: each type is said, at the place of the list in code."""
    code = f'{HEAD}@retry(config="ext", retry_on={listed})\ndef call(): ...\n'
    reported = diagnostics(code, _toml(configs__ext=f"retry.abort-on = {denied}"))
    assert expected == sorted(diagnostic.message for diagnostic in reported)
    assert {"app.py:2:31"} >= {diagnostic.place for diagnostic in reported}


@pytest.mark.parametrize(
    ("code", "toml", "expected"),
    [
        # The template is wrong by itself, and is told so once.
        (
            BREAKER,
            _toml(configs__ext="circuit-breaker = { window-size = 5, minimum-calls = 20 }"),
            ["resilience4cata.toml:2:54 VA-004"],
        ),
        (HEAD + "@circuit_breaker(window_size=5, minimum_calls=20)\ndef call(): ...\n", "", ["app.py:2:47 VA-004"]),
        (
            BREAKER,
            _toml(
                configs__ext="circuit-breaker.window-size = 50",
                profiles__prod__configs__ext="circuit-breaker = { window-size = 5, minimum-calls = 20 }",
            ),
            ["resilience4cata.toml:4:54 VA-004"],
        ),
    ],
    ids=["template", "call", "profile"],
)
def test_one_table_is_told_by_itself(code: str, toml: str, expected: list[str]) -> None:
    """What one call or one table shows alone is not said again of those who use it."""
    assert expected == found(code, toml)


@pytest.mark.parametrize(
    ("code", "toml"),
    [
        # Defaults give way: minimum_calls to the window, max_delay to the delay.
        (BREAKER, _toml(configs__ext="circuit-breaker.window-size = 5")),
        (HEAD + '@retry(config="ext")\ndef call(): ...\n', _toml(configs__ext='retry.delay = "1h"')),
        # Nobody wrote the allow list.
        (HEAD + '@retry(config="ext")\ndef call(): ...\n', _toml(configs__ext='retry.abort-on = "Exception"')),
        # A window of seconds.
        (NEAR, _toml(configs__ext='circuit-breaker = { window-size = 5, window-type = "TIME" }')),
        # Switched off, and with one attempt there is no wait.
        (NEAR, _toml(configs__ext="circuit-breaker = { window-size = 5, enabled = false }")),
        (RETRY, _toml(configs__ext='retry = { max-delay = "1s", max-attempts = 1 }')),
        # The instance repairs it.
        (
            NEAR,
            _toml(
                configs__ext="circuit-breaker.window-size = 5",
                instances='"app#call".circuit-breaker.window-size = 50',
            ),
        ),
        (HEAD + "import o\n@circuit_breaker(config=o.NAME, minimum_calls=20)\ndef call(): ...\n", PROFILE),
        (HEAD + "import o\n@circuit_breaker(config='ext', **o.X)\ndef call(): ...\n", PROFILE),
    ],
    ids=["window", "delay", "allowed", "time", "off", "once", "repaired", "template", "options"],
)
def test_silent(code: str, toml: str) -> None:
    """Defaults contradict nothing, what is switched off neither, and what nobody knows is silent."""
    codes = ("VA-004", "CL-001", "CL-004")
    assert [] == [line for line in found(code, toml, o="NAME = input()\nX = eval('')\n") if line.endswith(codes)]
