"""CFG-012: values in files, judged by the very rules that judge them in code.

What those rules say about one value is said again as R4C-CFG-012, in the same words; what they say about two values
that contradict each other keeps its own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..config.tree import TYPED, attribute_of
from ..config.values import coerce
from ..diagnostics import Action, Context, Fault, Finding, Needs, rule
from ..durations import Problem, inspect
from ..facts import (
    ConfigFile,
    Declaration,
    Extends,
    Global,
    Items,
    Key,
    Member,
    Ref,
    Setting,
    Slot,
    Unknown,
    Value,
    Written,
    entries,
)
from ..records import replace
from ..schema import POLICIES, Attribute, AttributeKind
from ..suggestions import certain, did_you_mean
from .configuration import is_ours
from .words import show

_ONE_VALUE: Final = frozenset(
    {
        *(f"R4C-DU-00{number}" for number in range(1, 6)),
        *(f"R4C-VA-00{number}" for number in (1, 3, 6)),
        "R4C-CL-002",
    }
)
# Rules of other families speak about code: a fallback's table in a file need not have a target.
_SEVERAL_VALUES: Final = ("R4C-VA-", "R4C-CL-", "R4C-TB-")
_CODE_ONLY: Final = frozenset({"R4C-VA-002"})
_WITHOUT_QUOTES: Final = frozenset({AttributeKind.BOOLEAN, AttributeKind.INTEGER, AttributeKind.NUMBER})
_CLASSIFIER: Final = "resilience4cata.policies.classification.Classifier"


@rule("R4C-CFG-012", "invalid-value", view=ConfigFile, needs=Needs.FILES, fix=Action.WRITE)
def invalid_value(file: ConfigFile, context: Context) -> Iterator[Fault | Finding]:
    """A value that its key cannot have is as wrong in a file as in code; found here, it has a line to point at instead
    of a service that does not start."""
    keys = [key for key in file.keys if is_ours(key, context.project)]
    # Variables have nothing but text, whatever the format of the file that sets them.
    has_types = file.source.endswith(TYPED) and file.profiles is None
    for key in keys:
        yield from (_with_edit(fault, key, context, has_types=has_types) for fault in _own_faults(key))
    for key, found in _faults_of_other_rules(keys, context):
        yield _with_edit(found, key, context, has_types=has_types) if isinstance(found, Fault) else found


def is_possible(key: Key, context: Context) -> bool:
    """Whether a key can have its value, or one that is certainly meant by it."""
    faults = (_with_edit(fault, key, context, has_types=False) for fault in _faults_of_value(key, context))
    return all(len(fault.suggestions) == 1 for fault in faults)


def _faults_of_value(key: Key, context: Context) -> Iterator[Fault]:
    """What is wrong with the value of one key, whatever stands beside it."""
    yield from _own_faults(key)
    others = _faults_of_other_rules([key], context)
    yield from (fault for _, fault in others if isinstance(fault, Fault))


# ---------------------------------------------------------------- what to write instead


def _with_edit(fault: Fault, key: Key, context: Context, *, has_types: bool) -> Fault:
    """The fault with the suggestions that the key can have, and the words that they replace.

    A file that `has_types` tells `"3"` from `3`, so that quotes may have to go.
    """
    value = key.value
    if not isinstance(value, str) or not value.strip():
        return fault
    attribute, bare = attribute_of(key.meaning), value.strip()
    has_quotes = has_types and attribute is not None and attribute.kind in _WITHOUT_QUOTES
    is_bare_right = attribute is not None and not isinstance(_as(attribute, bare), str)
    offered = (bare,) if is_bare_right else fault.suggestions
    right = tuple(text for text in offered if _is_right(replace(key, value=_as(attribute, text)), context))
    return replace(
        fault,
        suggestions=right,
        help="without quotes, which make it a text" if right and has_quotes else fault.help,
        words=(show(value) if has_quotes else value,),
        certain=bool(right) and (right[0] == bare or certain(value, right[0], fault.rivals)),
    )


def _as(attribute: Attribute | None, text: str) -> Value:
    """What a text is as a value of the attribute."""
    return text if attribute is None else coerce(attribute, text, textual=True)


def _is_right(key: Key, context: Context) -> bool:
    return next(_faults_of_value(key, context), None) is None


# ---------------------------------------------------------------- what other rules say


def _faults_of_other_rules(keys: list[Key], context: Context) -> Iterator[tuple[Key, Fault | Finding]]:
    """What they find, each with the key that it is about: a fault to be said in our words, or a finding of theirs."""
    # Imported late: the engine discovers this module.
    from . import check

    # What comes by an alias stands where its anchor stands: the key there comes first, and is the one to name.
    by_place = {key.value_at: key for key in reversed(keys)}
    inner = Context(context.provides & (Needs.DECLARATIONS | Needs.KINDS), context.oracle, context.project)
    for finding in check(_views(keys), inner):
        key = by_place.get(finding.fault.at)
        if key is None:
            continue
        fault = replace(finding.fault, subject=key.text)
        if finding.rule.code in _ONE_VALUE:
            yield key, _in_file_words(_with_keys(fault, key), key)
        elif finding.rule.code.startswith(_SEVERAL_VALUES) and finding.rule.code not in _CODE_ONLY:
            yield key, replace(finding, fault=fault)


def _views(keys: list[Key]) -> Iterator[Written]:
    """The settings of one policy in one place of the file, as if they were one declaration."""
    tables: dict[tuple[object, ...], dict[str, Slot]] = {}
    for key in keys:
        meaning = key.meaning
        if isinstance(meaning, Setting):
            slots = tables.setdefault((meaning.policy, meaning.kind, meaning.name, meaning.profile), {})
            slots.pop(meaning.attribute, None)
            if not list(_own_faults(key)):
                slots[meaning.attribute] = Slot((key.value,), key.value_at)
    for (policy, *_), slots in tables.items():
        if slots:
            yield Written(Declaration(str(policy), slots, next(iter(slots.values())).at))


def _with_keys(fault: Fault, key: Key) -> Fault:
    """The fault with attributes called as they are spelled in files: `max-attempts`."""
    meaning = key.meaning
    attributes = POLICIES[meaning.policy].attributes if isinstance(meaning, Setting) else {}
    keys = {name: attribute.key for name, attribute in attributes.items()}
    return replace(fault, values={n: keys.get(v, v) if isinstance(v, str) else v for n, v in fault.values.items()})


def _in_file_words(fault: Fault, key: Key) -> Fault:
    attribute = _attribute_of(key)
    if attribute is None or attribute.kind is not AttributeKind.BOOLEAN:
        return fault
    return replace(fault, expected="true or false", suggestions=_near(key.value, ("true", "false")))


def _near(value: Value, words: tuple[str, ...]) -> tuple[str, ...]:
    word = did_you_mean(value, words) if isinstance(value, str) else None
    return (word,) if word is not None else ()


# ---------------------------------------------------------------- what only files can get wrong


def _attribute_of(key: Key) -> Attribute | None:
    return attribute_of(key.meaning) if isinstance(key.meaning, Setting) else None


def _own_faults(key: Key) -> Iterator[Fault]:
    """Faults that no rule about code can see: empty values, words for members and layers, keys that stand alone."""
    meaning = key.meaning
    if isinstance(key.value, Unknown):
        return
    if isinstance(meaning, Setting | Extends | Global) and isinstance(key.value, str) and not key.value.strip():
        yield Fault(key.value_at, key.text, "the value is empty", help="remove the key, or give it a value")
    elif isinstance(meaning, Extends):
        yield from _not_a_name(key, (key.value,), "the name of a template")
    elif isinstance(meaning, Global):
        yield from _global_faults(key, meaning.name)
    else:
        attribute = _attribute_of(key)
        if attribute is not None and attribute.kind is AttributeKind.MEMBER and attribute.members is not None:
            yield from _not_a_member(
                key, (key.value,), attribute.members.__name__, tuple(attribute.members.__members__)
            )
        elif attribute is not None and attribute.kind is AttributeKind.LAYERS:
            yield from _not_layers(key)
        elif attribute is not None and attribute.kind is AttributeKind.CLASSIFIER:
            yield from _not_a_classifier(key)


def _no_value(key: Key, expected: str, suggestions: tuple[str, ...] = (), value: Value | None = None) -> Fault:
    return Fault(
        key.value_at,
        key.text,
        "{value} is no value for '{key}'",
        {"value": show(key.value if value is None else value), "key": key.path[-1]},
        suggestions=suggestions,
        expected="" if suggestions else expected,
    )


def _not_a_name(key: Key, values: tuple[Value, ...], expected: str) -> Iterator[Fault]:
    if not all(isinstance(value, str) and value for value in values):
        yield _no_value(key, expected)


def _not_a_member(key: Key, values: tuple[Value, ...], enum: str, names: tuple[str, ...]) -> Iterator[Fault]:
    for value in values:
        if isinstance(value, str):
            yield Fault(
                key.value_at,
                key.text,
                "{value} is no member of {enum}",
                {"value": show(value), "enum": enum},
                suggestions=_near(value, names),
                expected="" if _near(value, names) else " | ".join(names),
                words=(value,),
                rivals=names,
            )


def _not_a_classifier(key: Key) -> Iterator[Fault]:
    """An object stands for its type's ancestors, a class for its own; where they are not known, anything may be one."""
    value = key.value
    if isinstance(value, Ref) and value.ancestors is not None and _CLASSIFIER not in value.ancestors:
        expected = "the dotted path of a Classifier, or of an object of one"
        yield Fault(key.value_at, key.text, "{value} is no classifier", {"value": show(value)}, expected=expected)


def _not_layers(key: Key) -> Iterator[Fault]:
    default = POLICIES["order"].attributes["layers"].default
    names = tuple(layer.name for layer in default) if isinstance(default, tuple) else ()
    items = key.value.items if isinstance(key.value, Items) else (key.value,)
    if all(isinstance(item, Member | str) for item in items):
        yield from _not_a_member(key, items, "Layer", names)
    else:
        yield _no_value(key, " | ".join(names))


# ---------------------------------------------------------------- keys that stand alone

_BOOLEANS: Final = frozenset({"enabled", "strict", "events.per-call", "fallback.when-disabled"})
_EXCEPTIONS: Final = frozenset({"classification.unwrap", "classification.bypass"})


def _global_faults(key: Key, name: str) -> Iterator[Fault]:
    last = name.rpartition(".")[2]
    if name in _BOOLEANS or last == "locked":
        if not isinstance(key.value, bool):
            yield _no_value(key, "true or false", _near(key.value, ("true", "false")))
    elif name == "order":
        yield from _not_layers(key)
    elif name == "profiles.active":
        yield from _not_a_name(key, entries(key.value), "names of profiles")
    elif name in _EXCEPTIONS:
        yield from _not_exceptions(key)
    elif last == "ttl":
        yield from _duration_faults(key)
    else:
        yield from _number_faults(key, last)


def _not_exceptions(key: Key) -> Iterator[Fault]:
    for item in _flat(key.value):
        if isinstance(item, Unknown):
            continue  # R4C-CFG-017
        if not isinstance(item, Ref):
            yield _no_value(key, "dotted paths of exception types", value=item)
        elif item.is_class is False or (item.ancestors is not None and "builtins.BaseException" not in item.ancestors):
            yield Fault(
                key.value_at,
                key.text,
                "{entry} in '{key}' is not an exception type",
                {"entry": show(item), "key": key.path[-1]},
                expected="dotted paths of exception types",
            )


def _flat(value: Value) -> Iterator[Value]:
    for item in entries(value):
        yield from _flat(item) if isinstance(item, Items) else (item,)


def _number_faults(key: Key, last: str) -> Iterator[Fault]:
    value, whole = key.value, last == "max-workers"
    lowest, highest = (1, None) if whole else (0, 100 if last == "percent" else None)
    kind = "a whole number" if whole else "a number"
    bounds = f"at least {lowest}" + (f" and at most {highest}" if highest is not None else "")
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        yield _no_value(key, f"{kind}, {bounds}")
    elif not (value >= lowest and (highest is None or value <= highest)):
        yield Fault(
            key.value_at,
            key.text,
            "{value} is out of range: '{key}' must be {range}",
            {"value": show(value), "key": key.path[-1], "range": f"{kind}, {bounds}"},
        )


def _duration_faults(key: Key) -> Iterator[Fault]:
    verdict = inspect(key.value) if isinstance(key.value, str) else None
    if isinstance(verdict, Problem) or verdict is None:
        suggestions = verdict.suggestions if verdict is not None else ()
        yield _no_value(key, "a duration: a number and a unit (ns us ms s m h d)", suggestions)
    elif verdict == 0:
        yield Fault(key.value_at, key.text, "'{key}' cannot be zero", {"key": key.path[-1]})
