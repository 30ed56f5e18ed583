"""Why specs fail that would need nothing but a server and its controllers."""

import re

RULES: tuple[tuple[str, str], ...] = ()
"""Regular expressions of names, with the reason."""

_COMPILED = [(re.compile(pattern), why) for pattern, why in RULES]


def reason_of(spec: str, release: str) -> str | None:
    return next((why for pattern, why in _COMPILED if pattern.search(spec)), None)
