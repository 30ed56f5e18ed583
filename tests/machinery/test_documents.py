"""YAML files with several documents are split as in kubectl, with limits of time and memory."""

from collections.abc import Callable
from functools import partial

import pytest

from fakeapi.machinery import documents
from fakeapi.machinery.documents import DocumentError, document_of, documents_of, numbered_documents
from tests.machinery.steps import assert_linear

LAUGHS = "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 15))
MERGES = "a0: &a0 {x: y}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}], k{n}: v}}\n" for n in range(1, 15)
)


def test_yaml_is_read_as_kubectl_reads_it() -> None:
    text = "a: yes\nb: 0777\nc: 1:59\nd: 2020-01-01\ne: =\n---\n---\nf: &x {g: 1}\nh: *x\n"
    assert numbered_documents(text) == [
        (1, {"a": True, "b": 511, "c": "1:59", "d": "2020-01-01", "e": "="}),
        (3, {"f": {"g": 1}, "h": {"g": 1}}),
    ]


def test_anchors_end_with_their_document() -> None:
    with pytest.raises(DocumentError, match="unknown anchor 'x' referenced"):
        documents_of("a: &x 1\n---\nb: *x\n")


def test_the_items_of_a_json_array_are_documents() -> None:
    assert documents_of('[{"a": 1}, {"b": 2}]') == [{"a": 1}, {"b": 2}]
    assert documents_of("- a\n- b\n") == [["a", "b"]]


def test_one_document_is_expected_where_one_is_read() -> None:
    assert document_of("") is None
    assert document_of("[a]") == ["a"]
    with pytest.raises(DocumentError, match="one document is expected, not 2"):
        document_of("a: b\n---\nc: d\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (LAUGHS, "excessive aliasing"),
        (MERGES, "excessive aliasing"),
        ("a: &a [*a]", "value contains itself"),
        ("[" * 100_000, "exceeded max depth of 200"),
        ('{"a":' * 200_000, "exceeded max depth of 200"),
        ("- " * 100_000, "exceeded max depth of 200"),
        ('{"a":' * 201 + "1" + "}" * 201, "exceeded max depth of 200"),
        ("".join(f"%TAG !a{n}! x\n" for n in range(300_000)) + "--- a\n", "more than 100 %TAG directives"),
        ("a: \ud800", "surrogate"),
    ],
)
def test_hostile_texts_are_refused_in_one_short_line(text: str, problem: str) -> None:
    with pytest.raises(DocumentError, match=problem) as refused:
        numbered_documents(text)
    words = str(refused.value)
    assert words.isprintable()
    assert len(words) <= 500


def test_an_error_that_repeats_the_text_is_cut_and_has_no_escape_codes() -> None:
    with pytest.raises(DocumentError) as refused:
        documents_of('? ["\\e[31m' + "x" * 100_000 + '"]\n: b\n')
    assert len(str(refused.value)) == 500
    assert "\x1b" not in str(refused.value)


def test_base_60_numbers_are_text_of_any_length() -> None:
    (document,) = documents_of("x: 1" + ":59" * 100_000)
    assert len(document["x"]) == 300_001


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1," * 60 + "1]",
        "a: [" + "b," * 60 + "c]",
        "a: &a [b, c]\nd: [" + "*a," * 30 + "c]",
        "---\n" * 60,
    ],
    ids=["json", "yaml", "aliases", "documents"],
)
def test_the_values_of_a_file_are_bounded(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert documents_of(text) is not None
    monkeypatch.setattr(documents, "NODES_MAX", 50)
    with pytest.raises(DocumentError, match="more than 50 "):
        documents_of(text)


def test_the_documents_of_a_yaml_file_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "DOCUMENTS_MAX", 50)
    text = "---\n" * 49 + "---\na: b\n"
    assert numbered_documents(text) == [(50, {"a": "b"})]
    with pytest.raises(DocumentError, match="more than 50 documents"):
        numbered_documents(text + "---\n")


def test_brackets_and_commas_in_json_strings_are_not_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "NODES_MAX", 50)
    assert documents_of('{"a": "' + "[,:{" * 50 + '\\""}') == [{"a": "[,:{" * 50 + '"'}]


def test_json_and_yaml_may_be_as_deep_as_the_bound() -> None:
    assert documents_of('{"a":' * 200 + "1" + "}" * 200)
    assert documents_of("a: " + "[" * 198 + "1" + "]" * 198)


@pytest.mark.parametrize(
    "shape",
    [
        lambda size: "a: b\n---\n" * size,
        lambda size: "{" + ", ".join(f"k{number}: [v]" for number in range(size)) + "}",
        lambda size: '{"a": ["' + "," * size + '", ' + "1," * size + "1]}",
    ],
    ids=["documents", "members", "json"],
)
def test_steps_grow_with_the_length_of_the_text(shape: Callable[[int], str]) -> None:
    assert_linear(lambda size: partial(documents_of, shape(size)), 200)
