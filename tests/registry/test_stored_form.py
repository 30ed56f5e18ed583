"""The stored form: an object's JSON with room for its version."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.registry import stored_form
from fakeapi_storage import Entry
from tests.registry.world import World, in_world

TEXT = st.text(max_size=12)
OBJECT = st.fixed_dictionaries(
    {
        "kind": st.just("ResourceClaim"),
        "apiVersion": st.just("resource.k8s.io/v1alpha3"),
        "metadata": st.fixed_dictionaries(
            {"name": st.just("a"), "creationTimestamp": st.just("2026-01-01T00:00:00Z")},
            optional={
                "labels": st.dictionaries(TEXT, TEXT, max_size=3),
                "annotations": st.dictionaries(TEXT, TEXT | st.just('"resourceVersion":""'), max_size=3),
                "resourceVersion": st.just("5"),
                "uid": st.uuids().map(str),
            },
        ),
        "spec": st.just({"devices": {"requests": None}}),
    }
)


def without_version(obj: dict[str, Any]) -> dict[str, Any]:
    meta = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "metadata": meta}


@settings(max_examples=60)
@given(obj=OBJECT, revision=st.integers(1, 2**40))
def test_an_object_comes_back_as_it_was_stored_with_the_version_of_its_revision(
    obj: dict[str, Any], revision: int
) -> None:
    value = stored_form._encode(obj)
    entry = Entry("/k", value, revision, revision)
    assert stored_form.decode(entry) == json.loads(stored_form.with_version(value, revision))
    found = stored_form.decode(entry)
    assert found["metadata"]["resourceVersion"] == str(revision)
    assert without_version(found) == without_version(obj)
    assert json.loads(stored_form.with_given_version(value, "")) == without_version(obj)
    given = json.loads(stored_form.with_given_version(value, 'x"5'))["metadata"]["resourceVersion"]
    assert given == 'x"5'


@settings(max_examples=30)
@given(obj=OBJECT)
def test_a_list_item_is_the_object_without_its_type(obj: dict[str, Any]) -> None:
    prefix = stored_form.type_prefix(obj["kind"], obj["apiVersion"])
    value = stored_form._encode(obj)
    assert value.startswith(prefix)
    item = json.loads(stored_form.list_item(Entry("/k", value, 7, 7), prefix))
    expected = {name: value for name, value in obj.items() if name not in ("kind", "apiVersion")}
    assert without_version(item) == without_version(expected)
    assert item["metadata"]["resourceVersion"] == "7"


def test_empty_lists_and_maps_are_stored_as_protobuf_would_give_them_back() -> None:
    async def scenario(world: World) -> None:
        obj = world.claims.empty_object()
        obj["metadata"] |= {"name": "a", "labels": {}, "annotations": {"text": ":[]"}}
        obj["spec"]["devices"]["requests"] = []
        stored = json.loads(stored_form.encode(obj, world.claims.schema))
        assert stored["spec"]["devices"]["requests"] is None
        assert stored["metadata"]["annotations"] == {"text": ":[]"}

    in_world(scenario)


def test_the_version_is_written_where_kubernetes_writes_it() -> None:
    meta = {"creationTimestamp": "t", "uid": "u", "name": "n", "namespace": "s"}
    value = stored_form._encode({"metadata": meta, "kind": "K", "apiVersion": "v"})
    names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
    assert list(json.loads(value)["metadata"]) == names
