"""Environment variables and options of the interpreter."""

import sys
from pathlib import Path

import pytest

from resilience4cata.config.environment import EnvironmentSource, Names
from resilience4cata.config.sources import ConfigSources, FileSource, OptionsSource, PackageSource, load
from resilience4cata.facts import Ambiguous, At, ConfigFile, Items, Unrecognised, Variable

NAMES = Names(
    templates=frozenset({"external", "slow-external"}),
    instances=frozenset({"payments", "acme.pay.Client#charge"}),
    profiles=frozenset({"prod"}),
    budgets=frozenset({"partners"}),
)


def env(*variables: str, names: Names = NAMES) -> ConfigFile:
    return load(EnvironmentSource(dict(v.split("=", 1) for v in variables), names))


def test_known_keys() -> None:
    """The schema times the names; the value has become what the attribute asks for, the place is the variable."""
    file = env(
        "RESILIENCE4CATA_ENABLED=false",
        "RESILIENCE4CATA_PROFILES_ACTIVE=prod, eu",
        "RESILIENCE4CATA_DEFAULTS_RETRY_MAX_ATTEMPTS=5",
        "RESILIENCE4CATA_CONFIGS_EXTERNAL_RETRY_DELAY=200ms",
        "RESILIENCE4CATA_CONFIGS_SLOW_EXTERNAL_EXTENDS=external",
        "RESILIENCE4CATA_PROFILES_PROD_CONFIGS_EXTERNAL_RETRY_DELAY=300ms",
        "RESILIENCE4CATA_PROFILES_PROD_INSTANCES_PAYMENTS_BULKHEAD_MAX_CONCURRENT=3",
        "RESILIENCE4CATA_INSTANCES_PAYMENTS_LOCKED=true",
        "RESILIENCE4CATA_INSTANCES_ACME_PAY_CLIENT_CHARGE_TIMEOUT_VALUE=3s",
        "RESILIENCE4CATA_BUDGETS_PARTNERS_TTL=10s",
        "RESILIENCE4CATA_EVENTS_PER_CALL=true",
        "RESILIENCE4CATA_FILE=x.toml",
        "PATH=x",
    )
    assert {
        "enabled": False,
        "profiles.active": Items(("prod", "eu")),
        "defaults.retry.max-attempts": 5,
        "configs.external.retry.delay": "200ms",
        "configs.slow-external.extends": "external",
        "profiles.prod.configs.external.retry.delay": "300ms",
        "profiles.prod.instances.payments.bulkhead.max-concurrent": 3,
        "instances.payments.locked": True,
        "instances.acme.pay.Client#charge.timeout.value": "3s",
        "budgets.partners.ttl": "10s",
        "events.per-call": True,
    } == {key.text: key.value for key in file.keys}
    assert At("env RESILIENCE4CATA_ENABLED") == next(key.at for key in file.keys if key.text == "enabled")
    assert ((), ()) == (file.unknown, file.ambiguous)


@pytest.mark.parametrize(
    ("variable", "unknown", "word", "nearest"),
    [
        ("CONFIGS_EXTERNAL_RETRY_DELY", "key", "", "CONFIGS_EXTERNAL_RETRY_DELAY"),
        ("DEFAULTS_RETYR_DELAY", "key", "", "DEFAULTS_RETRY_DELAY"),
        ("RETRY_DELAY", "key", "", "DEFAULTS_RETRY_DELAY"),
        ("ENABLD", "key", "", "ENABLED"),
        ("CONFIGS_EXTERNL_RETRY_DELAY", "template", "externl", "CONFIGS_EXTERNAL_RETRY_DELAY"),
        ("CONFIGS_EXTERNAL_CALL_RETRY_DELAY", "template", "external-call", "CONFIGS_EXTERNAL_RETRY_DELAY"),
        ("CONFIGS_REPORTS_EXTENDS", "template", "reports", None),
        ("INSTANCES_PAYMENT_LOCKED", "instance", "payment", "INSTANCES_PAYMENTS_LOCKED"),
        ("INSTANCES_REPORTS_TIMEOUT_VALUE", "instance", "reports", None),
        ("PROFILES_PRD_CONFIGS_EXTERNAL_RETRY_DELAY", "profile", "prd", "PROFILES_PROD_CONFIGS_EXTERNAL_RETRY_DELAY"),
        (
            "PROFILES_PROD_CONFIGS_EXTERNL_RETRY_DELAY",
            "template",
            "externl",
            "PROFILES_PROD_CONFIGS_EXTERNAL_RETRY_DELAY",
        ),
        ("BUDGETS_PARTNER_TTL", "budget", "partner", "BUDGETS_PARTNERS_TTL"),
    ],
)
def test_unknown_variables(variable: str, unknown: str, word: str, nearest: str | None) -> None:
    """What is not known about it, and which known one could be meant."""
    (found,) = env(f"RESILIENCE4CATA_{variable}=1s").unknown
    assert isinstance(found, Variable)
    assert (unknown, word) == (found.unknown, found.word)
    candidates = [near.name.removeprefix("RESILIENCE4CATA_") for near in found.candidates]
    assert ([] if nearest is None else [nearest]) == candidates[:1]


@pytest.mark.parametrize(
    ("variable", "nearest", "is_certain"),
    [
        # What all share, the prefix first of all, makes none like another.
        *((name, None, False) for name in ("LOG_LEVEL", "FOO", "HOST", "DEBUG", "DEFAULTS_FOO_BAR", "", "_", "PORT")),
        ("CONFIGS_EXTERNAL_RETRY_FOO", None, False),
        ("CONFIGS_REPORTS_RETRY_DELAY", None, False),
        # Each part is near its own counterpart.
        ("CONFGS_EXTERNL_RETYR_DELY", "CONFIGS_EXTERNAL_RETRY_DELAY", False),
        ("PROFILES_PRD_CONFIGS_EXTERNL_RETRY_DELY", "PROFILES_PROD_CONFIGS_EXTERNAL_RETRY_DELAY", False),
        ("DEFAULTS_RETRY_DELAY_MAX", "DEFAULTS_RETRY_MAX_DELAY", False),
        ("PROFILE_PROD_DEFAULTS_RETRY_DELAY", "PROFILES_PROD_DEFAULTS_RETRY_DELAY", True),
        ("DEFAULTS_RETRY_DELY", "DEFAULTS_RETRY_DELAY", True),
        ("ORDR", "ORDER", True),
        ("FIEL", "FILE", True),
        ("FILES", "FILE", True),
        # One part is not there.
        ("PROFILE", "PROFILES_ACTIVE", False),
        ("PROFILES", "PROFILES_ACTIVE", False),
        ("EVENTS", "EVENTS_PER_CALL", False),
        ("EXTERNAL_RETRY_DELAY", "CONFIGS_EXTERNAL_RETRY_DELAY", False),
        ("PAYMENTS_BULKHEAD_MAX_WAIT", "INSTANCES_PAYMENTS_BULKHEAD_MAX_WAIT", False),
        ("DEFAULTS_MAX_ATTEMPTS", "DEFAULTS_RETRY_MAX_ATTEMPTS", False),
        # The same but for underscores and case.
        ("DEFAULTSRETRY_DELAY", "DEFAULTS_RETRY_DELAY", True),
        ("_CONFIGS__EXTERNAL__RETRY__DELAY", "CONFIGS_EXTERNAL_RETRY_DELAY", True),
        ("defaults_retry_delay", "DEFAULTS_RETRY_DELAY", True),
    ],
)
def test_similar_variables(variable: str, nearest: str | None, is_certain: bool) -> None:
    """What could be meant, part by part, and whether it certainly is."""
    (found,) = env(f"RESILIENCE4CATA_{variable}=1s").unknown
    near = [(s.name.removeprefix("RESILIENCE4CATA_"), s.is_certain) for s in found.candidates]
    assert ([] if nearest is None else [(nearest, is_certain)]) == near[:1]


def test_similar_names_that_are_as_near() -> None:
    """Of two names that are one slip away, neither is certain."""
    for names, is_certain in (({"partner"}, True), ({"partner", "partnar"}, False)):
        variable = "RESILIENCE4CATA_CONFIGS_PARTNR_RETRY_DELAY=1s"
        (found,) = env(variable, names=Names(templates=frozenset(names))).unknown
        assert [is_certain] == [near.is_certain for near in found.candidates[:1]]


def test_similar_names_that_are_shared() -> None:
    """What would be ambiguous is no help."""
    names = Names(instances=frozenset({"acme.Mail#send", "acme.mail#send"}))
    (found,) = env("RESILIENCE4CATA_INSTANCES_ACME_MAIL_SND_TIMEOUT_VALUE=1s", names=names).unknown
    assert ("instance", ()) == (found.unknown, found.candidates)


def test_many_names() -> None:
    """Hundreds of instances, and of parts, are no trouble."""
    names = Names(instances=frozenset(f"acme.module{number}.Client#call" for number in range(500)))
    lines = [f"RESILIENCE4CATA_INSTANCES_ACME_MODUL{n}_CLIENT_CALL_TIMEOUT_VALUE=1s" for n in range(5)]
    assert 5 == len(env(*lines, names=names).unknown)
    (found,) = env(f"RESILIENCE4CATA_{'_'.join('A' * 500)}=1s", names=names).unknown
    assert () == found.candidates


def test_shared_variables() -> None:
    """Two keys that become one name; neither gets the value."""
    names = Names(instances=frozenset({"acme.Mail#send", "acme.mail#send"}))
    file = env("RESILIENCE4CATA_INSTANCES_ACME_MAIL_SEND_TIMEOUT_VALUE=1s", names=names)
    name = "RESILIENCE4CATA_INSTANCES_ACME_MAIL_SEND_TIMEOUT_VALUE"
    keys = ("instances.acme.Mail#send.timeout.value", "instances.acme.mail#send.timeout.value")
    assert ((Ambiguous(name, At(f"env {name}"), keys),), ()) == (file.ambiguous, file.keys)


def test_empty_value() -> None:
    """Set to nothing is not absent: the rule for values refuses it."""
    (key,) = env("RESILIENCE4CATA_DEFAULTS_RETRY_DELAY=").keys
    assert "" == key.value


def test_process_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mapping it is the process's own."""
    monkeypatch.setenv("RESILIENCE4CATA_STRICT", "false")
    assert [False] == [key.value for key in load(ConfigSources.environment()).keys if key.text == "strict"]
    assert ConfigSources.environment().is_set
    assert not EnvironmentSource({"RESILIENCE4CATA_FILE": "x"}).is_set


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any key of the tree; one without a value is true; others' options are left alone."""
    options: dict[str, str | bool] = {
        "resilience4cata.enabled": "false",
        "resilience4cata.strict": True,
        "resilience4cata.configs.external.retry.delay": "1s",
        "resilience4cata.enabld": "false",
        "utf8": True,
        "resilience4cata.order": "TIMEOUT,RETRY",
    }
    file = load(OptionsSource(options))
    found = {key.text: key.value for key in file.keys if not isinstance(key.meaning, Unrecognised)}
    order = found.pop("order")
    assert isinstance(order, Items)
    assert {"enabled": False, "strict": True, "configs.external.retry.delay": "1s"} == found
    assert ["-X resilience4cata.enabld"] == [k.at.source for k in file.keys if isinstance(k.meaning, Unrecognised)]
    monkeypatch.setattr(sys, "_xoptions", {"resilience4cata.enabled": "false"})
    assert [False] == [key.value for key in load(ConfigSources.options()).keys]


def test_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file within a package, one that is not there, and a package that is not there or fails."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "brought").mkdir()
    (tmp_path / "brought" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "brought" / "r.toml").write_text("[resilience4cata]\nstrict = true\n", encoding="utf-8")
    (tmp_path / "failing.py").write_text("1 / 0", encoding="utf-8")
    file = load(ConfigSources.package("brought", "r.toml"))
    assert ("brought/r.toml", [True]) == (file.source, [key.value for key in file.keys])
    missing = load(PackageSource("brought", "s.toml")).broken
    assert missing is not None
    assert (True, True) == (missing.missing, "r.toml" in missing.candidates)
    for package in ("no_such_package", "failing"):
        broken = load(PackageSource(package, "r.toml")).broken
        assert broken is not None
        assert not broken.missing


def test_default_sources() -> None:
    """The named file, environment and options; a missing file is reported at the variable that names it."""
    file, environment, options = ConfigSources.default({"RESILIENCE4CATA_FILE": "no/such.toml"})
    assert (EnvironmentSource, OptionsSource) == (type(environment), type(options))
    assert isinstance(file, FileSource)
    broken = load(file).broken
    assert broken is not None
    assert (At("env RESILIENCE4CATA_FILE"), True) == (broken.at, broken.missing)
    assert 2 == len(ConfigSources.default({}))
