"""The Spanish pages call each thing by one name."""

import re

import pytest

from .pages import DOCS

TERMS = {
    r"circuit breakers?": "disyuntor",
    r"bulkheads?": "mamparo",
    r"rate limiters?": "limitador de tasa",
    r"slots?": "plaza",
    r"handlers?": "manejador",
    r"listeners?": "oyente",
    r"ficheros?": "archivo",
    r"locks?": "cerrojo",
    r"periodos?": "período",
    r"comandos?": "orden",
    r"tiempos? límite": "timeout",
    r"por omisión|de serie": "por defecto",
    r"verificador(?:es)?": "comprobador de tipos",
    r"canalizaci(?:ón|ones)": "cadena",
    r"lista de (?:permitidos|admisión)": "lista de admitidos",
    r"lista de denegación": "lista de denegados",
    r"presupuestos? de reintento": "presupuesto de reintentos",
    r"variación aleatoria": "jitter",
    r"tuy[oa]s?|tus?|puedes|quieres|tienes": "forma impersonal, o usted",
}
"""What is not to be written, and the word for it."""

_NOT_PROSE = re.compile(
    r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)|^(?:# |- \[)R4C[^\n]*$|^- \[[^\n]*https:[^\n]*$", re.MULTILINE | re.DOTALL
)
PAGES = sorted(DOCS.joinpath("es").rglob("*.md"))


@pytest.mark.parametrize("term", TERMS)
def test_terms_are_the_same_everywhere(term: str) -> None:
    """No page uses another word for what has one; code, and titles of what is linked in lists, are left alone."""
    word = re.compile(rf"\b(?:{term})\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(DOCS)}: {used[0]}, write {TERMS[term]}"
        for path in PAGES
        for used in word.finditer(_NOT_PROSE.sub("", path.read_text(encoding="utf-8")))
    ]
    assert [] == found
