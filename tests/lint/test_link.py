"""What rules get to look at: each policy once, where it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from resilience4cata import Resilience
from resilience4cata.diagnostics import FRONT_ENDS, Context
from resilience4cata.facts import (
    NOWHERE,
    UNKNOWN,
    Application,
    Applied,
    At,
    Composed,
    ConfigFile,
    Declaration,
    Element,
    NotAPolicy,
    Template,
    Written,
)
from resilience4cata.rules import check
from resilience4cata_lint.extract import extract
from resilience4cata_lint.link import Linked, link
from resilience4cata_lint.symbols import FileFacts
from resilience4cata_lint.values import BUILDER_METHODS

from .linking import IMPORTS, composed, element, linked, written

ROOT = Path(__file__).parents[2]


def views(text: str) -> list[str]:
    """Each view in short: elements by id, policies by their name, line, and what they stand on or in."""
    return [short(view) for view in linked(f"{IMPORTS}{text}").views]


def short(view: object) -> str:
    if isinstance(view, Element):
        return f"element {view.definition.id}"
    if isinstance(view, Composed):
        return f"{view.title}:{view.at.line} as {view.variable}"
    if isinstance(view, Application):
        return f"applied at line {view.applied.at.line} to {view.target!r}"
    assert isinstance(view, Written)
    declaration = view.declaration
    return f"{declaration.policy}:{declaration.at.line} on={view.element} in={view.within}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@retry()\ndef f(): ...", ["element acme.app.f", "retry:2 on=acme.app.f in="]),
        ("@retry\ndef f(): ...", ["element acme.app.f", "retry:2 on=acme.app.f in="]),
        ("def f(): ...", []),
        ("@other\ndef f(): ...", []),
        (
            "shared = retry()\n@shared\ndef f(): ...\n@shared\ndef g(): ...",
            ["element acme.app.f", "element acme.app.g", "retry:2 on= in="],
        ),
        (
            "all = resilience_policy('all', retry(),\n timeout('1s'))\n@all\ndef f(): ...",
            [
                "element acme.app.f",
                'resilience_policy("all"):2 as acme.app.all',
                'retry:2 on= in=resilience_policy("all")',
                'timeout:3 on= in=resilience_policy("all")',
            ],
        ),
        (
            "@resilience_policy('all', retry())\ndef f(): ...",
            ["element acme.app.f", 'resilience_policy("all"):2 as None', 'retry:2 on= in=resilience_policy("all")'],
        ),
        (
            "a = resilience_policy('a', resilience_policy('b', retry()), hedge())",
            [
                'resilience_policy("a"):2 as acme.app.a',
                'resilience_policy("b"):2 as None',
                'retry:2 on= in=resilience_policy("b")',
                'hedge:2 on= in=resilience_policy("a")',
            ],
        ),
        ("x = [retry(),\n{'a': timeout('1s')}]", ["retry:2 on= in=", "timeout:3 on= in="]),
        ("print(retry())", ["retry:2 on= in="]),
        ("def make():\n    return retry()", ["retry:3 on= in="]),
        ("guarded = retry()(f)", ["retry:2 on= in=", "applied at line 2 to UNKNOWN"]),
        ("@wrap(retry())\ndef f(): ...", ["retry:2 on= in="]),
        ("f = lambda: retry()", ["retry:2 on= in="]),
        ("f = [retry(delay=x) for x in y]", ["retry:2 on= in="]),
        ("f = lambda retry: retry()", []),
        ("f = [retry() for retry in x]", []),
        ("p = resilience.pipeline('payments', retry(), timeout('1s'))", ["retry:2 on= in=", "timeout:2 on= in="]),
        (
            "resilience_policy(name, *[retry()])",
            ["resilience_policy(...):2 as None", "retry:2 on= in=resilience_policy(...)"],
        ),
        ("class C:\n    slow = resilience_policy('slow')", ['resilience_policy("slow"):3 as acme.app.C.slow']),
        ("a = b = resilience_policy('a')", ['resilience_policy("a"):2 as None']),
        ("a: Final = resilience_policy('a')", ['resilience_policy("a"):2 as acme.app.a']),
    ],
)
def test_views(text: str, expected: list[str]) -> None:
    """Every policy is seen once, with what it stands on or within."""
    assert expected == views(text)


def test_methods_and_classes() -> None:
    """A class has its own body as scope for its methods, and stands in its module."""
    text = f"{IMPORTS}@retry()\nclass C:\n    @timeout('1s')\n    def f(self): ...\n"
    project = linked(text)
    cls, method = element(project, "acme.app.C"), element(project, "C.f")
    assert ["acme.app", "acme.app.C"] == [cls.scope.id, cls.body.id if cls.body else ""]
    assert ("acme.app.C", True, None) == (method.scope.id, method.scope.is_class, method.body)
    assert (cls, method) == project.project.elements


def test_without_parentheses() -> None:
    """The parentheses that are missing are a fact, not a guess."""
    (use,) = element(linked(f"{IMPORTS}@retry\ndef f(): ...\n"), "f").policies
    at = At("acme/app.py", 2, 2, 2, 7)
    assert Applied(Declaration("retry", {}, at, called=False), at) == use


def test_composed_policies_called_again() -> None:
    """Calling a composed policy is seen; calling it on something is not ours."""
    text = f"{IMPORTS}all = resilience_policy('all')\n@all()\ndef f(): ...\n@all(1)\ndef g(): ...\n"
    project = linked(text)
    (use,) = element(project, "f").policies
    assert (True, At("acme/app.py", 3, 2, 3, 7)) == (use.called_again, use.at)
    assert ["acme.app.f"] == [e.definition.id for e in project.project.elements]


def test_members() -> None:
    """Members in their order: policies, composed policies, what is certainly none, and what nobody knows."""
    text = (
        f"{IMPORTS}from other import thing\nimport acme.app\nshared = hedge()\ninner = resilience_policy('inner')\n"
        "def function(): ...\nclass Own: ...\n"
        "all = resilience_policy('all', retry(), shared, inner, '2s', 5, retry, function, Own, print, thing, make(),"
        " x if y else z)\n"
    )
    found = next(c for c in composed(linked(text)) if c.name.value == "all")
    members = [
        m.policy if isinstance(m, Declaration) else m.text if isinstance(m, NotAPolicy) else m for m in found.members
    ]
    inner = found.members[2]
    assert isinstance(inner, Composed)
    expected = ["retry", "hedge", inner, '"2s"', "5", "retry", "function", "Own", "print", UNKNOWN, UNKNOWN, UNKNOWN]
    assert expected == members
    assert found.closed


def test_open_members() -> None:
    """`*members` leaves a composed policy open."""
    (found,) = composed(linked(f"{IMPORTS}all = resilience_policy('all', retry(), *more)\n"))
    assert (False, UNKNOWN) == (found.closed, found.members[1])


def test_name_of_a_composed_policy() -> None:
    """The name is a slot with its place, also when it is a constant."""
    (found,) = composed(linked(f"{IMPORTS}NAME = 'x'\nall = resilience_policy(NAME)\n"))
    assert (("x",), At("acme/app.py", 3, 25, 3, 29)) == (found.name.values, found.name.at)
    (found,) = composed(linked(f"{IMPORTS}all = resilience_policy()\n"))
    assert ((UNKNOWN,), NOWHERE, ()) == (found.name.values, found.name.at, found.members)


def test_a_policy_that_contains_itself() -> None:
    """A name that is bound later is not known yet."""
    (found,) = composed(linked(f"{IMPORTS}all = resilience_policy('all', all)\n"))
    assert 1 == len(found.members)


def test_files_that_only_the_loader_finds_are_not_reported_on() -> None:
    """Their policies are known and not judged."""
    project = linked(
        {"acme.app": "from acme.x import shared\n@shared\ndef f(): ...\n"},
        beside={"acme.x": f"{IMPORTS}shared = resilience_policy('x', retry(delay='1x'))\n"},
    )
    assert ["element acme.app.f"] == [short(view) for view in project.views]
    (use,) = element(project, "f").policies
    assert isinstance(use.policy, Composed)
    assert "acme/x.py" == use.policy.at.source


def test_each_file_is_looked_at_once() -> None:
    """A policy that several files use is judged in its own."""
    project = linked(
        {
            "acme.app": "from acme.x import shared\n@shared\ndef f(): ...\n",
            "acme.b": "from acme.x import shared\n@shared\ndef g(): ...\n",
            "acme.x": f"{IMPORTS}shared = retry(delay='1x')\n",
        }
    )
    assert ["retry"] == [w.declaration.policy for w in written(project)]


def builder(chain: str, before: str = "") -> Linked:
    return linked(
        f"from resilience4cata import *\nimport resilience4cata as r\n{before}\n"
        f"built = r.Resilience.builder(){chain}.build()\n",
        config_files=(ConfigFile("settings/x.toml"),),
    )


def test_templates() -> None:
    """Templates made in code, with their policies, their parents and places."""
    chain = ".config('external', retry(delay='1s'), timeout('2s')).config('slow', extends='external')"
    project = builder(chain).project
    first, second = project.templates
    assert ("external", None, NOWHERE, At("acme/app.py", 4, 39, 4, 49)) == (
        first.name,
        first.extends,
        first.extends_at,
        first.at,
    )
    assert ["retry", "timeout"] == [d.policy for d in first.declarations]
    assert ("slow", "external") == (second.name, second.extends)
    assert At("acme/app.py", 4, 108, 4, 118) == second.extends_at
    assert project.templates_closed


def test_policies_of_templates() -> None:
    """They stand within their template; other policies given to a builder stand for themselves."""
    project = builder(
        ".config('external', retry()).config(name, hedge()).defaults(timeout('1s')).instance('x', bulkhead())"
    )
    expected = {"retry": 'config("external")', "hedge": "config(...)", "timeout": "", "bulkhead": ""}
    assert expected == {w.declaration.policy: w.within for w in written(project)}
    assert ["timeout"] == [d.policy for d in project.project.defaults]


@pytest.mark.parametrize(
    ("chain", "closed"),
    [
        ("", True),
        (".strict(True).profiles('prod').listener(print)", True),
        (".source(r.ConfigSources.file('x.toml')).source(ConfigSources.environment())", True),
        (".source(ConfigSources.file('settings/x.toml'))", True),
        (".source(ConfigSources.file('y.toml'))", False),
        (".source(ConfigSources.package('acme', 'x.toml'))", False),
        (".source(ConfigSources.file(path))", False),
        (".source(Own())", False),
        (".source(*sources)", False),
        (".config(name, retry())", False),
        (".config()", False),
        (".config('x', **options)", False),
        (".unheard_of()", False),
    ],
)
def test_closed_templates(chain: str, closed: bool) -> None:
    """One part of a chain that cannot be followed may bring any template."""
    assert closed is builder(chain, "from resilience4cata import ConfigSources").project.templates_closed


def test_builders_in_variables_and_elsewhere() -> None:
    """A builder in a variable is followed; one from somewhere else adds templates and leaves them open."""
    text = (
        "from resilience4cata import *\nimport resilience4cata as r\n"
        "b = r.Resilience.builder()\nb.config('x', retry())\nc = b.strict()\n"
        "c.config('y')\n"
    )
    project = linked(text).project
    assert (["x", "y"], True) == ([t.name for t in project.templates], project.templates_closed)
    project = linked(f"{IMPORTS}def setup(b):\n    b.config('x', retry())\n    b.config('y')\n").project
    assert (["x"], False) == ([t.name for t in project.templates], project.templates_closed)


@pytest.mark.parametrize(
    "text",
    [
        f"x = unknown{'.config(1)' * 60}",
        f"x = retry(){'.config(1)' * 60}",
        "a0 = (1,)\n" + "".join(f"a{i + 1} = (*a{i}, *a{i})\n" for i in range(35)) + "x = retry(retry_on=a35)",
        "a0 = (1,)\n" + "".join(f"a{i + 1} = (a{i}, a{i})\n" for i in range(35)) + "x = retry(retry_on=a35)",
        "a0 = 1\n" + "".join(f"a{i + 1} = a{i} if b else (a{i},)\n" for i in range(35)) + "x = retry(retry_on=a35)",
        "a0 = 1\n" + "".join(f"a{i + 1} = {'(' * 70}a{i},{')' * 70}\n" for i in range(35)) + "x = retry(retry_on=a35)",
        "class A0: ...\n"
        + "".join(f"class A{i + 1}(A{i}): ...\n" for i in range(500))
        + "@retry(retry_on=A500)\nclass C(A500): ...",
        f"x = {'resilience_policy(1, ' * 70}{')' * 70}",
    ],
)
def test_what_grows_without_end_is_cut(text: str) -> None:
    """Neither time nor stack is used up by names that stand for more and more."""
    assert linked(f"{IMPORTS}{text}\n").views is not None


def test_every_method_of_the_builder_is_known() -> None:
    """A method that is new to the linter would leave every project's templates open."""
    methods = {name for name, value in vars(type(Resilience.builder())).items() if callable(value) and name[0] != "_"}
    assert set() == methods - BUILDER_METHODS - {"build"}


def test_profiles() -> None:
    """Profiles that code activates are known only if all are."""
    expected = [None, ("a", "b"), None]
    assert expected == [builder(c).project.profiles for c in ("", ".profiles('a', 'b')", ".profiles('a', *more)")]


def test_what_the_caller_knows() -> None:
    """Configuration files and their templates come from outside, and so does whether they are all."""
    template, file = Template("t", NOWHERE), ConfigFile("x.toml")
    project = link([], templates=[template], config_files=[file], closed=False, sources_known=True).project
    assert ((template,), (file,), False, True) == (
        project.templates,
        project.files,
        project.closed,
        project.templates_closed,
    )
    assert not linked("", sources_known=False).project.templates_closed


def shop(folder: Path) -> Iterator[FileFacts]:
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        found = extract(
            path.as_posix(), path.read_bytes(), module.removesuffix(".__init__"), path.name == "__init__.py"
        )
        assert isinstance(found, FileFacts)
        yield found


def test_the_correct_shop_is_clean() -> None:
    """No rule has anything to say about correct code, although everything in it is seen."""
    project = link(list(shop(ROOT / "fixtures/shop/correct")), closed=True, sources_known=False)
    findings = check(project.views, Context(FRONT_ENDS["lint"], project.oracle, project.project))
    assert [] == [finding.diagnostic().text for finding in findings if finding.rule.on_by_default]
    assert 40 < len(project.project.elements)


def test_every_policy_of_the_shop_is_understood() -> None:
    """There is no value in it that would have to stay unknown."""
    project = link(list(shop(ROOT / "fixtures/shop/correct")), closed=True, sources_known=False)
    slots = {w.declaration.at.source: slot for w in written(project) for slot in w.declaration.slots.values()}
    assert [] == [source for source, slot in slots.items() if UNKNOWN in slot.values]
