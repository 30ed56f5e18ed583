"""Kinds without their own module use a generic definition."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fakeapi.kinds import definition_of
from fakeapi.kinds.generic import StatusStrategy, WithStatusStrategy
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.deletion_policies import delete_after_finalizers
from fakeapi.registry.model.strategy import Strategy
from fakeapi.releases import load_release
from tests.registry.world import World, in_world, names, refusal, resource_of, version_of, widgets

RELEASE = load_release("1.33")
STATUS = {"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]}


def widget(name: str = "a", request: str = "gpu", **fields: Any) -> Object:
    wanted = {
        "name": request,
        "deviceClassName": "gpu.example.com",
        "allocationMode": "ExactCount",  # the type's defaults for both fields
        "count": 1,
    }
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [wanted]}}, **fields}


def with_widgets(scenario: Callable[[World], Awaitable[None]], **fields: Any) -> None:
    async def run(world: World) -> None:
        world.registry.serve([widgets(RELEASE, **fields)], RELEASE)
        await scenario(world.on(world.resource("widgets", "v1", "example.com")))

    in_world(run, "1.33")


@pytest.mark.parametrize(
    ("group", "resource"),
    [
        ("example.com", "widgets"),
        ("resource-k8s-io", "resourceclaims"),
        ("resource.k8s.io", "widgets"),
        ("", "widgets"),
        ("core", "namespaces"),
        ("generic", "widgets"),
    ],
)
def test_a_kind_that_no_module_covers_has_the_generic_definition(group: str, resource: str) -> None:
    found = definition_of(widgets(RELEASE, group=group, resource=resource))
    assert (found.group, found.resource) == (group, resource)
    assert found.conversions == {}
    assert found.deletion is delete_after_finalizers
    assert found.immortal == frozenset()


def test_a_kind_with_a_status_has_a_strategy_for_it() -> None:
    strategies = resource_of(widgets(RELEASE), RELEASE).strategies
    assert {name: type(each) for name, each in strategies.items()} == {
        "": WithStatusStrategy,
        "status": StatusStrategy,
    }
    assert {name: each.reset_fields for name, each in strategies.items()} == {
        "": (("status",),),
        "status": (("spec",),),
    }


def test_a_kind_without_a_status_has_no_rules_but_those_of_every_kind() -> None:
    resource = resource_of(widgets(RELEASE, subresources=()), RELEASE)
    assert {name: type(each) for name, each in resource.strategies.items()} == {"": Strategy}
    assert resource.subresources == {}


def test_a_widget_is_made_listed_changed_and_deleted() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(widget())
        assert (created["kind"], created["apiVersion"]) == ("Widget", "example.com/v1")
        [entry] = world.list().entries
        assert (entry.key, names(world.list())) == ("/example.com/widgets/default/a", ["a"])
        assert world.get("a") == created
        patched = await world.patch("a", {"metadata": {"labels": {"x": "1"}}})
        assert patched["metadata"]["labels"] == {"x": "1"}
        gone = await world.delete("a")
        assert gone["status"] == "Success"
        assert gone["details"] == {
            "name": "a",
            "group": "example.com",
            "kind": "widgets",
            "uid": created["metadata"]["uid"],
        }
        assert (await refusal(world.delete("a"))).message == 'widgets.example.com "a" not found'

    with_widgets(scenario)


def test_widgets_are_no_claims() -> None:
    async def scenario(world: World) -> None:
        await world.create(widget())
        claims = world.on(world.resource("resourceclaims", "v1beta1", "resource.k8s.io"))
        assert names(claims.list()) == []

    with_widgets(scenario)


def test_a_write_to_the_object_leaves_its_status_alone() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(widget(status=STATUS))
        assert not created.get("status")
        await world.update(widget(status=STATUS), "status")
        updated = await world.update(widget(request="other", status={}))
        assert updated["status"] == STATUS
        assert updated["spec"] == widget(request="other")["spec"]

    with_widgets(scenario)


def test_a_write_to_status_leaves_spec_and_labels_alone() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(widget())
        sent = widget(request="other", status=STATUS)
        sent["metadata"]["labels"] = {"x": "1"}
        updated = await world.update(sent, "status")
        assert (updated["spec"], updated["status"]) == (created["spec"], STATUS)
        assert "labels" not in updated["metadata"]

    with_widgets(scenario)


def test_generations_count_changes_outside_of_metadata_and_status() -> None:
    async def scenario(world: World) -> None:
        generations = []

        async def note(write: Awaitable[Object]) -> None:
            generations.append((await write)["metadata"]["generation"])

        sent = widget()
        sent["metadata"]["generation"] = 9
        await note(world.create(sent))
        await note(world.update(widget()))
        await note(world.patch("a", {"metadata": {"labels": {"x": "1"}}}))
        await note(world.update(widget(status=STATUS), "status"))
        await note(world.update(widget(request="other")))
        await note(world.patch("a", {"spec": widget()["spec"]}))
        assert generations == [1, 1, 1, 1, 2, 3]

    with_widgets(scenario)


def test_a_kind_without_a_status_counts_no_generations() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(widget(status=STATUS))
        updated = await world.update(widget(request="other", status=STATUS))
        assert "generation" not in created["metadata"]
        assert "generation" not in updated["metadata"]
        assert (created["status"], updated["status"]) == (STATUS, STATUS)

    with_widgets(scenario, subresources=())


def test_an_update_that_changes_nothing_keeps_the_version() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(widget())
        assert version_of(await world.update(world.get("a"))) == version_of(created)
        reported = await world.update(widget(status=STATUS), "status")
        assert version_of(await world.update(widget(status=STATUS), "status")) == version_of(reported)
        assert version_of(await world.update(world.get("a"))) == version_of(reported)

    with_widgets(scenario)


def test_only_the_metadata_of_a_widget_is_validated() -> None:
    async def scenario(world: World) -> None:
        assert (await refusal(world.create(widget("Bad_Name")))).code == 422
        created = await world.create(widget(request="Bad_Name"))
        assert created["spec"] == widget(request="Bad_Name")["spec"]

    with_widgets(scenario)


def test_a_status_write_changes_the_status_and_no_other_field() -> None:
    strategy = StatusStrategy()
    old = {"metadata": {"name": "a"}, "data": {"a": "1"}}
    new = {"metadata": {"name": "a"}, "data": {"a": "2"}, "spec": {}, "status": {"x": 1}}
    assert strategy.prepare_update(new, old) == {**old, "status": {"x": 1}}
    assert strategy.prepare_update({"metadata": {"name": "a"}}, old) == old
