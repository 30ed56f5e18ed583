"""The catalogue of served resources: its order, and changes while the server runs."""

from dataclasses import fields

import pytest

from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Kind, load_release
from tests.registry.world import GROUP, World, in_world, resource_of, widgets

RELEASE = load_release("1.33")


@pytest.mark.parametrize(
    ("release", "version"), [("1.27", "v1alpha2"), ("1.30", "v1alpha2"), ("1.31", "v1alpha3")]
)
def test_a_release_serves_the_claims_of_its_version(release: str, version: str) -> None:
    async def scenario(world: World) -> None:
        other = "v1alpha3" if version == "v1alpha2" else "v1alpha2"
        assert world.catalogue.versions(GROUP) == [version]
        assert world.catalogue.find(GROUP, version, "resourceclaims") is world.claims
        assert world.catalogue.find(GROUP, other, "resourceclaims") is None
        assert world.catalogue.find(GROUP, version, "surprises") is None
        assert world.catalogue.has_group(GROUP)
        assert world.catalogue.has_group("")
        assert not world.catalogue.has_group("example.com")
        names = [resource.kind.resource for resource in world.catalogue.of_version(GROUP, version)]
        assert names == sorted(names)
        assert "resourceclaims" in names

    in_world(scenario, release)


def widget(version: str = "v1", resource: str = "widgets", group: str = "example.com") -> Resource:
    return resource_of(widgets(RELEASE, version=version, resource=resource, group=group), RELEASE)


def test_an_empty_catalogue_serves_nothing() -> None:
    catalogue = Catalogue((), RELEASE)
    assert (catalogue.resources, catalogue.groups(), catalogue.versions("example.com")) == ([], [], [])
    assert not catalogue.has_group("example.com")
    assert catalogue.primary is RELEASE


def test_a_resource_is_found_from_when_it_is_added_until_it_is_removed() -> None:
    first, second = widget(), widget("v1beta1")
    catalogue = Catalogue([first], RELEASE)
    catalogue.add(second)
    assert catalogue.resources == [first, second]
    assert catalogue.versions("example.com") == ["v1", "v1beta1"]
    assert catalogue.find("example.com", "v1beta1", "widgets") is second
    catalogue.remove(second)
    assert catalogue.find("example.com", "v1beta1", "widgets") is None
    assert catalogue.find("example.com", "v1", "widgets") is first
    assert catalogue.versions("example.com") == ["v1"]
    assert catalogue.has_group("example.com")
    catalogue.remove(first)
    assert not catalogue.has_group("example.com")
    catalogue.add(second)
    assert catalogue.resources == [second]


def test_groups_come_once_each_in_the_order_in_which_they_were_added() -> None:
    added = [widget(group="b"), widget(group="a"), widget("v2", group="b"), widget(group="")]
    assert Catalogue(added, RELEASE).groups() == ["b", "a", ""]


def custom(group: str, *versions: str) -> list[Resource]:
    """Returns a fake custom resource for each version, with the attributes that a catalogue uses."""

    class Custom(Kind):
        @property
        def unstructured(self) -> bool:
            return True

    return [
        resource_of(Custom(**{each.name: getattr(kind, each.name) for each in fields(Kind)}), RELEASE)
        for kind in (widgets(RELEASE, version=each, group=group) for each in versions)
    ]


def test_groups_of_custom_resources_come_last_by_their_first_version_or_by_name() -> None:
    catalogue = Catalogue([*custom("a", "v1beta1"), *custom("c", "v2", "v1"), widget(group="z")], RELEASE)
    assert catalogue.groups() == ["z", "c", "a"]
    assert catalogue.groups(by_version=False) == ["z", "a", "c"]


def test_versions_of_custom_resources_come_before_those_of_the_group_itself() -> None:
    catalogue = Catalogue([widget("v2", group="z"), *custom("z", "v1", "foo", "v10beta1", "v3")], RELEASE)
    assert catalogue.versions("z") == ["v3", "v1", "v10beta1", "foo", "v2"]


def test_the_resources_of_a_version_come_by_name() -> None:
    late, early, other = widget(resource="z"), widget(resource="a"), widget("v2", resource="b")
    assert Catalogue([late, other, early], RELEASE).of_version("example.com", "v1") == [early, late]


def test_a_second_resource_of_the_same_name_is_a_value_error() -> None:
    first = widget()
    catalogue = Catalogue([first], RELEASE)
    with pytest.raises(ValueError, match=r"^example\.com/v1 widgets is served already"):
        catalogue.add(widget())
    assert catalogue.find("example.com", "v1", "widgets") is first
    assert catalogue.resources == [first]
    with pytest.raises(ValueError, match="widgets is served already"):
        Catalogue([widget(), widget()], RELEASE)


def test_removing_what_is_not_served_is_a_key_error() -> None:
    catalogue = Catalogue([widget()], RELEASE)
    with pytest.raises(KeyError):
        catalogue.remove(widget("v2"))
    assert len(catalogue.resources) == 1


def test_the_generation_grows_with_every_change_and_stays_otherwise() -> None:
    catalogue = Catalogue((), RELEASE)
    seen = [catalogue.generation]
    added = widget()
    for change in (catalogue.add, catalogue.remove):
        change(added)
        seen.append(catalogue.generation)
    assert seen == sorted(set(seen)), "each larger than the one before"
    catalogue.find("example.com", "v1", "widgets")
    catalogue.groups()
    assert catalogue.generation == seen[-1]


def test_subscribers_are_called_with_each_removed_resource_when_it_is_gone() -> None:
    first, second = widget(), widget("v2")
    catalogue = Catalogue([first, second], RELEASE)
    calls: list[tuple[str, Resource, list[Resource]]] = []
    catalogue.subscribe(lambda resource: calls.append(("a", resource, catalogue.resources)))
    catalogue.subscribe(lambda resource: calls.append(("b", resource, catalogue.resources)))
    catalogue.add(widget("v3"))
    assert calls == []
    left = catalogue.resources[2:]
    catalogue.remove(first, second)
    assert calls == [("a", first, left), ("b", first, left), ("a", second, left), ("b", second, left)]


def test_who_has_unsubscribed_is_called_no_more() -> None:
    first, second = widget(), widget("v2")
    catalogue = Catalogue([first, second], RELEASE)
    called: list[Resource] = []
    end = catalogue.subscribe(called.append)
    catalogue.remove(first)
    end()
    catalogue.remove(second)
    assert called == [first]


def test_a_subscriber_that_ends_itself_keeps_no_other_from_its_call() -> None:
    first = widget()
    catalogue = Catalogue([first], RELEASE)
    called: list[str] = []

    def once(resource: Resource) -> None:
        called.append("once")
        end()

    end = catalogue.subscribe(once)
    catalogue.subscribe(lambda resource: called.append("always"))
    catalogue.remove(first)
    catalogue.add(first)
    catalogue.remove(first)
    assert called == ["once", "always", "always"]


def test_resources_are_added_and_removed_together_or_not_at_all() -> None:
    first, other = widget(), widget(resource="gadgets")
    catalogue = Catalogue([first], RELEASE)
    before = catalogue.generation
    with pytest.raises(ValueError, match="served already"):
        catalogue.add(other, widget())
    with pytest.raises(KeyError):
        catalogue.remove(first, other)
    assert (catalogue.resources, catalogue.generation) == ([first], before)
