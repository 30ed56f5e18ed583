"""The server creates a resource's initial objects on its first use, and again after a restore or reset."""

import asyncio

from tests.registry.world import World, in_world

SCHEDULING = ("scheduling.k8s.io", "priorityclasses")


def test_a_replaced_state_gets_its_objects_although_a_request_was_creating_them() -> None:
    async def scenario(world: World) -> None:
        bootstrap, classes = world.registry.bootstrap, world.resource("priorityclasses", group=SCHEDULING[0])
        creating = asyncio.create_task(bootstrap.ensure(classes))
        await asyncio.sleep(0)
        bootstrap.start_over()
        await creating
        assert SCHEDULING in bootstrap.pending

    in_world(scenario)


def test_only_the_objects_that_a_snapshot_lacks_are_created_after_its_restore() -> None:
    async def scenario(world: World) -> None:
        bootstrap, classes = world.registry.bootstrap, world.resource("priorityclasses", group=SCHEDULING[0])
        bootstrap.start_over(())
        await bootstrap.ensure(classes)
        assert not world.storage.list(classes.prefix).entries
        bootstrap.start_over((SCHEDULING,))
        await bootstrap.ensure(classes)
        assert world.storage.list(classes.prefix).entries

    in_world(scenario)
