"""The JSON Schema of configuration files, for editors: derived from the policies' own attributes.

It describes `resilience4cata.toml` and its YAML twin as a tree. What one value says about another (that a template is
known, that two bounds are in order), only `r4c check` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from resilience4cata.config.grammar import BUDGET, GLOBALS, LOCKED, NAME
from resilience4cata.config.tree import PREFIX
from resilience4cata.diagnostics import DOCUMENTATION
from resilience4cata.durations import PATTERN
from resilience4cata.policies import Layer
from resilience4cata.schema import POLICIES, UNSET, Attribute, AttributeKind, PolicySchema

Schema = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_DOTTED: Final = r"^[^\W\d]\w*(?:\.[^\W\d]\w*)*$"
_OWNER: Final = r"[\w.-]+"
# All spellings of no time at all, for attributes to which that means nothing.
_ZERO: Final = r"^(?:0(?:[a-z]+)?|PT(?:0H)?(?:0M)?(?:0(?:\.0+)?S)?)$"


def json_schema() -> Schema:
    """The schema of a whole file, as JSON Schema of draft 2020-12."""
    root = {
        **_section(),
        **_nested(GLOBALS),
        "profiles": _profiles(),
        "budgets": _table({}, others=_table({name: _value(a) for name, a in BUDGET.items()})),
    }
    tree = _table(root) | {"patternProperties": _slash_keys()}
    return {
        "$schema": _DIALECT,
        "$id": f"{DOCUMENTATION}/{PREFIX}.schema.json",
        "title": "Configuration of resilience4cata",
        "type": "object",
        "properties": {PREFIX: tree},
        "patternProperties": _slash_keys(),
        "additionalProperties": True,
        "$defs": {schema.key: _policy(schema) for schema in _configurable()},
    }


def _configurable() -> Iterable[PolicySchema]:
    return (schema for schema in POLICIES.values() if next(schema.settable(), None) is not None)


def _table(properties: Schema, *, others: Schema | bool = False) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": others}


def _section() -> Schema:
    """What stands at the root and once more in each profile."""
    policies = {schema.key: {"$ref": f"#/$defs/{schema.key}"} for schema in _configurable()}
    extends = {"type": "string", "pattern": _named(), "description": "The template that this one starts from."}
    template = _table({"extends": extends, **policies})
    return {
        "defaults": _table(policies),
        "configs": {
            "type": "object",
            "patternProperties": {_named(): template},
            "additionalProperties": False,
            "description": 'Named templates, which code refers to with config="…".',
        },
        "instances": _table({}, others=_table({"locked": _value(LOCKED), **policies})),
    }


def _profiles() -> Schema:
    doc = "Profiles in order of activation."
    active = {"type": ["string", "array"], "items": {"type": "string"}, "description": doc}
    return _table({"active": active}, others=_table(_section()))


def _named() -> str:
    return f"^{NAME.pattern}$"


def _nested(keys: Mapping[tuple[str, ...], Attribute]) -> Schema:
    found: Schema = {}
    for path, attribute in keys.items():
        if len(path) == 1:
            found[path[0]] = _value(attribute)
        else:
            found.setdefault(path[0], _table({}))["properties"][path[1]] = _value(attribute)
    return found


def _slash_keys() -> Schema:
    """`acme.Client/charge/timeout/value` and `external-call/timeout/value`."""
    return {
        f"^{_OWNER}(?:/[^/]+)?/{schema.key}/{attribute.key}$": _value(attribute)
        for schema in _configurable()
        for attribute in schema.settable()
    }


def _policy(schema: PolicySchema) -> Schema:
    return _table({attribute.key: _value(attribute) for attribute in schema.settable()}) | {
        "description": schema.documentation.partition("\n")[0]
    }


def _value(attribute: Attribute) -> Schema:
    found = _KINDS[attribute.kind](attribute) | {"description": attribute.doc}
    default = _default(attribute.default)
    return found if default is None else found | {"default": default}


def _duration(attribute: Attribute) -> Schema:
    found: Schema = {"type": "string", "pattern": PATTERN}
    return found if attribute.zero else found | {"not": {"pattern": _ZERO}}


def _number(attribute: Attribute) -> Schema:
    bounds = {"minimum": attribute.minimum, "maximum": attribute.maximum, "exclusiveMinimum": attribute.above}
    kind = "integer" if attribute.kind is AttributeKind.INTEGER else "number"
    return {"type": kind, **{name: bound for name, bound in bounds.items() if bound is not None}}


def _paths(attribute: Attribute) -> Schema:
    # One path, or several in a list or between commas.
    one = {"type": "string", "pattern": _DOTTED}
    several = {"type": "string", "pattern": r"^[\w.]+(?:\s*,\s*[\w.]+)+$"}
    return {"anyOf": [one, several, {"type": "array", "items": one}]}


def _layers(attribute: Attribute) -> Schema:
    names = [layer.name for layer in Layer]
    several = {"type": "string", "pattern": r"^[A-Z_]+(?:\s*,\s*[A-Z_]+)*$"}
    return {"anyOf": [{"type": "array", "items": {"enum": names}}, several]}


_KINDS: Final[Mapping[AttributeKind, Callable[[Attribute], Schema]]] = {
    AttributeKind.DURATION: _duration,
    AttributeKind.INTEGER: _number,
    AttributeKind.NUMBER: _number,
    AttributeKind.BOOLEAN: lambda attribute: {"type": "boolean"},
    AttributeKind.MEMBER: lambda attribute: {"enum": [member.name for member in attribute.members or ()]},
    AttributeKind.EXCEPTIONS: _paths,
    AttributeKind.CLASSIFIER: lambda attribute: {"type": "string", "pattern": _DOTTED},
    AttributeKind.LAYERS: _layers,
    AttributeKind.BUDGET_NAME: lambda attribute: {"type": "string", "minLength": 1},
}


def _default(value: object) -> object:
    """The default as a file would write it; None if it has none, or depends on others."""
    match value:
        case Enum() if value is not UNSET:
            return value.name
        case bool() | int() | float() | str():
            return value
        case type():
            return value.__name__
        case tuple() if value and all(isinstance(item, type | Layer) for item in value):
            return [item.name if isinstance(item, Enum) else item.__name__ for item in value]
    return None
