"""Hypothesis strategies that generate JSON documents with repeated keys, and the text of the documents."""

import json
from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "c d", 'e"', "f,g: h"])


SPACE = st.sampled_from(["", " ", "\n", "\t "])


# An object is a tuple of pairs, so that it can repeat a key.
TREES = st.recursive(
    st.sampled_from([0, "x", 'y": "', None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def written(tree: Any, space: str) -> str:
    if isinstance(tree, tuple):
        pairs = (f"{json.dumps(key)}{space}:{space}{written(value, space)}" for key, value in tree)
        return f"{{{space}{f'{space},{space}'.join(pairs)}}}"
    if isinstance(tree, list):
        return f"[{space}{f'{space},'.join(written(item, space) for item in tree)}{space}]"
    return json.dumps(tree)
