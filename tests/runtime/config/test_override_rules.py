"""CFG: what the rules about instances, profiles, variables, paths, lists and budgets say, and where they are silent."""

from collections.abc import Iterable

import pytest

from resilience4cata import rules
from resilience4cata.config.environment import EnvironmentSource
from resilience4cata.config.sources import load
from resilience4cata.diagnostics import FRONT_ENDS, Context, Diagnostic, Severity
from resilience4cata.facts import (
    UNKNOWN,
    At,
    ConfigFile,
    Element,
    Global,
    Key,
    Override,
    Project,
    Ref,
    Similar,
    Slot,
    Template,
    Unresolved,
    Variable,
)
from resilience4cata.records import replace
from tests.runtime.config.making import SomeScope, cls, composed, files, function, method, policy, project

MINE = [f"R4C-CFG-0{number}" for number in ("05", "09", "10", "13", "14", "15", "16", "17", "19", "20")]


def diagnostics(within: Project, views: Iterable[object] = ()) -> list[Diagnostic]:
    context = Context(FRONT_ENDS["build"], project=within)
    found = rules.check((*views, *within.files, within), context)
    return [d for d in (finding.diagnostic() for finding in found) if d.code in MINE]


def short(within: Project) -> list[str]:
    return [
        f"{d.code[-3:]} {d.severity.value[0].upper()} {d.at.line}:{d.at.column} {d.line}" for d in diagnostics(within)
    ]


DECLARED = method("acme.Client.charge", policy("retry"), policy("circuit_breaker", name="pay"), policy("timeout"))
CHARGE = replace(DECLARED, scope=SomeScope("acme.Client", ancestors=("acme.Client",), defines=("charge",)))
SEND = function("acme.mail.send", policy("timeout"))
FAMILY = composed("external-call", policy("timeout"))


def of(*lines: str, known: bool = True, closed: bool = True, **more: tuple[Override, ...]) -> Project:
    sources = files(a_properties="\n".join(lines))
    found = replace(project(CHARGE, SEND, sources=sources, known=known), composed=(FAMILY,), closed=closed)
    return replace(found, overrides=more.get("overrides", ()))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("resilience4cata.instances.acme.Client#charge.timeout.value=1s", None),
        ("resilience4cata.instances.acme.mail#send.timeout.value=1s", None),
        ("resilience4cata.instances.pay.circuit-breaker.window-size=9", None),
        ("resilience4cata.instances.pay.locked=true", None),
        ("acme.Client/charge/retry/delay=1s", None),
        ("acme.mail/send/timeout/value=1s", None),
        ("external-call/timeout/value=1s", None),
        ("somebody/else/retry/delay=1s", None),
        ("another/retry/delay=1s", None),
        (
            "resilience4cata.instances.acme.Client#chrge.timeout.value=1s",
            (
                "009 E 1:27 instances.acme.Client#chrge.timeout.value: acme.Client has no 'chrge'; "
                "did you mean 'acme.Client#charge'?"
            ),
        ),
        (
            "resilience4cata.instances.acme.Cleint#charge.timeout.value=1s",
            (
                "009 E 1:27 instances.acme.Cleint#charge.timeout.value: no instance 'acme.Cleint#charge' is declared; "
                "did you mean 'acme.Client#charge'?"
            ),
        ),
        (
            "resilience4cata.instances.apy.circuit-breaker.window-size=9",
            "009 E 1:27 instances.apy.circuit-breaker.window-size: no instance 'apy' is declared; did you mean 'pay'?",
        ),
        (
            "resilience4cata.instances.apy.locked=true",
            "009 E 1:27 instances.apy.locked: no instance 'apy' is declared; did you mean 'pay'?",
        ),
        (
            "resilience4cata.instances.reports.timeout.value=9s",
            "009 W 1:27 instances.reports.timeout.value: no instance 'reports' is declared",
        ),
        (
            "resilience4cata.instances.acme.Client#send_all_reports.timeout.value=1s",
            "009 E 1:27 instances.acme.Client#send_all_reports.timeout.value: acme.Client has no 'send_all_reports'",
        ),
        (
            "resilience4cata.instances.acme.maps#find.timeout.value=1s",
            "009 E 1:27 instances.acme.maps#find.timeout.value: no instance 'acme.maps#find' is declared",
        ),
        (
            "resilience4cata.instances.Client#charge.timeout.value=1s",
            (
                "009 E 1:27 instances.Client#charge.timeout.value: no instance 'Client#charge' is declared; "
                "did you mean 'acme.Client#charge'?"
            ),
        ),
        (
            "acme.Client/chrge/retry/delay=1s",
            "009 E 1:13 acme.Client/chrge/retry/delay: acme.Client has no 'chrge'; did you mean 'charge'?",
        ),
        (
            "acme.Clint/charge/retry/delay=1s",
            "009 W 1:1 acme.Clint/charge/retry/delay: nothing guarded is in 'acme.Clint'; did you mean 'acme.Client'?",
        ),
        (
            "external-cal/timeout/value=1s",
            (
                "009 W 1:1 external-cal/timeout/value: no class and no composed policy is named 'external-cal'; "
                "did you mean 'external-call'?"
            ),
        ),
        (
            "acme.mail/timeout/value=1s",
            (
                "009 E 1:1 acme.mail/timeout/value: 'acme.mail' is a module: keys reach classes, methods, functions "
                "and composed policies"
            ),
        ),
        (
            "resilience4cata.instances.acme.mail#send.retry.delay=1s",
            (
                "010 E 1:42 instances.acme.mail#send.retry.delay: acme.mail.send declares no retry; "
                "declared there: timeout"
            ),
        ),
        (
            "resilience4cata.instances.pay.timeout.value=1s",
            (
                "010 E 1:31 instances.pay.timeout.value: the shared instance 'pay' has no timeout; "
                "declared there: circuit-breaker"
            ),
        ),
        (
            "resilience4cata.instances.acme.Client#charge.circuit-breaker.window-size=1",
            (
                "010 E 1:27 instances.acme.Client#charge.circuit-breaker.window-size: the circuit_breaker of "
                "acme.Client.charge is the shared instance 'pay'; did you mean 'pay'?"
            ),
        ),
        (
            "external-call/retry/delay=1s",
            (
                "010 E 1:15 external-call/retry/delay: the composed policy 'external-call' has no retry; "
                "declared there: timeout"
            ),
        ),
        (
            "acme.Client/retry/delay=1s",
            (
                "010 E 1:13 acme.Client/retry/delay: acme.Client declares no retry at class level; "
                "a key tunes what code declares, and adds nothing"
            ),
        ),
    ],
)
def test_overrides(line: str, said: str | None) -> None:
    """Word for word, with severity and place."""
    assert [said] == short(of(line)) if said is not None else short(of(line)) == []


def test_pending() -> None:
    """Before everything is known, what is missing may yet come; what a known class lacks will not."""
    unknown = "resilience4cata.instances.acme.Other#find.timeout.value=1s"
    assert ["009 W"] == [text[:5] for text in short(of(unknown, closed=False))]
    assert "import its module before build(), or scan()" in short(of(unknown, closed=False))[0]
    assert ["009 E"] == [text[:5] for text in short(of("acme.Client/chrge/retry/delay=1s", closed=False))]


@pytest.mark.parametrize(
    "element",
    [
        method("acme.C.m", policy("retry", name=UNKNOWN)),
        method("acme.C.m", policy("retry"), known=False),
        method("acme.C.m", policy("retry", closed=False)),
    ],
)
def test_what_is_not_known_is_silent(element: Element) -> None:
    """A name that may be in use, decorators that nobody can read."""
    found = of("resilience4cata.instances.reports.retry.delay=1s", "acme.C/m/retry/delay=1s")
    assert [] == short(replace(found, elements=(element,)))


def test_of_one_table_one_finding() -> None:
    lines = [f"resilience4cata.instances.apy.circuit-breaker.{key}=9" for key in ("window-size", "minimum-calls")]
    assert 1 == len(short(of(lines[0])))
    sources = files(a_toml="[resilience4cata.instances.apy]\nretry={delay='1s'}\ntimeout={value='1s'}")
    assert 1 == len(short(replace(of(), files=sources)))


def test_overrides_in_code() -> None:
    """They are held against the code like keys."""
    at = At("app.py", 7, 9)
    overrides = (
        Override("pay", at, (policy("circuit_breaker", window_size=4),)),
        Override("apy", at, (policy("circuit_breaker"),)),
        Override("acme.mail#send", at, (policy("retry", line=8),)),
    )
    assert [
        "009 E 7:9 instance(\"apy\"): no instance 'apy' is declared; did you mean 'pay'?",
        'instance("acme.mail#send"): acme.mail.send declares no retry; declared there: timeout',
    ] == [text if text.startswith("009") else text.split(" ", 3)[3] for text in short(of(overrides=overrides))]


def test_classes_and_what_they_reach() -> None:
    """Methods that a class guards, in subclasses too, and generic functions of nobody."""
    owner = cls("acme.C", policy("timeout"), methods=("m", "n"))
    within = replace(of("acme.C/m/timeout/value=1s", "acme.C/timeout/value=1s"), elements=(owner,))
    assert [] == short(within)
    within = replace(of("acme.C/m/retry/delay=1s", "acme.C/retry/delay=1s"), elements=(owner,))
    assert ["010", "010"] == [text[:3] for text in short(within)]


# ---------------------------------------------------------------- CFG-005, CFG-014


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profiles.active=prod", []),
        ("profiles.active=prdo", ["E no source defines the profile 'prdo'"]),
        ("profiles.active=canary", ["W no source defines the profile 'canary'"]),
        ("profiles.active=prod, canary", ["W no source defines the profile 'canary'"]),
        ("strict=true", []),
    ],
)
def test_profiles(text: str, said: list[str]) -> None:
    within = of("resilience4cata.profiles.prod.defaults.retry.delay=1s", f"resilience4cata.{text}")
    assert said == [f"{d.severity.value[0].upper()} {d.message}" for d in diagnostics(within)]


def test_profiles_of_code() -> None:
    """At the call that activates them; silent without any source, or where one is not known."""
    within = replace(of("resilience4cata.strict=true"), profiles=("test",), profiles_at=(At("app.py", 3, 20),))
    (found,) = diagnostics(within)
    assert ('profiles("test")', "app.py:3:20", Severity.WARNING) == (found.subject, found.place, found.severity)
    assert [] == diagnostics(replace(within, files=()))
    assert [] == diagnostics(replace(within, templates_closed=False))


def test_locked() -> None:
    """Each attempt, with the place of the lock; what code locks has none."""
    lines = (
        "resilience4cata.instances.pay.locked=true",
        "resilience4cata.instances.pay.circuit-breaker.window-size=9",
        "acme.Client/charge/timeout/value=1s",
    )
    (found,) = diagnostics(of(*lines))
    assert ("R4C-CFG-014", Severity.WARNING, 2) == (found.code, found.severity, found.at.line)
    assert [("a.properties", 1)] == [(r.at.source, r.at.line) for r in found.related]
    within = replace(of(lines[1], lines[2]), locked=("acme.Client#charge",))
    (found,) = diagnostics(within)
    assert ("acme.Client/charge/timeout/value", ()) == (found.subject, found.related)


# ---------------------------------------------------------------- the others


def test_variables() -> None:
    """An unknown key is an error, an unknown name a warning."""
    at = At("env RESILIENCE4CATA_X")
    enabled = Key(("enabled",), False, at, at, Global("enabled"), "enabled")
    unknown = (
        Variable("RESILIENCE4CATA_ENABLD", at, candidates=(Similar("RESILIENCE4CATA_ENABLED", enabled),)),
        Variable("RESILIENCE4CATA_CONFIGS_X_EXTENDS", at, "template", "x"),
    )
    within = replace(of(), files=(ConfigFile("env", unknown=unknown),))
    assert [
        ("error", ("RESILIENCE4CATA_ENABLED",), ""),
        ("warning", (), "remove it, or define what it is for"),
    ] == sorted((d.severity.value, d.suggestions, d.help) for d in diagnostics(within))


@pytest.mark.parametrize(
    ("variable", "suggestions", "help"),
    [
        ("PROFILE=prod", ("PROFILES_ACTIVE",), ""),
        ("ENABLD=prod", (), "RESILIENCE4CATA_ENABLED is near, but cannot have this value"),
        ("ENABLD=True", ("ENABLED",), ""),
        ("DEFAULTS_RETRY_DELY=5 s", ("DEFAULTS_RETRY_DELAY",), ""),
        ("DEFAULTS_RETRY_DELY=5", (), "RESILIENCE4CATA_DEFAULTS_RETRY_DELAY is near, but cannot have this value"),
        ("ORDERS=5", (), "RESILIENCE4CATA_ORDER is near, but cannot have this value"),
        (
            "LOG_LEVEL=debug",
            (),
            (
                "variables with this prefix are keys in upper case, with '_' for all else, such as "
                "RESILIENCE4CATA_DEFAULTS_RETRY_DELAY; those of others need another prefix"
            ),
        ),
    ],
)
def test_values_of_variables(variable: str, suggestions: tuple[str, ...], help: str) -> None:
    """A key that could not have the value was not meant, and the value may be secret."""
    name, value = variable.split("=")
    file = load(EnvironmentSource({f"RESILIENCE4CATA_{name}": value}))
    (found,) = diagnostics(replace(of(), files=(file,)))
    assert (tuple(f"RESILIENCE4CATA_{s}" for s in suggestions), help) == (found.suggestions, found.help)


@pytest.mark.parametrize(
    ("unresolved", "line"),
    [
        (
            Unresolved("acme.erors.Broken", "acme", "erors", ("errors",)),
            "'acme.erors.Broken' leads nowhere: 'acme' has no 'erors'; did you mean 'acme.errors.Broken'?",
        ),
        (
            Unresolved("Broken", "", "Broken", ()),
            "'Broken' leads nowhere: there is no 'Broken'; write the whole path: package.module.Name",
        ),
        (
            Unresolved("acme.x.Y", "acme", "x", (), "importing acme.x fails with OSError: no"),
            "'acme.x.Y' leads nowhere: importing acme.x fails with OSError: no",
        ),
    ],
)
def test_paths(unresolved: Unresolved, line: str) -> None:
    (file,) = files(a_properties="resilience4cata.defaults.retry.retry-on=acme.erors.Broken")
    (key,) = file.keys
    within = replace(of(), files=(replace(file, keys=(replace(key, unresolved=(unresolved,)),)),))
    (found,) = diagnostics(within)
    assert ("R4C-CFG-017", f"defaults.retry.retry-on: {line}") == (found.code, found.line)


@pytest.mark.parametrize(
    ("inherited", "own", "dropped"),
    [
        ("ConnectionError, KeyError", "ValueError", "'ConnectionError' and 'KeyError'"),
        ("ConnectionError, KeyError", "OSError", "'KeyError'"),
        ("ConnectionError", "Exception", None),
        ("ConnectionError", "ConnectionError, KeyError", None),
        ("acme.errors.Broken", "KeyError", None),
        ("ConnectionError", "acme.errors.Broken", "'ConnectionError'"),
    ],
)
def test_lists(inherited: str, own: str, dropped: str | None) -> None:
    """Types that are lost for certain."""
    lines = [
        f"resilience4cata.configs.a.retry.retry-on={inherited}",
        "resilience4cata.configs.b.extends=a",
        f"resilience4cata.configs.b.retry.retry-on={own}",
    ]
    found = diagnostics(of(*lines))
    expected = [] if dropped is None else [f"this list replaces the inherited one and drops {dropped}"]
    assert expected == [d.message for d in found]
    assert all(d.at.line == 3 and d.related[0].at.line == 1 for d in found)


def test_lists_through_a_template_between() -> None:
    """The nearest list above counts; a circle is told elsewhere."""
    base = [f"resilience4cata.configs.{name}.extends={parent}" for name, parent in (("b", "a"), ("c", "b"))]
    lines = [
        *base,
        "resilience4cata.configs.a.retry.retry-on=OSError",
        "resilience4cata.configs.c.retry.retry-on=KeyError",
    ]
    assert ["configs.c.retry.retry-on"] == [d.subject for d in diagnostics(of(*lines))]
    circle = ["resilience4cata.configs.a.extends=c"]
    assert [] == [d for d in diagnostics(of(*circle, *lines)) if d.code == "R4C-CFG-019"]


def test_budgets() -> None:
    """In files and in code; one key of a budget defines it; silent where a source is not known."""
    lines = ("resilience4cata.budgets.partners.percent=20", "resilience4cata.defaults.retry.budget=partnrs")
    (found,) = diagnostics(of(*lines))
    assert ("R4C-CFG-020", ("partners",), "a.properties:2:39") == (found.code, found.suggestions, found.place)
    assert [] == diagnostics(of(lines[0], "resilience4cata.defaults.retry.budget=partners"))
    assert [] == diagnostics(of(*lines, known=False))
    (found,) = diagnostics(of("resilience4cata.defaults.retry.budget=x"))
    assert "define it in a configuration file: budgets.x.percent" == found.help


def test_a_template_in_code_counts() -> None:
    """The list of a template in code is one like any other."""
    error = Ref("builtins.KeyError", True, ("builtins.KeyError", "builtins.Exception"))
    slot = Slot((error,), At("app.py", 3, 5))
    template = Template("a", At("app.py", 3, 1), (replace(policy("retry"), slots={"retry_on": slot}),))
    lines = ["resilience4cata.configs.b.extends=a", "resilience4cata.configs.b.retry.retry-on=ValueError"]
    within = of(*lines)
    (found,) = diagnostics(replace(within, templates=(template, *within.templates)))
    assert [("app.py", 3)] == [(r.at.source, r.at.line) for r in found.related]
