"""IN: names of instances, and what shares one."""

import pytest

from resilience4cata import rules
from resilience4cata.diagnostics import FRONT_ENDS, Context, Diagnostic, printable
from resilience4cata.facts import UNKNOWN, At, Declaration, Element, Project, Ref, Slot, Value, Written
from tests.runtime.config.making import cls, composed, files, function, method, policy, project


def differences(within: Project) -> list[Diagnostic]:
    findings = rules.check([within], Context(FRONT_ENDS["build"], project=within))
    return [f.diagnostic() for f in findings if f.rule.code == "R4C-IN-001"]


def breaker(line: int = 1, **slots: Value) -> Declaration:
    named = {"name": "payments", **slots}
    placed = {key: Slot((value,), At("app.py", line, 10 * i)) for i, (key, value) in enumerate(named.items(), 1)}
    return Declaration("circuit_breaker", placed, At("app.py", line, 2))


def test_differing_settings() -> None:
    """Every differing attribute with both values, at the later place."""
    first = method("a.C.f", breaker(wait_in_open="30s"), line=3)
    second = method("a.D.g", breaker(wait_in_open="60s", failure_rate_threshold=30), line=9)
    (found,) = differences(project(second, first))
    assert (
        'app.py:9:2: error: [R4C-IN-001] @circuit_breaker(name="payments") on a.D.g:\n'
        "    instance 'payments' has other settings on a.C.f: failure_rate_threshold is 30 here and 50 there; "
        'wait_in_open is "60s" here and "30s" there\n'
        "    give each its own name, or the same settings\n"
        "    app.py:3:2: 'payments' is also used here"
    ) == found.text


def test_each_later_use() -> None:
    """All are compared with the first."""
    uses = [method(f"a.C.m{n}", breaker(window_size=size), line=n) for n, size in ((1, 10), (2, 20), (3, 10), (4, 30))]
    assert [2, 4] == [d.at.line for d in differences(project(*uses))]


BROKEN = Ref("acme.Broken", True, ("acme.Broken", "builtins.Exception", "builtins.BaseException", "builtins.object"))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (breaker(wait_in_open="60s"), breaker(wait_in_open="1m")),
        (breaker(wait_in_open="60s"), breaker()),
        (breaker(window_size=5, minimum_calls=5), breaker(window_size=5)),
        (breaker(failure_rate_threshold=50.0), breaker(failure_rate_threshold=50)),
        (breaker(wait_in_open=UNKNOWN), breaker(wait_in_open="1s")),
        (breaker(record_on=BROKEN), breaker(record_on=Ref("acme.errors.Alias"))),
        (breaker(config=UNKNOWN), breaker(wait_in_open="1s")),
        (breaker(config="nowhere"), breaker(wait_in_open="1s")),
        (policy("circuit_breaker", name="payments", closed=False), breaker(wait_in_open="1s")),
        (policy("circuit_breaker", name="other", wait_in_open="1s"), breaker()),
        (policy("circuit_breaker", name=UNKNOWN, wait_in_open="1s"), breaker()),
        (policy("circuit_breaker", wait_in_open="1s"), breaker()),
        (policy("retry", name="payments", delay="1s"), breaker()),
        (policy("timeout", value="1s"), policy("timeout", value="2s")),
    ],
)
def test_nothing_to_say(left: Declaration, right: Declaration) -> None:
    """Equal however spelled, not known, or not one instance."""
    assert [] == differences(project(method("a.C.f", left, line=1), method("a.C.g", right, line=5)))


def test_defaults_that_follow_are_not_listed() -> None:
    """Where the window differs, the minimum that follows from it is no difference of its own."""
    (found,) = differences(
        project(method("a.C.f", breaker(window_size=5), line=1), method("a.C.g", breaker(window_size=50), line=5))
    )
    assert "instance 'payments' has other settings on a.C.f: window_size is 50 here and 5 there" == found.message


def test_files_decide_too() -> None:
    """Templates, defaults and profiles count, instance keys reach both."""
    first, second = method("a.C.f", breaker(config="x"), line=1), method("a.C.g", breaker(window_size=20), line=5)
    text = "[resilience4cata.configs.x.circuit-breaker]\nwindow-size=20\n"
    assert [] == differences(project(first, second, sources=files(a_toml=text)))
    other = text.replace("20", "30")
    (found,) = differences(project(first, second, sources=files(a_toml=other)))
    assert found.message.endswith("window_size is 20 here and 30 there")
    instance = other + "[resilience4cata.instances.payments.circuit-breaker]\nwindow-size=7"
    assert [] == differences(project(first, second, sources=files(a_toml=instance)))
    profile = "[resilience4cata.profiles.p.configs.x.circuit-breaker]\nwindow-size=9\n"
    profile = f"{text}{profile}[resilience4cata]\nprofiles.active='p'"
    (found,) = differences(project(first, second, sources=files(a_toml=profile)))
    assert found.message.endswith("window_size is 20 here and 9 there")


def test_unknown_sources() -> None:
    """What both write is compared, what only one writes is not."""
    first, second = method("a.C.f", breaker(window_size=5), line=1), method("a.C.g", breaker(window_size=6), line=5)
    assert 1 == len(differences(project(first, second, known=False)))
    third = method("a.C.g", breaker(), line=5)
    assert [] == differences(project(first, third, known=False))


def test_composed_policies() -> None:
    """One bundle with a name is one instance; what a user changes beside it differs."""
    bundle = composed("bundle", breaker(window_size=5))
    first, second = method("a.C.f", bundle, line=1), method("a.C.g", bundle, line=3)
    third = method("a.C.h", bundle, policy("circuit_breaker", window_size=6), line=5)
    assert [] == differences(project(first, second))
    (found,) = differences(project(first, second, third))
    assert ("@bundle on a.C.h", 5) == (found.subject, found.at.line)
    fourth = method("a.D.h", composed("outer", bundle, policy("circuit_breaker", window_size=7)), line=7)
    (found,) = differences(project(first, fourth))
    assert ("@outer on a.D.h", 7) == (found.subject, found.at.line)


def test_classes() -> None:
    """A class stands for its methods without policies of their own, if it has any."""
    method_of = method("a.C.m", policy("circuit_breaker", window_size=6), line=8)
    alone = cls("a.C", breaker(window_size=5), line=1, methods=("m",))
    assert [] == differences(project(alone, method_of))
    among = cls("a.C", breaker(window_size=5), line=1, methods=("m", "n"))
    (found,) = differences(project(among, method_of))
    assert ("@circuit_breaker() on a.C.m", 8) == (found.subject, found.at.line)
    unknown = cls("a.C", breaker(window_size=5), line=1, methods=UNKNOWN)
    assert [] == differences(project(unknown, method_of))
    bulkhead = method("a.C.m", policy("bulkhead"), line=8)
    other = method("a.D.m", breaker(window_size=7), line=20)
    (found,) = differences(project(alone, bulkhead, other))
    assert "instance 'payments' has other settings on a.C.m: window_size is 7 here and 5 there" == found.message


def test_inherited_classes() -> None:
    """The decorator that brings the name may stand on a base."""
    base = cls("a.B", breaker(window_size=5), line=1, methods=("x",))
    sub = cls("a.C", policy("bulkhead"), line=5, bases=("a.B",), methods=("y",))
    element = method("a.C.m", policy("circuit_breaker", window_size=6), line=8, bases=("a.B",))
    private = method("a.D.m", policy("bulkhead"), line=10, bases=("a.B",))
    assert [] == differences(project(base, sub, private))
    (found,) = differences(project(base, sub, element))
    assert "@circuit_breaker() on a.C.m" == found.subject
    other = cls("a.E", policy("circuit_breaker", window_size=7), line=12, bases=("a.B",), methods=("z",))
    (found,) = differences(project(base, other))
    assert ("@circuit_breaker() on a.E", 12) == (found.subject, found.at.line)


@pytest.mark.parametrize(
    "elements",
    [
        (method("a.C.f", breaker(window_size=5), line=1), method("a.C.f", breaker(window_size=6), line=5)),
        (
            function("a.x.<locals>.f", breaker(window_size=5), line=1),
            function("a.y.<locals>.f", breaker(window_size=6), line=5),
        ),
        (
            method("a.B.f", breaker(window_size=5), line=1, abstract=True),
            method("a.C.f", policy("circuit_breaker", window_size=6), line=5, bases=("a.B",)),
        ),
    ],
)
def test_what_never_meets(elements: tuple[Element, ...]) -> None:
    """Two definitions of one name, locals of two functions, and an abstract method with its implementation."""
    assert [] == differences(project(*elements))


def name_of(*values: Value, policy_name: str = "bulkhead", certain: bool = True) -> list[Diagnostic]:
    slots = {"name": Slot(values, At("app.py", 3, 9), certain)}
    written = Written(Declaration(policy_name, slots, At("app.py", 3, 2)), element="a.f")
    within = project()
    findings = rules.check([written], Context(FRONT_ENDS["mypy"], project=within))
    return [f.diagnostic() for f in findings if f.rule.code == "R4C-IN-002"]


@pytest.mark.parametrize(
    ("name", "shown", "suggestions"),
    [
        ("", '""', ()),
        (" ", '" "', ()),
        (" pay", '" pay"', ("pay",)),
        ("pay\n", '"pay\\n"', ()),
        (".pay.", '".pay."', ("pay",)),
        (" default ", '" default "', ()),
        ("a/b", '"a/b"', ()),
        ("payment_provider", '"payment_provider"', ("payment-provider",)),
        ("paymentProvider", '"paymentProvider"', ("payment-provider",)),
        ("acme.payments.v2", '"acme.payments.v2"', ("acme-payments-v2",)),
        ("Zahlungen-\u00e4", '"Zahlungen-\u00e4"', ()),
    ],
)
def test_malformed_names(name: str, shown: str, suggestions: tuple[str, ...]) -> None:
    """The repaired name is suggested if that is certain, else the form is shown."""
    (found,) = name_of(name)
    assert (f"malformed instance name '{printable(name)}'", suggestions) == (found.message, found.suggestions)
    assert (f"@bulkhead(name={shown}) on a.f", "app.py:3:9") == (found.subject, found.place)
    assert ("" if suggestions else "lower-case letters and digits, words joined by '-'") == found.expected


def test_a_reserved_name() -> None:
    """It is well formed, so nothing could be repaired."""
    (found,) = name_of("default")
    assert ("the instance name 'default' is reserved", "", ()) == (found.message, found.expected, found.suggestions)


@pytest.mark.parametrize(
    "found",
    [
        name_of("payments"),
        name_of("payments-2"),
        name_of("defaults"),
        name_of("default", "payments"),
        name_of("default", certain=False),
        name_of(UNKNOWN),
        name_of(3),
        name_of("default", policy_name="timeout"),
    ],
)
def test_fine_names(found: list[Diagnostic]) -> None:
    """Anything else may be a name."""
    assert [] == found
