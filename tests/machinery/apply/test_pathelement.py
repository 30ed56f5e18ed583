"""Path elements of field sets have one encoding, one order, and a readable form."""

import itertools

import pytest

from fakeapi.machinery.apply.pathelement import (
    PathElementError,
    in_order,
    of_field,
    of_key,
    of_value,
    parse,
    spell,
)


def test_a_key_names_its_fields_in_alphabetical_order() -> None:
    assert of_key([("pool", "p"), ("device", "d"), ("n", 1), ("x", None)]) == (
        'k:{"device":"d","n":1,"pool":"p","x":null}'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", 'v:"a"'),
        ('say "hi"\\', 'v:"say \\"hi\\"\\\\"'),
        ("<&>\u2028", 'v:"\\u003c\\u0026\\u003e\\u2028"'),
        ("\b\n\x01\x7fé", 'v:"\\u0008\\n\\u0001\x7fé"'),
        (True, "v:true"),
        (8080, "v:8080"),
        (80.0, "v:80"),
        (1.5, "v:1.5"),
        ([1, {"b": "<", "a": None}], 'v:[1,{"a":null,"b":"\\u003c"}]'),
    ],
)
def test_a_value_is_written_as_go_writes_json(value: object, text: str) -> None:
    assert of_value(value) == text
    assert parse(text) == text


def test_names_of_fields_stand_as_they_are() -> None:
    assert parse(of_field('odd "name":')) == 'f:odd "name":'


def test_elements_stand_in_order_of_their_kind_and_then_of_what_they_hold() -> None:
    ordered = [
        "f:Z",
        "f:a",
        "f:a-b",
        "f:é",
        'k:{"name":1}',
        'k:{"name":2}',
        'k:{"name":10}',
        'k:{"name":"a"}',
        'k:{"name":"a!"}',
        'k:{"name":true}',
        'k:{"zone":"a"}',
        "v:1.5",
        "v:2",
        'v:"a"',
        'v:"a!"',
        "v:false",
        "v:true",
        "v:[1]",
        'v:{"a":1}',
        "v:null",
        "i:2",
        "i:10",
    ]
    assert in_order(reversed(ordered)) == ordered
    for pair in itertools.combinations(ordered, 2):
        assert in_order(reversed(pair)) == list(pair)


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        ("f:labels", ".labels"),
        ('k:{"device":"gpu","n":1}', '[device="gpu",n=1]'),
        ('v:"a\\"b"', '[="a\\"b"]'),
        ("v:true", "[=true]"),
        ("v:1000000", "[=1e+06]"),
        ('v:[1,{"a":"b"}]', '[=[1,a="b"]]'),
        ("v:null", "[=null]"),
        ("i:3", "[3]"),
    ],
)
def test_an_element_is_shown_to_people(element: str, shown: str) -> None:
    assert spell(element) == shown


def test_an_element_of_an_unknown_kind_is_left_out() -> None:
    assert parse("x:anything") is None


@pytest.mark.parametrize("text", ["", "f", "name", 'k:["a"]', "v:", "i:a", "i:1.5", "i:true"])
def test_what_is_no_element_is_an_error(text: str) -> None:
    with pytest.raises(PathElementError):
        parse(text)


@pytest.mark.parametrize("text", ["v:" + "[" * 101 + "]" * 101, "k:" + '{"a":' * 101 + "1" + "}" * 101])
def test_a_value_that_nests_deeply_is_no_path_element(text: str) -> None:
    with pytest.raises(PathElementError):
        parse(text)


def test_numbers_of_many_digits_are_floats_as_long_as_floats_go() -> None:
    assert parse("v:" + "1" * 19) == "v:" + "1" * 19
    assert parse("v:" + "1" * 20) == "v:11111111111111110000"
    with pytest.raises(PathElementError):
        parse("v:" + "1" * 5000)
