"""What a fault in a shared instance breaks besides: the others that use it have other settings then."""

from __future__ import annotations

from ..mutant import LINT_AND_BUILD, Place
from ..sources import Shop, Use


def differing_users(shop: Shop, use: Use, reports: frozenset[str] = LINT_AND_BUILD) -> list[Place]:
    """The later of the two users of the only shared rate limiter, if the policy is one of them."""
    if use.text("name") != "partner-api":
        return []
    source = shop["shop/notifications/push.py"]
    return [Place("R4C-IN-001", source, source.find('rate_limiter(name="partner-api"'), reports)]
