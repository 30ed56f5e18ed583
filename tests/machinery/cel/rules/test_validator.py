from typing import Any

import pytest

from fakeapi.machinery.cel.rules.validator import Outcome, rule_validator
from fakeapi.machinery.structural.schema import parse_schema
from tests.machinery.cel.rules.table import settings_of

pytest.importorskip("cel_expr_python", reason="rules are evaluated with the extra cel alone")


def outcome(rules: list[dict[str, Any]], value: Any, schema: dict[str, Any], **more: Any) -> Outcome:
    """Validates an object whose field `field` has these CEL rules and this value; returns the outcome.

    `schema`: the schema of `field`. `more`: `old` (the old value of `field`), `release`, and options of
    `validate`.
    """
    whole = {"type": "object", "properties": {"field": schema | {"x-kubernetes-validations": rules}}}
    old = {"field": more.pop("old")} if "old" in more else None
    validator = rule_validator(parse_schema(whole), settings_of(more.pop("release", "1.36")))
    assert validator is not None
    return validator.validate({"field": value}, old, **more)


NUMBERS = {"type": "array", "items": {"type": "integer"}}


def test_rules_share_a_budget() -> None:
    rules = [{"rule": "self.all(one, one >= 0)"}] * 3
    spent = outcome(rules, [1, 2, 3], NUMBERS, budget=40)
    (error,) = spent.errors
    stopped = "validation failed due to running out of cost budget, no further validation rules will be run"
    assert error.body == f'Invalid value: "array": {stopped}'
    assert spent.remaining == -1
    assert outcome(rules, [1, 2, 3], NUMBERS, budget=100).errors == []


def test_a_message_that_is_too_long_is_not_told() -> None:
    rule = {"rule": "self.size() == 0", "messageExpression": "self", "message": "must be empty"}
    text = {"type": "string"}
    assert [error.body for error in outcome([rule], "x" * 5120, text).errors] == [
        f'Invalid value: "{"x" * 5120}": {"x" * 5120}'
    ]
    assert outcome([rule], "x" * 5121, text).errors[0].body.endswith(": must be empty")


def test_what_an_update_leaves_alone_is_a_warning_where_the_release_ratchets() -> None:
    rules = [{"rule": "self.size() < 2", "message": "too many"}]
    kept = outcome(rules, [1, 2], NUMBERS, old=[1, 2])
    assert (kept.errors, kept.warnings) == ([], ["field: Invalid value: too many"])
    assert len(outcome(rules, [1, 2], NUMBERS, old=[1, 3]).errors) == 1
    assert len(outcome(rules, [1, 2], NUMBERS, old=[1, 2], release="1.29").errors) == 1


def test_neither_the_object_nor_the_old_one_is_changed() -> None:
    value, old = [3, 1, 2], [3]
    outcome([{"rule": "(self + oldSelf).map(one, one * 2).size() > 1"}], value, NUMBERS, old=old)
    assert (value, old) == ([3, 1, 2], [3])


def test_a_schema_without_rules_needs_no_validator() -> None:
    assert rule_validator(parse_schema({"type": "object"}), settings_of("1.36")) is None


def test_a_pattern_that_others_take_forever_for_takes_no_longer_than_the_text() -> None:
    rule = {"rule": "!self.matches('^(a+)+$')"}
    assert outcome([rule], "a" * 100_000 + "b", {"type": "string"}).errors == []


def test_a_map_that_grows_in_a_loop_is_added_to_in_place() -> None:
    rule = {"rule": "self.map(one, one + 1).filter(one, one > 0).size() == self.size()"}
    assert outcome([rule], list(range(20_000)), NUMBERS).errors == []
