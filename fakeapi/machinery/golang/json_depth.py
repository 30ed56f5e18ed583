"""Limits the nesting depth of JSON bodies.

Go has a limit of 10,000 levels (`maxNestingDepth` of encoding/json). Python's stack allows fewer.
"""

import re
from itertools import accumulate

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_syntax import json_syntax_error, quoted_byte
from fakeapi.machinery.lazy_pattern import lazy_pattern

NESTING_MAX = 900
"""Maximum nesting depth of JSON, a little less than Python's stack allows."""

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_STRINGS_AND_BRACKETS = lazy_pattern(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def check_depth(body: bytes, nesting_max: int = NESTING_MAX) -> None:
    """Raises JsonError for JSON nested deeper than `nesting_max`."""
    if body.count(b"[") + body.count(b"{") <= nesting_max:  # Nearly all bodies return here.
        return
    deepest = max(accumulate(map(_STEPS.__getitem__, body.translate(None, _NO_BRACKETS))))
    if deepest > nesting_max and _depth_outside_strings(body) > nesting_max:
        problem = json_syntax_error(body)
        raise JsonError(problem or f"invalid character {quoted_byte(body[-1])} exceeded max depth")


def _depth_outside_strings(body: bytes) -> int:
    deepest = depth = 0
    for match in _STRINGS_AND_BRACKETS.finditer(body):
        if match[0] in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in (b"]", b"}"):
            depth -= 1
    return deepest
