"""Generates unexpected JSON values for requests to servers, and for responses to clients."""

import json
import random
from typing import Any

TEXTS = (
    "", "a", "kept", "default", "..", "../../x", "/", "%2e%2e", "a\nb", "\0", "\x1b[31m", "é" * 300,
    "x" * 5_000, "2026-01-31T12:00:00Z", "9999-12-31T23:59:59Z", "0000-00-00T00:00:00Z", "-1", "1e400", "NaN",
    "9" * 400, "\ud800",
)  # fmt: skip
NUMBERS = (0, -1, 1, 0.5, 2**31, 2**63, 2**64, -(2**63), 10**400, 1e308, 1e-320, float("inf"), float("nan"))


def value(chance: random.Random, depth: int = 0) -> Any:
    """Returns a random JSON value. Its numbers include NaN and Infinity, which Python's json also writes.

    `depth`: the depth of nesting so far.
    """
    kind = chance.randrange(7 if depth < 3 else 5)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind in (1, 2):
        return chance.choice(NUMBERS)
    if kind in (3, 4):
        return chance.choice(TEXTS)
    if kind == 5:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(TEXTS): value(chance, depth + 1) for _ in range(chance.randrange(4))}


def changed(chance: random.Random, document: Any) -> Any:
    """Returns a copy of a JSON value with some parts replaced, removed or added."""
    if chance.random() < 0.1:
        return value(chance)
    if isinstance(document, dict):
        kept = {key: changed(chance, item) for key, item in document.items() if chance.random() < 0.95}
        return {**kept, chance.choice(TEXTS): value(chance)} if chance.random() < 0.1 else kept
    if isinstance(document, list):
        return [changed(chance, item) for item in document]
    return document


def encoded(chance: random.Random, document: Any) -> bytes:
    """Encodes the document as JSON; sometimes changes, removes or adds bytes."""
    data = json.dumps(document).encode()
    way = chance.randrange(10)
    if way == 0 and data:
        place = chance.randrange(len(data))
        return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
    if way == 1:
        return data[: chance.randrange(len(data) + 1)]
    if way == 2:
        return b"[" * chance.choice([10, 2_000]) + data
    return data
