"""What every check looks at, whoever saw it: live objects, mypy or ast.

Extractors produce these values, rules consume them, nobody else interprets them. Three habits keep rules honest:

- what cannot be known is `UNKNOWN` (a value) or `None` (an answer), and neither may make a rule fire;
- a value may be one of several: a rule fires only if every alternative fails;
- a sequence is closed or open: in an open one, absence proves nothing.

All records are immutable and hold only plain data (`TypeFact.handle` excepted), so that they can be cached and pickled.
"""

from .bodies import Body, Call, Effect, Handler, Loop, Try
from .configuration import (
    Ambiguous,
    Broken,
    ConfigFile,
    Empty,
    Extends,
    Global,
    Key,
    Meaning,
    Override,
    Repeated,
    Setting,
    Template,
    Unrecognised,
    Unresolved,
    Variable,
)
from .definitions import (
    Definition,
    Element,
    Kind,
    LocalScope,
    Parameter,
    ParameterKind,
    Scope,
    Signature,
    TypeFact,
    Unreadable,
    Written,
)
from .policies import Application, Applied, Composed, Declaration, Decorator, Foreign, Listener, NotAPolicy
from .project import NoTypes, Oracle, Project
from .suppressions import Suppression
from .values import NOWHERE, UNKNOWN, At, Interval, Items, Member, Ref, Slot, Unknown, Value

__all__ = [
    "NOWHERE",
    "UNKNOWN",
    "Ambiguous",
    "Application",
    "Applied",
    "At",
    "Body",
    "Broken",
    "Call",
    "Composed",
    "ConfigFile",
    "Declaration",
    "Decorator",
    "Definition",
    "Effect",
    "Element",
    "Empty",
    "Extends",
    "Foreign",
    "Global",
    "Handler",
    "Interval",
    "Items",
    "Key",
    "Kind",
    "Listener",
    "LocalScope",
    "Loop",
    "Meaning",
    "Member",
    "NoTypes",
    "NotAPolicy",
    "Oracle",
    "Override",
    "Parameter",
    "ParameterKind",
    "Project",
    "Ref",
    "Repeated",
    "Scope",
    "Setting",
    "Signature",
    "Slot",
    "Suppression",
    "Template",
    "Try",
    "TypeFact",
    "Unknown",
    "Unreadable",
    "Unrecognised",
    "Unresolved",
    "Value",
    "Variable",
    "Written",
]
