"""Lists the reasons why e2e specs fail although they need no missing feature."""

import re

RULES: tuple[tuple[str, str], ...] = (
    (r"continue listing from the last key", "nothing is compacted by time: a continue token lives longer"),
    (
        r"kubectl explain works for CR with the same",
        "flaky upstream as well: kubectl asks its discovery cache",
    ),
)
"""Pairs: a pattern for names of e2e specs, and the reason why these specs fail."""

_COMPILED = [(re.compile(pattern), why) for pattern, why in RULES]


def reason_of(spec: str, release: str) -> str | None:
    return next((why for pattern, why in _COMPILED if pattern.search(spec)), None)
