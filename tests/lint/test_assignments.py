"""Environment variables of ours in files of others, with their places."""

import pytest

from resilience4cata.facts import UNKNOWN
from resilience4cata_lint.assignments import assignments

P = "RESILIENCE4CATA_"


def read(path: str, text: str) -> list[str]:
    """Each variable as `line:column name = value @line:column-end`; what is not known is shown as `?`."""
    found = assignments(path, text.encode())
    return [
        f"{a.at.line}:{a.at.column} {a.name.removeprefix(P)} = {'?' if a.value is UNKNOWN else a.value} "
        f"@{a.value_at.line}:{a.value_at.column}-{a.value_at.end_column}"
        for a in found
    ]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"{P}A=1s", "1:1 A = 1s @1:19-21"),
        (f"export {P}A=1s", "1:8 A = 1s @1:26-28"),
        (f"  {P}A = 1s  # why", "1:3 A = 1s @1:23-25"),
        (f"{P}A=a#b", "1:1 A = a#b @1:19-22"),
        (f"{P}A='1 s' # why", "1:1 A = 1 s @1:19-24"),
        (f'{P}A="1s"', "1:1 A = 1s @1:19-23"),
        (f"{P}A=", "1:1 A =  @1:19-19"),
        (f"{P}A= # nothing", "1:1 A =  @1:20-20"),
        (f"{P}A", "1:1 A = ? @1:1-18"),
        (f"{P}A=${{DELAY:-1s}}", "1:1 A = ? @1:19-31"),
        (f'{P}A="goes on', "1:1 A = ? @1:19-27"),
        (f'{P}A="a\\"b"', "1:1 A = ? @1:19-25"),
    ],
)
def test_line(line: str, shown: str) -> None:
    """A line of a `.env` file."""
    assert [shown] == read(".env", line)


@pytest.mark.parametrize("line", [f"# {P}A=1s", "OTHER=1", f"X_{P}A=1", f"echo {P}A=1s", ""])
def test_other_line(line: str) -> None:
    """Comments, commands and variables of others are none of ours."""
    assert [] == read(".env", line)


def test_line_ends_and_marks() -> None:
    """A byte order mark and the line ends of Windows move nothing."""
    assert ["1:1 A = 1s @1:19-21", "2:1 B = 2s @2:19-21"] == read(".env", f"\ufeff{P}A=1s\r\n{P}B=2s\r\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"environment:\n  {P}A: 1s\n", "2:3 A = 1s @2:22-24"),
        (f"env: {{{P}A: '1s'}}\n", "1:7 A = 1s @1:26-30"),
        (f"env:\n  {P}A: true\n", "2:3 A = true @2:22-26"),
        (f"data:\n  {P}A: ''\n", "2:3 A =  @2:22-24"),
        (f"environment:\n  {P}A:\n", "2:3 A = ? @2:3-20"),
        (f"environment:\n- {P}A=1s\n", "2:3 A = 1s @2:21-23"),
        (f'environment:\n- "{P}A=1s"\n', "2:4 A = 1s @2:22-24"),
        (f"environment:\n- {P}A\n", "2:3 A = ? @2:21-20"),
        (f"env:\n- name: {P}A\n  value: 1s\n", "2:9 A = 1s @3:10-12"),
        (f"env:\n- value: 1s\n  name: {P}A\n", "3:9 A = 1s @2:10-12"),
        (f"env:\n- name: {P}A\n  valueFrom:\n    secretKeyRef: {{name: x}}\n", "2:9 A = ? @2:9-26"),
        (f"variables:\n  {P}A:\n    value: 1s\n    description: why\n", "2:3 A = 1s @3:12-14"),
        (f"env:\n  {P}A: ${{{{ vars.DELAY }}}}\n", "2:3 A = ? @2:22-39"),
        (f"env:\n  {P}A: {{{{ .Values.delay | quote }}}}\n", "2:3 A = ? @2:22-49"),
        (f"env:\n  {P}A: [1s]\n", "2:3 A = ? @2:3-20"),
        (f"a: !reference [x]\nenv:\n  {P}A: 1s\n", "3:3 A = 1s @3:22-24"),
    ],
)
def test_yaml(text: str, shown: str) -> None:
    """The forms of compose files, workflows, manifests and pipelines."""
    assert [shown] == read("x.yaml", text)


def test_levels_of_a_workflow() -> None:
    """Variables of the workflow, of a job and of a step."""
    text = (
        f"on: push\nenv:\n  {P}A: 1s\njobs:\n  test:\n    env:\n      {P}B: 2s\n"
        f"    steps:\n    - run: x\n      env:\n        {P}C: 3s\n"
    )
    assert ["3:3 A = 1s @3:22-24", "7:7 B = 2s @7:26-28", "11:9 C = 3s @11:28-30"] == read("ci.yml", text)


def test_anchors() -> None:
    """What an anchor holds stands where the anchor stands, once; an anchor may hold itself."""
    services = "services:\n  a:\n    environment:\n      <<: *env\n  b:\n    environment: *env\n"
    text = f"x: &env\n  {P}A: 1s\n  self: *env\n{services}"
    assert ["2:3 A = 1s @2:22-24"] == read("compose.yaml", text)


def test_several_documents() -> None:
    """A file of manifests."""
    text = f"data:\n  {P}A: 1s\n---\n---\ndata:\n  {P}B: 2s\n"
    assert ["2:3 A = 1s @2:22-24", "6:3 B = 2s @6:22-24"] == read("all.yaml", text)


def test_chart() -> None:
    """Templates alone on a line are left out, those within one stand for a value."""
    text = (
        "{{- if .Values.on }}\nname: {{ .Release.Name }}-x\nenv:\n"
        f"  {P}A: 1s\n  {{{{- toYaml .Values.more | nindent 2 }}}}\n"
        f'  {P}B: "{{{{ .Values.b }}}}s"\n{{{{- end }}}}\n'
    )
    assert ["4:3 A = 1s @4:22-24", "6:3 B = ? @6:22-40"] == read("templates/app.yaml", text)


@pytest.mark.parametrize(
    "text",
    [
        f"a: [{P}A",
        f"run: {P}A=1s app\n",
        f"command: [sh, -c, {P}A=1s app]\n",
        f"env: {P}A=1s\n",
        f"# {P}A: 1\n",
        "\x00",
    ],
)
def test_yaml_that_sets_nothing(text: str) -> None:
    """Broken files, commands and comments."""
    assert [] == read("x.yaml", text)
