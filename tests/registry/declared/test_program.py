"""Declared validation rules (`+k8s:` tags) are compiled to Python functions."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fakeapi.registry.declared.program import Program
from fakeapi.registry.declared.run import Run

Steps = Sequence[Any]
REQUIRED = ["rule", "RequiredValue", [], "", "stop"]
OPTIONAL = ["rule", "OptionalPointer", [], "beta", "quiet"]
GATE = ["gate"]


def rule(name: str, *arguments: Any, level: str = "", effect: str = "add") -> Steps:
    return ["rule", name, list(arguments), level, effect]


def text(*steps: Steps) -> Steps:
    """Returns the rules of a struct that has a string field `f`.

    `steps`: the validation rules of this field.
    """
    return ["field", "f", "text", [["same", "direct"], *steps]]


def items(*steps: Steps) -> Steps:
    return ["field", "f", "items", [["same", "deep"], *steps]]


def found(
    steps: Steps, new: Any, old: Any = None, *, beta: bool = True, options: Mapping[str, bool] | None = None
) -> list[str]:
    """Validates a struct with these declared rules; returns the error messages.

    - `old`: the struct before an update; None for a create
    - `beta`: whether beta rules report errors
    - `options`: whether each option of conditional rules is on
    """
    types = {"a/v1.T": steps}
    body = Program(types.__getitem__, beta=beta).of_type("a/v1.T")
    run = Run(old is not None, options or {})
    if body is not None:
        body(run, "", new, old)
    return [str(each.error) for each in run.found]


def test_a_rule_that_stops_is_the_last_one_of_its_field() -> None:
    steps = [text(REQUIRED, GATE, rule("ShortName"))]
    assert found(steps, {}) == ["f: Required value"]
    assert found(steps, {"f": "a.b"}) == ['f: Invalid value: "a.b": must not contain dots']
    assert found(steps, {"f": "a"}) == []


def test_what_an_update_leaves_is_let_pass() -> None:
    steps = [text(REQUIRED, GATE, rule("ShortName"))]
    assert found(steps, {"f": "a.b"}, {"f": "a.b"}) == []
    assert found(steps, {}, {"f": ""}) == []
    assert len(found(steps, {"f": "a.b"}, {"f": "c.d"})) == 1


def test_rules_of_the_stage_alpha_are_never_shown_but_end_their_field() -> None:
    steps = [text(rule("RequiredValue", level="alpha", effect="stop"), GATE, rule("ShortName"))]
    assert found(steps, {}) == []
    assert len(found(steps, {"f": "A"})) == 1
    assert (
        Program({"t": [text(rule("ShortName", level="alpha"))]}.__getitem__, beta=True).of_type("t") is None
    )


def test_rules_of_the_stage_beta_are_shown_where_their_gate_says_so() -> None:
    steps = [text(rule("ShortName", level="beta"))]
    assert len(found(steps, {"f": "A"})) == 1
    assert found(steps, {"f": "A"}, beta=False) == []


def test_the_stage_of_a_rule_is_that_of_the_rules_inside_it() -> None:
    inner = rule("MaxBytes", 1)
    steps = [items(rule("EachValSliceVal", None, None, [inner], level="alpha"))]
    assert found(steps, {"f": ["long"]}) == []
    steps = [items(rule("EachValSliceVal", None, None, [inner]))]
    assert found(steps, {"f": ["long"]}) == ["f[0]: Too long: may not be more than 1 byte"]


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (None, ["f[0].v", "f[1].v"]),
        ({"f": []}, ["f[0].v", "f[1].v"]),
        ({"f": [{"k": "b", "v": "B"}]}, ["f[0].v"]),
        ({"f": [{"k": "b", "v": "old"}]}, ["f[0].v", "f[1].v"]),
        ({"f": [{"k": "b", "v": "B"}, {"k": "a", "v": "A"}]}, []),
    ],
)
def test_items_are_compared_with_the_ones_of_their_keys(old: Any, expected: list[str]) -> None:
    item = ["field", "v", "text", [["same", "direct"], rule("ShortName")]]
    steps = [items(rule("EachValSliceVal", {"by": ["k"]}, "deep", [item]))]
    new = {"f": [{"k": "a", "v": "A"}, {"k": "b", "v": "B"}]}
    assert [each.partition(":")[0] for each in found(steps, new, old)] == expected


def test_a_duplicate_is_told_once_for_each_item_after_the_first() -> None:
    steps = [items(rule("ValSliceUnique", {"by": ["k"]}))]
    assert found(steps, {"f": [{"k": "a"}, {"k": "b"}, {"k": "a"}, {"k": "a"}]}) == [
        'f[2]: Duplicate value: {"k":"a"}',
        'f[3]: Duplicate value: {"k":"a"}',
    ]
    assert found([items(rule("ValSliceUnique", "direct"))], {"f": ["a", "a"]}) == [
        'f[1]: Duplicate value: "a"'
    ]


UNION = [rule("Union", ["a", "pointer"], ["b", "items"])]


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"a": {}}, None, []),
        ({}, None, [': Invalid value: "": must specify one of: `a`, `b`']),
        ({"b": []}, None, [': Invalid value: "": must specify one of: `a`, `b`']),
        (
            {"a": {}, "b": [1]},
            None,
            [': Invalid value: "{a, b}": must specify exactly one of: `a`, `b`'],
        ),
        ({"a": {}, "b": [1]}, {"a": {}, "b": [2]}, []),
        ({}, {}, []),
        ({}, {"a": {}}, [': Invalid value: "": must specify one of: `a`, `b`']),
    ],
)
def test_of_a_union_one_member_is_set(new: Any, old: Any, expected: list[str]) -> None:
    assert found(UNION, new, old) == expected


def test_of_some_items_one_at_most_may_be_there() -> None:
    condition = [["type", "A"], ["type", "B"]]
    members = [[f'type="{value}"', {name: value}] for name, value in condition]
    steps = [items(rule("ZeroOrOneOfUnion", *members))]
    assert found(steps, {"f": [{"type": "A"}, {"type": "C"}]}) == []
    assert found(steps, {"f": [{"type": "A"}, {"type": "B"}]}) == [
        r'f: Invalid value: "{type=\"A\", type=\"B\"}": must specify at most one of: `type="A"`, `type="B"`'
    ]


def test_a_member_of_a_kind_of_struct_is_there_where_its_kind_says_so() -> None:
    forbidden, wanted = [rule("ForbiddenPointer")], [rule("RequiredPointer")]
    steps = [rule("Discriminated", "m", "pointer", "kind", "deep", forbidden, {"M": wanted})]
    assert found(steps, {"kind": "M"}) == ["m: Required value"]
    assert found(steps, {"kind": "N", "m": {}}) == ["m: Forbidden"]
    assert found(steps, {"kind": "M", "m": {}}) == []
    assert found(steps, {"kind": "M"}, {"kind": "M"}) == []


def test_a_rule_may_ask_for_an_option() -> None:
    steps = [text(rule("IfOption", "O", True, [rule("MaxLength", 1)]))]
    assert found(steps, {"f": "ab"}, options={"O": True}) == ["f: Too long: may not be more than 1 character"]
    assert found(steps, {"f": "ab"}, options={"O": False}) == []


def test_fields_that_go_together_are_told_of_unless_an_update_leaves_them() -> None:
    members = (["a", "pointer"], ["b", "pointer"])
    assert found([rule("DependentRequired", *members)], {"a": 1}) == [
        "b: Required value: must be set when a is set"
    ]
    assert found([rule("DependentRequired", *members)], {"a": 2}, {"a": 1}) == []
    assert found([rule("DependentForbidden", *members)], {"a": 1, "b": 2}) == [
        "b: Forbidden: may not be set when a is set"
    ]


@pytest.mark.parametrize(
    ("constraint", "new", "old", "expected"),
    [
        ("NoSet", {"f": 1}, {}, ["f: Invalid value: null: field cannot be set once created"]),
        ("NoUnset", {}, {"f": 1}, ["f: Invalid value: null: field cannot be cleared once set"]),
        ("NoModify", {"f": 2}, {"f": 1}, ["f: Invalid value: null: field cannot be modified once set"]),
        ("NoModify", {}, {"f": 1}, []),
        ("NoSet", {"f": 1}, None, []),
    ],
)
def test_a_field_may_be_held_to_what_it_was(constraint: str, new: Any, old: Any, expected: list[str]) -> None:
    steps = [["field", "f", "pointer", [["same", "direct"], rule("UpdatePointer", [constraint])]]]
    assert found(steps, new, old) == expected


def test_the_items_of_a_list_may_be_held_to_what_they_were() -> None:
    steps = [items(rule("ValSliceUpdate", {"by": ["k"]}, ["NoAddItem", "NoRemoveItem"]))]
    assert found(steps, {"f": [{"k": "a"}, {"k": "c"}]}, {"f": [{"k": "a"}, {"k": "b"}]}) == [
        "f[1]: Forbidden: item may not be added",
        "f: Forbidden: item may not be removed",
    ]


def test_keys_and_members_of_a_map_are_looked_at_in_the_order_of_keys() -> None:
    steps = [
        items(rule("EachMapKey", [rule("ShortName")]), rule("EachMapVal", "deep", [rule("MaxBytes", 1)]))
    ]
    problems = found(steps, {"f": {"B": "x", "A": "long"}})
    assert [each.split(":")[0] for each in problems] == ["f", "f", "f[A]"]
    assert found(steps, {"f": {"B": "x"}}, {"f": {"B": "y"}}) == []


def test_a_type_that_holds_itself_is_looked_at_all_the_way_down() -> None:
    steps = [
        ["field", "name", "text", [REQUIRED]],
        ["field", "inner", "items", [rule("EachValSliceVal", None, None, [["type", "a/v1.T"]])]],
    ]
    assert found(steps, {"name": "a", "inner": [{"name": "b", "inner": [{}]}]}) == [
        "inner[0].inner[0].name: Required value"
    ]


def test_texts_of_a_type_with_a_name_are_shown_as_json() -> None:
    steps = [["field", "f", "text", [rule("ShortName")], True]]
    assert found(steps, {"f": "<"})[0].startswith(r'f: Invalid value: "\u003c": ')


def test_a_number_that_is_left_out_is_zero() -> None:
    steps = [["field", "f", "number", [rule("Minimum", 1)]]]
    assert found(steps, {}) == ["f: Invalid value: 0: must be greater than or equal to 1"]
    assert found([["field", "f", "pointer", [OPTIONAL, GATE, rule("Minimum", 1)]]], {}) == []
