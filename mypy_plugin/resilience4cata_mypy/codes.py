"""Our rules as error codes of mypy: known to its command line, its configuration and its `type: ignore` comments."""

from __future__ import annotations

from typing import Final

from mypy.errorcodes import ErrorCode

from resilience4cata.rules import all_rules

CATEGORY: Final = "Resilience4cata"

PARENT: Final = ErrorCode("R4C", "Check policies of resilience4cata", CATEGORY)
"""Stands for all rules at once: `disable_error_code = R4C`."""

# Registered when the plugin is imported, because mypy looks at the names in its options right after that. A rule that
# the plugin can never report is registered too: an options file that names it must not crash mypy.
BY_RULE: Final = {
    rule.code: ErrorCode(
        rule.code, rule.name.replace("-", " "), CATEGORY, default_enabled=rule.on_by_default, sub_code_of=PARENT
    )
    for rule in all_rules().values()
}
