"""The list of rules on the index pages, made from the catalogue.

`python -m tests.every_rule.lock`, which each new rule needs anyway, writes it too.
"""

from __future__ import annotations

from resilience4cata.diagnostics import Rule, Severity
from resilience4cata.rules import all_rules
from resilience4cata_lint.pages import repairs

from .pages import LANGUAGES, Page

BEGIN, END = "<!-- rules: made from the catalogue, do not edit -->", "<!-- end of rules -->"

FAMILIES = {
    "FB": {
        "en": ("Fallbacks", "Targets that do not exist, do not fit, or can never apply."),
        "es": ("Fallbacks", "Destinos que no existen, no encajan o nunca se aplican."),
    },
    "DU": {
        "en": ("Durations", "Texts that are no duration, lack a unit, or make no sense."),
        "es": ("Duraciones", "Textos que no son una duración, no llevan unidad o no tienen sentido."),
    },
    "VA": {
        "en": ("Attribute values", "Numbers out of range, wrong kinds, bounds that exclude each other."),
        "es": ("Valores de atributos", "Números fuera de rango, otros tipos de valor, límites que se excluyen."),
    },
    "CMP": {
        "en": ("Composed policies", "Members, names, contradictions."),
        "es": ("Políticas compuestas", "Miembros, nombres, contradicciones."),
    },
    "OR": {
        "en": ("Order", "Orders that contradict themselves, or change what the policies mean."),
        "es": ("Orden", "Órdenes que se contradicen o cambian el sentido de las políticas."),
    },
    "LOC": {
        "en": ("Places", "Where a policy guards nothing."),
        "es": ("Lugares", "Dónde una política no protege nada."),
    },
    "CL": {
        "en": ("Classification", "Exception lists that contradict themselves or never match."),
        "es": ("Clasificación", "Listas de excepciones que se contradicen o nunca coinciden."),
    },
    "TB": {
        "en": ("Time budgets", "Spans that leave no room for one another."),
        "es": ("Presupuestos de tiempo", "Lapsos que no se dejan sitio unos a otros."),
    },
    "NE": {
        "en": ("Nesting and bodies", "What functions do inside that defeats their policies."),
        "es": ("Anidamiento y cuerpos", "Lo que las funciones hacen por dentro y anula sus políticas."),
    },
    "AS": {
        "en": ("Asynchronous functions", "Where only the creation of something would be guarded."),
        "es": ("Funciones asíncronas", "Dónde solo se protegería la creación de algo."),
    },
    "CFG": {
        "en": ("Configuration", "Files, keys, templates."),
        "es": ("Configuración", "Archivos, claves, plantillas."),
    },
    "IN": {
        "en": ("Instances", "Named state that is shared."),
        "es": ("Instancias", "Estado con nombre que se comparte."),
    },
    "SUP": {
        "en": ("Suppressions", "Comments that silence findings."),
        "es": ("Supresiones", "Comentarios que silencian hallazgos."),
    },
    "SRC": {
        "en": ("Sources", "Files that cannot be read."),
        "es": ("Fuentes", "Archivos que no se pueden leer."),
    },
}
"""Title and first sentence of each family, in the order of the page."""

_MARKS = {
    "en": {"warning": "warning", "off": "off by default"},
    "es": {"warning": "advertencia", "off": "desactivada de forma predeterminada"},
}


def made(language: str) -> str:
    """The list of all rules by family; families that have none are left out."""
    by_family: dict[str, list[Rule]] = {}
    for code, rule in sorted(all_rules().items()):
        by_family.setdefault(code.split("-")[1], []).append(rule)
    found = []
    for family, words in FAMILIES.items():
        rules = by_family.pop(family, [])
        if rules:
            title, sentence = words[language]
            lines = "".join(_line(rule, language) for rule in rules)
            found.append(f"### {family}: {title}\n\n{sentence}\n\n{lines}")
    assert not by_family, f"families without a title: {', '.join(by_family)}"
    return "\n".join(found)


def _line(rule: Rule, language: str) -> str:
    marks = [_MARKS[language]["warning"]] if rule.severity is Severity.WARNING else []
    marks += [] if rule.on_by_default else [_MARKS[language]["off"]]
    marks += [f"`{option}`" for option in repairs(rule)[:1]]
    mark = f" ({', '.join(marks)})" if marks else ""
    return f"- [{rule.code}](rules/{rule.code}.md): {rule.name}{mark}\n"


def shown(page: Page) -> str:
    """The list that a page has between its markers."""
    return page.text.partition(f"{BEGIN}\n\n")[2].partition(f"\n{END}")[0]


def write() -> None:
    """Write the list into the index of each language."""
    for language in LANGUAGES:
        page = Page(language, "index")
        before, _, rest = page.text.partition(BEGIN)
        after = rest.partition(END)[2]
        page.path.write_text(f"{before}{BEGIN}\n\n{made(language)}\n{END}{after}", encoding="utf-8")
