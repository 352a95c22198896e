"""What `r4c describe` says of its own, in English and Spanish.

Settings and their origins are not among it: they read as `Resilience.describe()` prints them, in one language, so that
the two can be compared and searched for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from resilience4cata.config.origin import Doubt, Effective, Given, Layer
from resilience4cata.config.profiles import Choice
from resilience4cata.facts import UNKNOWN, Items, Value
from resilience4cata.rules.words import listed, show

UNKNOWN_WORD: Final = "unknown"
LANGUAGES: Final = ("en", "es")

_DOUBTS: Final[Mapping[Doubt, tuple[str, str]]] = {
    Doubt.OPTIONS: ("**options may set it", "**options puede fijarlo"),
    Doubt.POLICIES: (
        "it may bring policies that cannot be seen",
        "puede aportar políticas que no se ven",
    ),
    Doubt.MEMBERS: ("it may have members that cannot be seen", "puede tener miembros que no se ven"),
    Doubt.NAME: (
        "the name of the composed policy is not known, and keys may tune it",
        "no se sabe cómo se llama la política compuesta, y puede haber claves que la ajusten",
    ),
    Doubt.DISAGREEMENT: ("composed policies disagree on it", "las políticas compuestas no coinciden"),
    Doubt.SOURCE: ("a source that cannot be read may set it", "una fuente que no se puede leer puede fijarlo"),
    Doubt.TEMPLATE: ("what it holds is not known", "no se sabe qué contiene"),
    Doubt.INSTANCE: (
        "the name of the instance is not known, and it may be this one",
        "no se sabe cómo se llama la instancia, y puede ser esta",
    ),
    Doubt.CODE: ("code that may belong to another program sets it", "lo fija código que puede ser de otro programa"),
}

_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "parts": ("some of it is not known", "una parte no se conoce"),
    "follows": ("it follows from a setting that is unknown", "se deriva de un ajuste desconocido"),
    "key": ("its value cannot be read", "su valor no se puede leer"),
    "perhaps": ("it may or may not be written", "puede estar escrito o no"),
    "or": (" or ", " o "),
    "computed": ("only the running program knows the value", "solo el programa en marcha conoce el valor"),
    "profile": ("with profile {profiles}", "con el perfil {profiles}"),
    "profiles": ("with profiles {profiles}", "con los perfiles {profiles}"),
    "and": (" and ", " y "),
    "target": ("-> {id} ({place})", "-> {id} ({place})"),
    "bare": ("no decorator guards it", "ningún decorador lo protege"),
    "applied": (
        "{policy} is applied to it by a call at {place}; what that call returns is guarded so",
        "una llamada en {place} le aplica {policy}; lo que devuelve esa llamada queda protegido así",
    ),
    "methods": ("guarded methods:", "métodos protegidos:"),
    "inherited": ("{name} is inherited from {owner}", "{name} se hereda de {owner}"),
    "finding": (
        "1 finding concerns it ({codes}): see 'r4c check {path}'",
        "1 hallazgo le afecta ({codes}): véase 'r4c check {path}'",
    ),
    "findings": (
        "{count} findings concern it ({codes}): see 'r4c check {path}'",
        "{count} hallazgos le afectan ({codes}): véase 'r4c check {path}'",
    ),
    "note": ("note", "nota"),
    "unseen": (
        "{origin} may bring policies that cannot be seen",
        "puede haber políticas que no se ven: {origin}",
    ),
    "instance": (
        "the name of its instance of {policy} is not known",
        "no se sabe cómo se llama su instancia de {policy}",
    ),
    "sources": (
        "other configuration files may say otherwise; list all of them as config-files under [tool.r4c]",
        "otros archivos de configuración pueden decir otra cosa; enumérelos todos en config-files, en [tool.r4c]",
    ),
}


class Remarks:
    """The sentences in one language."""

    def __init__(self, language: str) -> None:
        self._index = LANGUAGES.index(language)

    def text(self, key: str, **values: object) -> str:
        """A sentence of `r4c describe`."""
        return _TEXTS[key][self._index].format(**values)

    def with_profiles(self, choice: Choice) -> str:
        """`with profile 'prod'`."""
        key = "profile" if len(choice) == 1 else "profiles"
        return self.text(key, profiles=listed(choice).replace(" and ", self.text("and")))

    def reason(self, given: Effective | Given) -> str:
        """Why a value is not known; nothing if it is."""
        if given.value is not UNKNOWN:
            return "" if _is_whole(given.value) else self.text("parts")
        if given.doubt is not None:
            return _DOUBTS[given.doubt][self._index]
        if given.origin.layer is Layer.BUILT_IN:
            return self.text("follows")
        if given.slot is None:
            return self.text("key")
        if not given.slot.certain:
            return self.text("perhaps")
        if len(given.slot.values) > 1 and UNKNOWN not in given.slot.values:
            return self.text("or").join(map(show, given.slot.values))
        return self.text("computed")


def _is_whole(value: Value) -> bool:
    """Whether nothing in a value is left open."""
    if isinstance(value, Items):
        return value.closed and all(map(_is_whole, value.items))
    return value is not UNKNOWN
