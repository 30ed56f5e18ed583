"""Label and field selectors are combined to one predicate, which selects stored objects."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.registry.requests import predicate
from fakeapi.registry.requests.predicate import (
    LABELS_KEPT,
    LABELS_KEPT_BYTES_MAX,
    SelectionPredicate,
    predicate_of,
)
from fakeapi_storage import Entry


def entry(name: str = "a", namespace: str = "default", **labels: str) -> Entry:
    meta = {"name": name, "namespace": namespace, **({"labels": labels} if labels else {})}
    value = json.dumps({"metadata": meta, "spec": {"size": "big"}}).encode()
    return Entry(f"/resource.k8s.io/v1alpha3/resourceclaims/{namespace}/{name}", value, 1, 1)


def chosen(labels: str = "", fields: str = "") -> SelectionPredicate:
    return predicate_of(
        label_selector.parse(labels) if labels else None, field_selector.parse(fields) if fields else None
    )


@pytest.mark.parametrize(
    ("labels", "fields", "matches"),
    [
        ("", "", True),
        ("tier=x", "", True),
        ("tier=y", "", False),
        ("!other", "", True),
        ("", "metadata.name=a", True),
        ("", "metadata.name!=a", False),
        ("", "metadata.namespace=default", True),
        ("", "metadata.namespace=other", False),
        ("tier=x", "metadata.name=a", True),
        ("tier=x", "metadata.name=b", False),
        ("tier=y", "metadata.name=a", False),
    ],
)
def test_both_selectors_must_match(labels: str, fields: str, matches: bool) -> None:  # noqa: FBT001 - a column
    assert chosen(labels, fields).matches(entry(tier="x")) is matches


def test_an_object_without_labels_is_matched_as_one_that_has_none() -> None:
    assert not chosen("tier").matches(entry())
    assert chosen("!tier").matches(entry())


def test_selectors_that_select_everything_are_as_good_as_none() -> None:
    assert chosen().everything
    empty = predicate_of(label_selector.parse(""), field_selector.parse(""))
    assert empty.everything
    assert not chosen("a").everything
    assert not chosen(fields="metadata.name=a").everything


def test_names_are_matched_without_looking_into_the_object() -> None:
    unreadable = Entry("/resource.k8s.io/v1alpha3/resourceclaims/default/a", b"not JSON", 1, 1)
    assert chosen(fields="metadata.name=a").matches(unreadable)
    assert not chosen("a=b", "metadata.name=other").matches(unreadable)


def test_a_kind_may_have_fields_of_its_own() -> None:
    found = SelectionPredicate(
        None, field_selector.parse("spec.size=big"), lambda obj: {"spec.size": obj["spec"]["size"]}
    )
    assert found.matches(entry())
    other = SelectionPredicate(
        label_selector.parse("tier=x"), field_selector.parse("spec.size=small,metadata.name=a"),
        lambda obj: {"spec.size": obj["spec"]["size"]},
    )  # fmt: skip
    assert not other.matches(entry(tier="x"))


VALUES = st.dictionaries(st.sampled_from("ab"), st.sampled_from(["x", "y"]), max_size=2)


@given(st.lists(VALUES, max_size=6), st.sampled_from(["a=x", "!a", "b in (x,y)", "a!=y,b"]))
def test_entries_selected_together_are_those_that_match_alone(
    labels: list[dict[str, str]], selector: str
) -> None:
    entries = [entry(f"n{number}", **each) for number, each in enumerate(labels)]
    parsed = label_selector.parse(selector)
    matching = [each for each, own in zip(entries, labels, strict=True) if parsed.matches(own)]
    for _ in range(2):
        assert chosen(selector).select(entries) == matching
        assert [each for each in entries if chosen(selector).matches(each)] == matching


def test_labels_of_large_objects_are_read_and_not_kept() -> None:
    large = Entry("/a/b", b'{"metadata":{"labels":{"a":"b"}},"x":"%b"}' % (b"y" * 10_000), 1, 1)
    assert chosen("a=b").matches(large)
    assert chosen("a=b").select([large]) == [large]


def test_labels_of_a_larger_object_than_is_kept_are_read_each_time() -> None:
    before = predicate._kept_labels.cache_info()
    value = b'{"metadata":{"labels":{"a":"b"}},"x":""}'
    for size in (LABELS_KEPT_BYTES_MAX, LABELS_KEPT_BYTES_MAX + 1):
        assert chosen("a=b").matches(
            Entry("/a/b", value[:-2] + b"y" * (size - len(value)) + value[-2:], 1, 1)
        )
    after = predicate._kept_labels.cache_info()
    assert after.hits + after.misses == before.hits + before.misses + 1
    assert after.maxsize == LABELS_KEPT
