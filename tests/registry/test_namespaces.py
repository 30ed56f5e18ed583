"""A new cluster has Kubernetes' initial namespaces. Requests for objects in a missing namespace get 404."""

import asyncio

import pytest

from fakeapi.controlplane.bootstrap.namespaces import INITIAL_NAMESPACES
from fakeapi.controlplane.registry import open_registry
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.releases import served
from fakeapi.releases.offered import RELEASES
from fakeapi_storage import open_storage
from tests.registry.world import Clock, World, in_world


def test_the_namespaces_that_always_exist_do_and_others_are_404() -> None:
    async def scenario(world: World) -> None:
        for name in INITIAL_NAMESPACES:
            world.registry.namespaces.check_creation(world.claims, ObjectReference(name), {})
            assert world.registry.namespaces.labels(name) == {"kubernetes.io/metadata.name": name}
        with pytest.raises(ApiError) as missing:
            world.registry.namespaces.check_creation(world.claims, ObjectReference("missing"), {})
        assert (missing.value.code, missing.value.message) == (404, 'namespaces "missing" not found')
        assert world.registry.namespaces.labels("missing") is None
        world.registry.namespaces.check_creation(world.resource("namespaces"), ObjectReference(""), {})

    in_world(scenario)


@pytest.mark.parametrize("name", [".", "..", "a%b"])
def test_a_namespace_that_no_path_can_hold_is_an_error_of_the_server_as_upstream(name: str) -> None:
    async def scenario(world: World) -> None:
        with pytest.raises(ApiError) as refused:
            world.registry.namespaces.check_creation(world.claims, ObjectReference(name), {})
        assert (refused.value.code, refused.value.reason) == (500, "InternalError")
        assert f'invalid resource name "{name}"' in refused.value.message

    in_world(scenario)


@pytest.mark.parametrize("release", RELEASES)
def test_a_new_cluster_has_the_namespaces_that_creates_would_store(release: str) -> None:
    async def stored(*before: str) -> list[tuple[str, bytes]]:
        storage = await open_storage(None)
        for key in before:
            await storage.create(key, b"")
        await open_registry(storage, served(release, {}), Clock()).ensure_initial_objects()
        entries = storage.list("/core/namespaces/").entries
        await storage.close()
        return [(entry.key, entry.value) for entry in entries]

    async def compare() -> None:
        written = await stored()
        assert len(written) == len(INITIAL_NAMESPACES)
        assert written == await stored("/something")

    asyncio.run(compare())
