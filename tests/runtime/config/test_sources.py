"""Reading whole files and other sources: nothing ever raises."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resilience4cata.config.sources import (
    ConfigSource,
    ConfigSources,
    FileSource,
    load,
    read,
    variable_of,
)
from resilience4cata.config.tree import templates_of
from resilience4cata.facts import (
    NOWHERE,
    At,
    Broken,
    ConfigFile,
    Declaration,
    Items,
    Ref,
    Repeated,
    Setting,
    Slot,
    Template,
)

NAMES = st.sampled_from(["a.toml", "a.properties", "pyproject.toml"])


@given(NAMES, st.binary(max_size=200))
@example("a.toml", b"[resilience4cata]\nx = " + b"[" * 20_000)
@example("a.toml", b"resilience4cata = " + b"9" * 5000)
@example("a.toml", b"a = 1979-99-99")
@example("a.toml", b'a = "\\ud800"')
@example("a.properties", b"resilience4cata.\\ud800=\\udfff")
def test_any_bytes(path: str, data: bytes) -> None:
    """Whatever the bytes, there is a result, and a broken file has no keys."""
    file = read(path, data)
    assert path == file.source
    assert not (file.broken and file.keys)


FRAGMENTS = [
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "\r\n",
    " ",
    "#",
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    "\\u0041",
    ":",
    "/",
]
WORDS = [
    "resilience4cata",
    "tool",
    "configs",
    "profiles",
    "instances",
    "external",
    "retry",
    "delay",
    "extends",
    "1s",
    "1",
]


@given(NAMES, st.lists(st.sampled_from(FRAGMENTS + WORDS), max_size=25).map("".join))
def test_any_text(path: str, text: str) -> None:
    """The same for texts that are nearly right."""
    file = read(path, text.encode())
    assert file.broken is None or file.keys == ()
    list(templates_of([file]))


@pytest.mark.parametrize(
    ("path", "data", "line", "column", "reason"),
    [
        ("a.toml", b"a = 1\nb = ", 2, 5, "invalid value"),
        ("a.toml", b"a = 1\nb", 2, 2, "expected '=' after a key in a key/value pair"),
        ("a.toml", b"a = 1\r\nb = 1 c\r\n", 2, 7, "expected newline or end of document after a statement"),
        ("a.toml", b"# \xc3\xa4\n\xc3\xa4\xff", 2, 2, "not UTF-8: byte 0xff"),
        ("a.toml", b"\xef\xbb\xbf\xe4", 1, 1, "not UTF-8: byte 0xe4"),
        ("a.properties", b"a=1\nb=\xe4", 2, 3, "not UTF-8: byte 0xe4"),
        ("a.properties", b"a=1\n b=\\u12", 2, 4, "malformed \\uXXXX escape"),
        ("a.toml", b"\xff\xfea\x00", 1, 1, "not UTF-8: byte 0xff"),
        ("a.toml", b"a = " + b"[" * 50_000, 1, 1, "arrays or tables are nested too deeply"),
    ],
)
def test_broken(path: str, data: bytes, line: int, column: int, reason: str) -> None:
    """Why, at which line and column."""
    expected = Broken(At(path, line, column, line, column + 1), reason)
    assert ConfigFile(path, broken=expected) == read(path, data)


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_ends(start: bytes, end: bytes) -> None:
    """Neither changes a value or a place."""
    text = start + b"# x" + end + b"[resilience4cata.defaults]" + end + b"retry.delay = '1s'" + end
    (key,) = read("a.toml", text).keys
    assert ("1s", At("a.toml", 3, 7, 3, 12), At("a.toml", 3, 15, 3, 19)) == (key.value, key.at, key.value_at)
    text = start + b"# x" + end + b"resilience4cata.defaults.retry.delay=1s" + end
    (key,) = read("a.properties", text).keys
    assert ("1s", At("a.properties", 2, 1, 2, 37)) == (key.value, key.at)


def test_repeated_in_properties() -> None:
    """Ours are told, others are nobody's business; escapes do not hide them, and the last value counts."""
    file = read("a.properties", b"x=1\nx=2\nresilience4cata.enabled=true\nresilience4cata.\\u0065nabled=false")
    assert (Repeated("enabled", At("a.properties", 4, 1, 4, 29), At("a.properties", 3, 1, 3, 24)),) == file.repeated
    assert [True, False] == [key.value for key in file.keys]


def test_repeated_in_toml() -> None:
    """tomllib refuses the file; what is reported is the repetition, and the keys are there."""
    file = read(
        "a.toml", b"[resilience4cata.defaults]\nretry.delay = '1s'\nretry.'delay' = '2s'\nretry.max-attempts = 2"
    )
    assert file.broken is None
    repeated = Repeated("defaults.retry.delay", At("a.toml", 3, 7, 3, 14), At("a.toml", 2, 7, 2, 12))
    assert (repeated,) == file.repeated
    assert ["1s", "2s", 2] == [key.value for key in file.keys]


def test_repeated_and_broken() -> None:
    """A fault beside the repetition is told too."""
    file = read("a.toml", b"a = 1\na = 2\nb.c = 1\nb = 2\n")
    assert ["a"] == [repeated.key for repeated in file.repeated]
    assert file.broken is not None
    assert (4, "cannot overwrite a value") == (file.broken.at.line, file.broken.reason)


def test_repeated_elsewhere_in_toml() -> None:
    """A repeated key of somebody else's keeps our part of the file from being read."""
    file = read(
        "pyproject.toml", b"[project]\nname = 'a'\nname = 'b'\n[tool.resilience4cata]\nstrict = true\nstrict = true"
    )
    assert ["project.name", "strict"] == [repeated.key for repeated in file.repeated]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are shown relative to the working folder; a file is read each time."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "r.toml"
    path.write_text("[resilience4cata]\nstrict = true\n", encoding="utf-8")
    source = FileSource(path)
    assert isinstance(source, ConfigSource)
    assert ["sub/r.toml"] == [key.at.source for key in load(source).keys]
    path.write_text("", encoding="utf-8")
    assert ConfigFile("sub/r.toml") == load(ConfigSources.file("sub/r.toml")) == load(source)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, a folder, no path at all: broken, not raised."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "y.toml").write_text("", encoding="utf-8")
    missing = load(FileSource("x.toml"))
    assert ConfigFile("x.toml", broken=Broken(At("x.toml"), "does not exist", True, ("y.toml",))) == missing
    assert load(FileSource(tmp_path)).broken is not None
    assert load(FileSource("a\0b")).broken is not None
    assert (tmp_path.parent / "y.toml").as_posix() == load(FileSource(tmp_path.parent / "y.toml")).source


def test_a_source_that_fails() -> None:
    """Somebody's own source may raise anything."""

    class Remote:
        def load(self) -> ConfigFile:
            msg = "no route"
            raise ConnectionError(msg)

    expected = ConfigFile("Remote", broken=Broken(At("Remote"), "cannot be loaded: ConnectionError: no route"))
    assert expected == load(Remote())


def test_variable_of() -> None:
    """Upper case, everything else an underscore."""
    assert "RESILIENCE4CATA_INSTANCES_A_B_M_X__" == variable_of("resilience4cata.instances.a.b#m/x.\u00e4")


TEMPLATES = b"""
[resilience4cata.configs.external]
extends = "base"
retry = { delay = "100ms", retry-on = ["OSError"] }
timeout.value = "2s"

[resilience4cata.configs.empty]
[resilience4cata.profiles.prod.configs.external.retry]
delay = "1s"
[resilience4cata.configs.bad]
extends = 3
"""


def test_templates_of_toml() -> None:
    """One for each profile and name, with a declaration for each policy; an empty table is a template too."""
    external, empty, prod, bad = templates_of([read("a.toml", TEMPLATES)])
    os_error = Ref("builtins.OSError", True, tuple(f"builtins.{c.__name__}" for c in OSError.__mro__))
    retry = Declaration(
        "retry",
        {
            "delay": Slot(("100ms",), At("a.toml", 4, 19, 4, 26)),
            "retry_on": Slot((Items((os_error,)),), At("a.toml", 4, 39, 4, 50)),
        },
        At("a.toml", 4, 1, 4, 6),
    )
    timeout = Declaration("timeout", {"value": Slot(("2s",), At("a.toml", 5, 17, 5, 21))}, At("a.toml", 5, 1, 5, 8))
    name_at, extends_at = At("a.toml", 2, 26, 2, 34), At("a.toml", 3, 11, 3, 17)
    assert Template("external", name_at, (retry, timeout), "base", extends_at) == external
    assert Template("empty", At("a.toml", 7, 26, 7, 31)) == empty
    assert ("external", "prod", At("a.toml", 8, 40, 8, 48)) == (prod.name, prod.profile, prod.at)
    assert ("bad", None, NOWHERE) == (bad.name, bad.extends, bad.extends_at)


def test_templates_of_properties() -> None:
    """The same from lines, in the order in which names first appear; text has become what attributes ask for."""
    file = read(
        "a.properties",
        b"resilience4cata.configs.b.retry.max-attempts=4\n"
        b"resilience4cata.configs.a.extends=b\n"
        b"resilience4cata.configs.b.retry.retry-on=A, x.B\n"
        b"resilience4cata.configs.Bad.Name.retry.delay=1s\n"
        b"resilience4cata.defaults.retry.delay=1s\n",
    )
    first, second, third = templates_of([file, read("b.toml", b"")])
    values = {name: slot.value for name, slot in first.declarations[0].slots.items()}
    assert {"max_attempts": 4, "retry_on": Items((Ref("A"), Ref("x.B")))} == values
    assert ("b", At("a.properties", 1, 25, 1, 26)) == (first.name, first.at)
    assert ("a", "b", At("a.properties", 2, 35, 2, 36)) == (second.name, second.extends, second.extends_at)
    assert ("Bad.Name", At("a.properties", 4, 25, 4, 33)) == (third.name, third.at)


def test_a_setting_twice() -> None:
    """Of two values the later counts."""
    file = read("a.properties", b"resilience4cata.configs.a.retry.delay=1s\nresilience4cata.configs.a.retry.delay=2s")
    (template,) = templates_of([file])
    assert "2s" == template.declarations[0].value("delay")
    assert all(isinstance(key.meaning, Setting) for key in file.keys)
