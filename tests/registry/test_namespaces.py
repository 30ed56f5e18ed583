"""Namespaces as other kinds need them."""

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.options import ObjectReference
from fakeapi.registry.registry import INITIAL_NAMESPACES
from tests.registry.world import World, in_world


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
