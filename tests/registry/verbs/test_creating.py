"""Creates: fields that the server sets, generated names, and errors."""

import pytest

from tests.registry.world import World, in_world, refusal, version_of

LATER = 90


def test_a_created_object_gets_uid_time_and_version_from_the_server() -> None:
    async def scenario(world: World) -> None:
        body = world.claim(
            "a", uid="mine", creationTimestamp="2001-01-01T00:00:00Z", selfLink="/x", generation=7
        )
        meta = (await world.create(body))["metadata"]
        assert meta["uid"] != "mine"
        assert meta["creationTimestamp"] == "2027-01-15T08:00:00Z"
        assert "selfLink" not in meta
        assert world.get("a")["metadata"] == meta

    in_world(scenario)


def test_versions_grow_over_all_objects() -> None:
    async def scenario(world: World) -> None:
        versions = [version_of(await world.create(world.claim(f"c{number}"))) for number in range(5)]
        assert versions == sorted(set(versions))
        assert versions[-1] == world.storage.revision

    in_world(scenario)


def test_a_name_is_taken_once_in_a_namespace() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        error = await refusal(world.create(world.claim("a")))
        assert (error.code, error.reason) == (409, "AlreadyExists")
        assert error.message == 'resourceclaims.resource.k8s.io "a" already exists'
        await world.create(world.claim("a"), namespace="kube-system")

    in_world(scenario)


def test_a_generated_name_is_the_prefix_and_five_letters() -> None:
    async def scenario(world: World) -> None:
        first = await world.create(world.claim(generateName="claim-"))
        second = await world.create(world.claim(generateName="claim-"))
        found = [obj["metadata"]["name"] for obj in (first, second)]
        assert len(set(found)) == 2
        assert all(name.startswith("claim-") and len(name) == len("claim-") + 5 for name in found)

    in_world(scenario)


def test_what_may_not_be_created_is_told_before_what_is_wrong_with_its_metadata() -> None:
    async def scenario(world: World) -> None:
        body = world.claim("Bad_Name")
        body["spec"]["devices"]["requests"][0]["adminAccess"] = True
        error = await refusal(world.create(body))
        assert error.details is not None
        assert [cause.field for cause in error.details.causes] == [
            "spec.devices.requests[0].adminAccess",
            "metadata.name",
        ]

    in_world(scenario, release="1.33", DRAAdminAccess=True)


@pytest.mark.parametrize(("release", "retries"), [("1.31", True), ("1.27", False)])
def test_a_generated_name_that_is_taken_is_drawn_again_where_the_release_does_so(
    release: str,
    retries: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    async def scenario(world: World) -> None:
        suffixes = iter(["taken", "taken", "fresh"])
        world.clock.suffix = lambda: next(suffixes)  # type: ignore[method-assign]
        await world.create(world.claim(generateName="c-"))
        if retries:
            again = await world.create(world.claim(generateName="c-"))
            assert again["metadata"]["name"] == "c-fresh"
        else:
            error = await refusal(world.create(world.claim(generateName="c-")))
            assert (error.code, error.retry_after) == (409, 1)
            assert error.message.endswith("the server was not able to generate a unique name for the object")

    in_world(scenario, release)


def test_a_dry_run_of_a_create_gives_back_the_version_that_it_was_sent() -> None:
    async def scenario(world: World) -> None:
        sent = world.claim("a", resourceVersion="5")
        assert (await world.create(sent, dry_run=True))["metadata"]["resourceVersion"] == "5"
        assert "resourceVersion" not in (await world.create(world.claim("a"), dry_run=True))["metadata"]
        assert (await refusal(world.create(sent))).code == 500

    in_world(scenario)
