"""Served resources create schemas and strategies on first use, and limit the cache of converted objects."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fakeapi.controlplane.registry import open_registry
from fakeapi.kinds import definition_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.definition import Strategies, StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.requests.decoding import read_object
from fakeapi.registry.requests.options import Warnings
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.converted_values import ConvertedValues
from fakeapi.releases import KNOWN_RELEASES, Kind, load_release, served
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.schemas import Schemas
from fakeapi_storage import Entry, open_storage
from tests.registry.world import CONTEXT, GROUP, Clock, resource_of

RELEASE = load_release("1.33")


class Compiled(Exception):
    """Raised if a test that must not use the Go types of the release uses one of them."""


@pytest.fixture
def no_types(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(schemas: Schemas, name: str) -> Struct:
        raise Compiled(name)

    monkeypatch.setattr(Schemas, "struct", refuse)


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_making_a_resource_compiles_no_schema_and_using_its_schema_does(name: str, no_types: None) -> None:
    release = load_release(name)
    for kind in release.kinds:
        resource = resource_of(kind, release)
        assert resource.key("", "a") == f"{resource.prefix}a"
        assert set(resource.subresources) <= {each.name for each in kind.subresources}
        with pytest.raises(Compiled):
            resource.manager("")
        with pytest.raises(Compiled):
            assert resource.schema
        with pytest.raises(Compiled):
            assert resource.hub_schema


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_opening_a_registry_compiles_no_schema(name: str, no_types: None) -> None:
    async def scenario() -> None:
        storage = await open_storage(None, window=1000)
        try:
            registry = open_registry(storage, served(name, {}), Clock())
            assert registry.catalogue.find("", "v1", "namespaces") is not None
        finally:
            await storage.close()

    asyncio.run(scenario())


def test_strategies_are_made_once_and_when_they_are_first_used() -> None:
    made: list[tuple[Kind, StrategyContext]] = []

    def strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
        made.append((kind, context))
        return {"": Strategy(), "status": Strategy()}

    kind = RELEASE.kind(GROUP, "v1beta1", "resourceclaims")
    resource = Resource(kind, RELEASE, lambda _: replace(definition_of(kind), strategies=strategies), CONTEXT)
    assert made == []
    assert resource.strategy_for("") is resource.strategies[""]
    assert resource.subresources["status"].body_type.strategy is resource.strategy_for("")
    assert made == [(kind, CONTEXT)]


def test_managers_are_made_once_each_and_when_they_are_first_used() -> None:
    resource = resource_of(RELEASE.kind(GROUP, "v1beta1", "resourceclaims"), RELEASE)
    assert resource._managers == {}
    manager, of_status = resource.manager(""), resource.manager("status")
    assert manager is not of_status
    assert (resource.manager(""), resource.manager("status")) == (manager, of_status)


def test_columns_and_field_labels_are_made_once_and_when_they_are_first_used() -> None:
    kind = RELEASE.kind(GROUP, "v1beta1", "resourceslices")
    made: list[str] = []

    def noting(name: str, factory: Callable[..., Any]) -> Callable[..., Any]:
        def note(*arguments: Any) -> Any:
            made.append(name)
            return factory(*arguments)

        return note

    whole = definition_of(kind)
    columns, labels = noting("columns", whole.columns), noting("labels", whole.field_labels)
    resource = Resource(
        kind, RELEASE, lambda _: replace(whole, columns=columns, field_labels=labels), CONTEXT
    )
    assert made == []
    assert resource.columns is resource.columns
    assert resource.field_labels is resource.field_labels
    assert made == ["columns", "labels"]


def test_subresources_are_those_that_have_a_strategy() -> None:
    kind = RELEASE.kind("", "v1", "namespaces")
    resource = resource_of(kind, RELEASE)
    assert set(resource.subresources) == {"status", "finalize"}
    fewer = {name: each for name, each in resource.strategies.items() if name != "finalize"}
    definition = replace(definition_of(kind), strategies=lambda kind, rules, context: fewer)
    assert set(Resource(kind, RELEASE, lambda _: definition, CONTEXT).subresources) == {"status"}


# converted objects ------------------------------------------------------------------------------


def claims(version: str) -> Resource:
    """Returns the ResourceClaim resource of a resource.k8s.io version, with an empty cache."""
    return resource_of(RELEASE.kind(GROUP, version, "resourceclaims"), RELEASE)


def hub_claim(number: int) -> Object:
    """Returns a ResourceClaim in the internal version, named after `number`.

    The number also decides whether the driver's parameters are compact JSON, and whether lists are empty.
    """
    subrequest = {"name": "big", "deviceClassName": "a"}
    requests: list[Object] = [
        {"name": "gpu", "deviceClassName": "a", "count": number + 1, "tolerations": [{"key": "k"}]},
        {"name": "any", "firstAvailable": [subrequest]},
    ]
    body = {
        "metadata": {"name": f"claim-{number}", "namespace": "default"},
        "spec": {
            "devices": {
                "requests": requests[: number % 3],
                "config": [{"opaque": {"driver": "a.example.com", "parameters": "HERE"}}],
            }
        },
    }
    driver = {"b": [number], "a": {}}
    parameters = json.dumps(driver, indent=1) if number % 2 else json.dumps(driver, separators=(",", ":"))
    text = json.dumps(body, separators=(",", ":")).replace('"HERE"', parameters).encode()
    resource = claims("v1beta1")
    obj = resource.to_hub(read_object(resource.body_type, text, "application/json", "Strict", Warnings()))
    if number == 4:
        obj["metadata"]["labels"] = {}
        obj["metadata"]["ownerReferences"] = []
    return obj


NUMBERS = range(6)
HUB_CLAIMS = [hub_claim(number) for number in NUMBERS]
VALUES = [stored_form.encode(obj, claims("v1beta2").schema) for obj in HUB_CLAIMS]


def answers(resource: Resource, value: bytes, revision: int) -> tuple[bytes, bytes, bytes]:
    entry = Entry("/k", value, revision, revision)
    return (
        resource.json_of(value, revision),
        resource.json_of_unstored(value, "5"),
        resource.item_of(entry),
    )


def test_the_examples_differ_and_some_keep_the_text_of_a_driver() -> None:
    assert len(set(VALUES)) == len(VALUES)
    assert {value[:1] for value in VALUES} == {b"{", stored_form.AS_WRITTEN}
    assert any(b'"requests":null' in value for value in VALUES)


@pytest.mark.parametrize("version", ["v1alpha3", "v1beta1", "v1beta2"])
@pytest.mark.parametrize("number", NUMBERS)
def test_the_answers_are_the_object_in_the_version_with_its_type_or_as_an_item_without(
    version: str, number: int
) -> None:
    resource = claims(version)
    answer, unstored, item = (json.loads(each) for each in answers(resource, VALUES[number], 7))
    whole = resource.from_hub(stored_form.decode_value(VALUES[number]))
    assert whole["apiVersion"] == f"{GROUP}/{version}"
    assert answer == {**whole, "metadata": {**whole["metadata"], "resourceVersion": "7"}}
    assert unstored == {**whole, "metadata": {**whole["metadata"], "resourceVersion": "5"}}
    assert item == {name: part for name, part in answer.items() if name not in ("kind", "apiVersion")}


@pytest.mark.parametrize("version", ["v1alpha3", "v1beta1", "v1beta2"])
@settings(max_examples=60, deadline=None)
@given(
    most=st.sampled_from([0, 1, 600, 1_500, 4_000]),
    steps=st.lists(st.tuples(st.booleans(), st.sampled_from(NUMBERS), st.integers(1, 9)), max_size=25),
)
def test_answers_are_the_same_whatever_was_kept_and_no_more_than_the_limit_is_kept(
    version: str, most: int, steps: list[tuple[bool, int, int]]
) -> None:
    keeping = claims(version)
    keeping._converted = ConvertedValues(most)
    for written, number, revision in steps:
        value = VALUES[number]
        if written:
            assert keeping.encode(HUB_CLAIMS[number]) == value
        assert answers(keeping, value, revision) == answers(claims(version), value, revision)
        assert keeping._converted.size <= most


class Counting:
    """Wraps a version conversion, and counts how many objects it converts from the internal version."""

    def __init__(self, whole: Conversion) -> None:
        self.count = 0
        self._whole = whole
        self.conversion = Conversion(whole.to_hub, self._from_hub)

    def _from_hub(self, obj: Object) -> Object:
        self.count += 1
        return self._whole.from_hub(obj)


def counted() -> tuple[Resource, Counting]:
    kind = RELEASE.kind(GROUP, "v1beta1", "resourceclaims")
    definition = definition_of(kind)
    counting = Counting(definition.conversions["v1beta1"])
    conversions = {**definition.conversions, "v1beta1": counting.conversion}
    return Resource(kind, RELEASE, lambda _: replace(definition, conversions=conversions), CONTEXT), counting


def test_an_object_is_converted_once_however_often_it_is_read() -> None:
    resource, counting = counted()
    for revision in (1, 2, 3):
        answers(resource, VALUES[0], revision)
    assert counting.count == 1
    resource._converted.clear()
    answers(resource, VALUES[0], 1)
    assert counting.count == 2, "forgotten, it is converted again"


def test_an_object_that_was_written_is_not_read_again_to_be_shown() -> None:
    resource, counting = counted()
    value = resource.encode(HUB_CLAIMS[1])
    answers(resource, value, 1)
    assert counting.count == 1
