"""Pruning, defaulting and validation by schemas have properties that hold for every schema and object."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.structural.defaulting import default
from fakeapi.machinery.structural.nulls import prune_nulls
from fakeapi.machinery.structural.pruning import prune
from fakeapi.machinery.structural.results import Reporter
from fakeapi.machinery.structural.rules import NEWEST
from fakeapi.machinery.structural.schema import Schema, parse_schema
from fakeapi.machinery.structural.validation import _Walk, validate

NAMES = st.sampled_from(["a", "b", "c", "metadata", "kind"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["", "a", "abc", 1.5])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


def _node(below: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    extras = st.fixed_dictionaries(
        {},
        optional={
            "nullable": st.booleans(),
            "x-kubernetes-preserve-unknown-fields": st.just(True),
            "x-kubernetes-embedded-resource": st.just(True),
            "default": VALUES,
        },
    )
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, below, max_size=3)}
    )
    maps = st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": below | st.booleans()})
    lists = st.fixed_dictionaries({"type": st.just("array"), "items": below})
    return st.builds(lambda shape, extra: {**shape, **extra}, objects | maps | lists, extras)


LEAVES = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "boolean"])},
    optional={
        "nullable": st.booleans(),
        "default": st.sampled_from(["a", 1, True]),
        "maxLength": st.just(2),
        "minLength": st.just(1),
        "enum": st.just(["a", "abc"]),
        "pattern": st.just("b"),
        "format": st.sampled_from(["byte", "unknown"]),
        "not": st.just({"enum": ["a"]}),
    },
)
SCHEMAS = st.recursive(LEAVES, _node, max_leaves=8).map(parse_schema)


@settings(max_examples=60)
@given(OBJECTS, SCHEMAS)
def test_pruning_again_changes_nothing(obj: Any, schema: Schema) -> None:
    prune(obj, schema)
    once = copy.deepcopy(obj)
    assert prune(obj, schema) == []
    assert obj == once


@settings(max_examples=60)
@given(OBJECTS, SCHEMAS)
def test_defaulting_again_changes_nothing(obj: Any, schema: Schema) -> None:
    prune_nulls(obj, schema)
    default(obj, schema)
    once = copy.deepcopy(obj)
    default(obj, schema)
    assert obj == once


@settings(max_examples=60)
@given(OBJECTS, SCHEMAS)
def test_what_was_pruned_and_defaulted_with_pruned_defaults_is_pruned(obj: Any, schema: Schema) -> None:
    default(obj, schema)
    prune(obj, schema)
    default(obj, schema)
    prune(obj, schema)
    settled = copy.deepcopy(obj)
    assert prune(obj, schema) == []
    assert obj == settled


@settings(max_examples=60)
@given(OBJECTS, SCHEMAS)
def test_the_order_of_keys_does_not_count(obj: Any, schema: Schema) -> None:
    reordered = json.loads(json.dumps(obj), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert validate(obj, schema) == validate(reordered, schema)


TEXTS = st.dictionaries(NAMES, SCALARS, min_size=1)
SCHEMAS_OF_TEXTS = st.dictionaries(NAMES, LEAVES, min_size=3).map(
    lambda properties: parse_schema({"type": "object", "properties": properties})
)


@settings(max_examples=200)
@given(TEXTS, SCHEMAS_OF_TEXTS)
def test_plain_texts_are_checked_like_other_values(obj: Any, schema: Schema) -> None:
    walk = _Walk(Reporter("", NEWEST), NEWEST, is_default=False, allowance=None)
    quick = walk.checked(obj, schema, "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Walk, "_is_valid_text", lambda *_: False)
        slow = walk.checked(obj, schema, "")
    assert (quick.problems, quick.matches) == (slow.problems, slow.matches)
