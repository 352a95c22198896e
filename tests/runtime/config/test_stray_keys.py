"""CFG: no key stays silent that nobody reads, however it is written; those of others do."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resilience4cata.config.environment import EnvironmentSource
from resilience4cata.config.instances import Instances
from resilience4cata.config.resolve import Resolver
from resilience4cata.diagnostics import Diagnostic, Severity
from resilience4cata.facts import At, Project, Setting
from resilience4cata.records import replace
from resilience4cata.schema import POLICIES
from tests.runtime.config.judging import diagnostics
from tests.runtime.config.making import SomeScope, composed, files, function, method, policy, project

CHARGE = replace(
    method("acme.Client.charge", policy("retry"), policy("circuit_breaker", name="pay"), policy("timeout")),
    scope=SomeScope("acme.Client", ancestors=("acme.Client",), defines=("charge",)),
)
FAMILY = composed("external-call", policy("timeout"), policy("retry"))
SEND = replace(function("acme.mail.send", FAMILY), scope=SomeScope("acme.mail", is_class=False, defines=("send",)))


def around(text: str, suffix: str = "properties") -> Project:
    sources = files(**{f"a_{suffix}": text})
    return replace(project(CHARGE, SEND, sources=sources), composed=(FAMILY,))


def said(text: str, suffix: str = "properties") -> list[Diagnostic]:
    within = around(text, suffix)
    return diagnostics((*within.files, *within.templates, within), within)


def short(text: str, suffix: str = "properties") -> list[str]:
    return [
        f"{d.code[4:]} {d.severity.value[0].upper()} {d.at.line}:{d.at.column} {d.line}" for d in said(text, suffix)
    ]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (
            "external-call/timeout",
            (
                "CFG-011 E 1:1 external-call/timeout: 'timeout' cannot have a value of its own; "
                "did you mean 'external-call/timeout/value'?"
            ),
        ),
        (
            "external-call/value",
            "CFG-011 E 1:1 external-call/value: unknown key 'value'; did you mean 'external-call/timeout/value'?",
        ),
        (
            "acme.Client/charge/timeout",
            (
                "CFG-011 E 1:1 acme.Client/charge/timeout: 'timeout' cannot have a value of its own; "
                "did you mean 'acme.Client/charge/timeout/value'?"
            ),
        ),
        ("acme.Client/charge", "CFG-011 E 1:1 acme.Client/charge: 'charge' cannot have a value of its own"),
        (
            r"acme.Client\#charge/timeout/value",
            (
                "CFG-011 E 1:1 acme.Client#charge/timeout/value: unknown key 'acme.Client#charge'; "
                "did you mean 'acme.Client/charge/timeout/value'?"
            ),
        ),
        (
            r"acme.Client\#charge/timeout",
            (
                "CFG-011 E 1:1 acme.Client#charge/timeout: unknown key 'acme.Client#charge'; "
                "with slashes, a method stands behind its class: Class/method/policy/attribute"
            ),
        ),
        (
            "acme.Client.charge/timeout/value",
            (
                "CFG-009 E 1:1 acme.Client.charge/timeout/value: no class and no composed policy is named "
                "'acme.Client.charge'; did you mean 'acme.Client/charge'?"
            ),
        ),
        (
            "extrnal-call/timeout",
            (
                "CFG-009 W 1:1 extrnal-call/timeout: no class and no composed policy is named 'extrnal-call'; "
                "did you mean 'external-call'?"
            ),
        ),
        (
            "acme.mail.Other/timeout/value",
            "CFG-009 W 1:1 acme.mail.Other/timeout/value: no class and no composed policy is named 'acme.mail.Other'",
        ),
        (
            "acme.mail.Other/send/timeout/value",
            "CFG-009 W 1:1 acme.mail.Other/send/timeout/value: nothing guarded is in 'acme.mail.Other'",
        ),
        (
            "pay/circuit-breaker/window-size",
            (
                "CFG-009 E 1:1 pay/circuit-breaker/window-size: no class and no composed policy is named 'pay'; "
                "'pay' is an instance: write instances.pay"
            ),
        ),
        (
            "resilience4cata/defaults/retry/max-attempts",
            (
                "CFG-011 E 1:1 resilience4cata/defaults/retry/max-attempts: unknown key 'resilience4cata'; "
                "did you mean 'resilience4cata.defaults.retry.max-attempts'?"
            ),
        ),
        (
            "resilience4cata/retry",
            (
                "CFG-011 E 1:1 resilience4cata/retry: unknown key 'resilience4cata'; "
                "the levels of this tree are joined by dots"
            ),
        ),
        ("external-call/", "CFG-011 E 1:15 external-call/: unknown key ''; known here: "),
    ],
)
def test_slash_keys_that_nobody_reads(key: str, expected: str) -> None:
    """Told with what may have been meant."""
    (found,) = short(f"{key}=7s")
    assert found.startswith(expected) if expected.endswith(": ") else expected == found


def test_a_template_with_slashes() -> None:
    """Its key has dots."""
    text = "resilience4cata.configs.slow.timeout.value=9s\nslow/timeout/value=8s"
    line = (
        "slow/timeout/value: no class and no composed policy is named 'slow'; 'slow' is a template: write configs.slow"
    )
    assert [f"CFG-009 E 2:1 {line}"] == short(text)


@pytest.mark.parametrize(
    "key",
    ["a/b", "some/cache/enabled", "documents/timeout", "other/timeout/value", "org.x.Y/z/retry/delay", "a//b", "/x"],
)
def test_keys_of_others(key: str) -> None:
    """A file of properties may be shared."""
    assert [] == short(f"{key}=1")


def test_a_module_whose_name_is_a_word() -> None:
    """Others may use it too: what names neither a policy nor an attribute is theirs."""
    sources = files(a_properties="app/name=shop\napp/timeout=3s")
    within = project(function("app.run", policy("timeout")), sources=sources)
    assert ["app/timeout"] == [d.subject for d in diagnostics((*sources, within), within)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"resilience4cata.defaults.retry.delay" = "1s"', "1:1"),
        ('"external-call/timeout" = "3s"', "1:1"),
        ('[resilience4cata]\n"nobody/timeout/value" = "3s"', "2:2"),
        ('[resilience4cata]\n"org.x.Y/z/timeout/value" = "3s"', "2:2"),
        ('[resilience4cata]\n"a/b" = "3s"', "2:4"),
        ("[[resilience4cata]]\nstrict = true", "1:3"),
        ("[[resilience4cata.configs]]\nx.retry.delay = '1s'", "1:19"),
    ],
)
def test_tables_that_nobody_reads(text: str, place: str) -> None:
    """In our own tree every name must be one of ours."""
    assert [f"a.toml:{place}"] == [d.place for d in said(text, "toml")]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- resilience4cata: {strict: true}", "1:1"),
        ("resilience4cata", "1:1"),
        ("# settings\n[a, b]", "2:1"),
        ("'resilience4cata.strict': true", "1:1"),
        ("acme.Client/charge/timeout: 3s", "1:1"),
        ("resilience4cata: [a]", "1:1"),
    ],
)
def test_yaml_that_nobody_reads(text: str, place: str) -> None:
    """A list or a value where keys belong, and keys that lead nowhere."""
    assert [f"a.yaml:{place}"] == [d.place for d in said(text, "yaml")]


@pytest.mark.parametrize("text", ["", "# nothing", "---", "~", "other: 3", "resilience4cata:"])
def test_yaml_without_keys(text: str) -> None:
    """Nothing is said where nothing is set."""
    assert [] == said(text, "yaml")


def test_slash_keys_with_dots_in_yaml() -> None:
    """A class is one name, whatever dots it has."""
    (file,) = files(a_yaml="acme.Client/charge/timeout/value: 3s")
    assert [Setting("instance", "acme.Client#charge", "timeout", "value")] == [key.meaning for key in file.keys]


class TestWrittenTwice:
    """Two spellings of one setting."""

    def test_in_one_file(self) -> None:
        text = "resilience4cata.instances.acme.Client#charge.timeout.value=5s\nacme.Client/charge/timeout/value=4s"
        line = (
            "acme.Client/charge/timeout/value: key is written twice, first as "
            "'instances.acme.Client#charge.timeout.value'; remove one of them"
        )
        assert [f"CFG-007 E 2:1 {line}"] == short(text)

    def test_tables_and_dots(self) -> None:
        text = "resilience4cata:\n  configs:\n    x: {retry: {delay: 1s}}\n  configs.x.retry: {delay: 2s}"
        assert ["CFG-007 E 4:21 configs.x.retry.delay: key is written twice; remove one of them"] == short(text, "yaml")

    def test_in_one_spelling_once(self) -> None:
        """A table that stands there twice is one mistake."""
        text = "resilience4cata:\n  configs:\n    x: {retry: {delay: 1s}}\n    x: {retry: {delay: 2s}}"
        assert ["CFG-007 E 4:5 configs.x: key is written twice; remove one of them"] == short(text, "yaml")

    def test_in_two_files(self) -> None:
        """The later file wins."""
        sources = files(a_properties="external-call/timeout/value=1s", b_properties="external-call/timeout/value=2s")
        within = replace(project(CHARGE, sources=sources), composed=(FAMILY,))
        assert [] == diagnostics((*sources, within), within)


def test_locked_in_code() -> None:
    """A name that no instance has locks nothing."""
    within = replace(around(""), locked=("pya", "pay"), locked_at=(At("app.py", 7, 9), At("app.py", 7, 16)))
    (found,) = diagnostics((within,), within)
    line = "locked(\"pya\"): no instance 'pya' is declared; did you mean 'pay'?"
    assert ("R4C-CFG-009", "app.py:7:9", line, Severity.ERROR) == (found.code, found.place, found.line, found.severity)


def test_a_profile_that_empty_sources_lack() -> None:
    """Sources without any key define none; without any source there is nothing to define it."""
    within = replace(around(""), profiles=("prod",), profiles_at=(At("app.py", 3, 20),))
    assert ["profiles(\"prod\"): no source defines the profile 'prod'"] == [
        d.line for d in diagnostics((within,), within)
    ]
    without = replace(within, files=())
    assert [] == diagnostics((without,), without)


@pytest.mark.parametrize(
    ("variable", "key"),
    [
        ("EXTERNAL_CALL_TIMEOUT_VALUE", "external-call/timeout/value"),
        ("ACME_CLIENT_CHARGE_RETRY_MAX_ATTEMPTS", "acme.Client/charge/retry/max-attempts"),
        ("ACME_MAIL_SEND_TIMEOUT_VALUE", "acme.mail/send/timeout/value"),
    ],
)
def test_variables_of_keys_with_slashes(variable: str, key: str) -> None:
    """They have none, and no other is meant."""
    name = f"RESILIENCE4CATA_{variable}"
    source = EnvironmentSource({name: "3s"}).load()
    (found,) = diagnostics((source,), around(""))
    said = f"no key has the environment variable {name}; keys with slashes have none: write '{key}' in a file"
    assert (said, ()) == (found.line, found.suggestions)


# ---------------------------------------------------------------- every key is read, told, or somebody else's

SETTINGS = [f"{schema.key}{{0}}{a.key}" for schema in POLICIES.values() for a in schema.settable()]
OWNERS = ("external-call", "acme.Client", "acme.Client/charge", "acme.mail/send")
WORDS = (
    "external-call extrnal-call acme.Client acme.Client#charge acme.Client.charge acme.mail charge send pay timeout "
    "retry timout value delay valu enabled x other resilience4cata instances defaults configs profiles locked strict"
)
PARTS = st.sampled_from(["", *WORDS.split()])
KEYS = st.lists(st.tuples(PARTS, st.sampled_from("./")), min_size=1, max_size=6).map(
    lambda pairs: "".join(itertools.chain.from_iterable(pairs))[:-1]
)


def is_known(name: str) -> bool:
    """Whether a first segment is that of a family, a class, a module or a method here, or an id."""
    return name in {"external-call", "acme.Client", "acme.Client#charge", "acme.Client.charge", "acme.mail"}


def is_read(text: str) -> bool:
    """Whether the only key sets something that counts for an element, or for the library as a whole."""
    within = around(text)
    instances = Instances(Resolver.of(within))
    (key,) = within.files[0].keys
    if not isinstance(key.meaning, Setting):
        return True
    if key.meaning.kind in ("defaults", "template"):
        return True
    settings = [instances.resolver.resolve(element) for element in within.elements]
    found = [effective for setting in settings for effective in setting.values()]
    origins = {given.at for effective in found for given in (effective.origin, *(g.origin for g in effective.shadowed))}
    return key.at in origins


@given(KEYS)
def test_every_key_is_read_or_told(key: str) -> None:
    """Those that begin with our prefix, or with a name of ours and a slash; the rest is somebody else's."""
    text = key.replace("#", r"\#").replace(" ", "") + "=x"
    first = key.split("/", maxsplit=1)[0]
    is_ours = key.split(".", maxsplit=1)[0] == "resilience4cata" or ("/" in key and is_known(first))
    if is_ours and not said(text):
        assert is_read(text), key


@given(st.sampled_from(OWNERS), st.sampled_from(SETTINGS))
def test_every_documented_key_is_read_or_told(owner: str, setting: str) -> None:
    """A setting that the element declares counts for it; R4C-CFG-010 tells of the others."""
    text = f"{owner}/{setting.format('/')}=x"
    assert said(text) or is_read(text)
