"""What a fault in a shared instance breaks besides: others that use it, and keys that tune it."""

from __future__ import annotations

from ..mutant import LINT_AND_BUILD, Place
from ..sources import Shop, Use


def differing_users(shop: Shop, use: Use, reports: frozenset[str] = LINT_AND_BUILD) -> list[Place]:
    """The later of the two users of the only shared rate limiter, if the policy is one of them."""
    if use.text("name") != "partner-api":
        return []
    source = shop["shop/notifications/push.py"]
    return [Place("R4C-IN-001", source, source.find('rate_limiter(name="partner-api"'), reports)]


def tuning_keys(shop: Shop, use: Use, reports: frozenset[str]) -> list[Place]:
    """The table of the only shared instance that is tuned by name, if the policy is the only one that has it."""
    if use.text("name") != "price-rules":
        return []
    source = shop["resilience4cata.toml"]
    return [
        Place(
            "R4C-CFG-009", source, source.find("price-rules", after="[resilience4cata.instances.price-rules]"), reports
        )
    ]
