"""The catalogue: what is served, in which order, and the namespaces that exist."""

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.catalogue import INITIAL_NAMESPACES
from fakeapi.registry.options import ObjectReference
from tests.registry.world import GROUP, World, in_world


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


def test_the_namespaces_that_always_exist_do_and_others_are_404() -> None:
    async def scenario(world: World) -> None:
        for name in INITIAL_NAMESPACES:
            world.catalogue.check_namespace(world.storage, world.claims, ObjectReference(name), {})
            assert world.catalogue.namespace_labels(world.storage, name) == {
                "kubernetes.io/metadata.name": name
            }
        with pytest.raises(ApiError) as missing:
            world.catalogue.check_namespace(world.storage, world.claims, ObjectReference("missing"), {})
        assert (missing.value.code, missing.value.message) == (404, 'namespaces "missing" not found')
        assert world.catalogue.namespace_labels(world.storage, "missing") is None
        world.catalogue.check_namespace(world.storage, world.catalogue.namespaces, ObjectReference(""), {})

    in_world(scenario)


@pytest.mark.parametrize("name", [".", "..", "a%b"])
def test_a_namespace_that_no_path_can_hold_is_an_error_of_the_server_as_upstream(name: str) -> None:
    async def scenario(world: World) -> None:
        with pytest.raises(ApiError) as refused:
            world.catalogue.check_namespace(world.storage, world.claims, ObjectReference(name), {})
        assert (refused.value.code, refused.value.reason) == (500, "InternalError")
        assert f'invalid resource name "{name}"' in refused.value.message

    in_world(scenario)
