"""The Python package `kubernetes_asyncio` works with v1alpha3 claims on 1.31 and 1.33 servers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from kubernetes_asyncio import client, config, watch
from kubernetes_asyncio.client.exceptions import ApiException

from fakeapi.testing.server import FakeAPI

NAMESPACE = "default"
Scenario = Callable[[client.ResourceV1alpha3Api], Awaitable[None]]


@pytest.fixture(params=["1.31", "1.33"])
def server(request: pytest.FixtureRequest, fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release=request.param)


def run(server: FakeAPI, scenario: Scenario) -> None:
    """Calls `scenario` with an API object of kubernetes_asyncio that uses the server's kubeconfig."""

    async def connected() -> None:
        async with await config.new_client_from_config(str(server.kubeconfig)) as connection:
            await scenario(client.ResourceV1alpha3Api(connection))

    asyncio.run(connected())


def claim(name: str, **metadata: Any) -> client.V1alpha3ResourceClaim:
    request = client.V1alpha3DeviceRequest(name="gpu", device_class_name="gpu.example.com")
    return client.V1alpha3ResourceClaim(
        api_version="resource.k8s.io/v1alpha3",
        kind="ResourceClaim",
        metadata=client.V1ObjectMeta(name=name, **metadata),
        spec=client.V1alpha3ResourceClaimSpec(devices=client.V1alpha3DeviceClaim(requests=[request])),
    )


def allocated(found: client.V1alpha3ResourceClaim, device: str) -> client.V1alpha3ResourceClaim:
    result = client.V1alpha3DeviceRequestAllocationResult(
        request="gpu", driver="gpu.example.com", pool="node-1", device=device
    )
    found.status = client.V1alpha3ResourceClaimStatus(
        allocation=client.V1alpha3AllocationResult(
            devices=client.V1alpha3DeviceAllocationResult(results=[result])
        )
    )
    return found


def consumer(name: str) -> client.V1alpha3ResourceClaimConsumerReference:
    return client.V1alpha3ResourceClaimConsumerReference(resource="pods", name=name, uid=f"uid-of-{name}")


def test_a_claim_is_created_read_listed_patched_replaced_and_deleted(server: FakeAPI) -> None:
    async def scenario(claims: client.ResourceV1alpha3Api) -> None:
        created = await claims.create_namespaced_resource_claim(NAMESPACE, claim("a", labels={"team": "red"}))
        assert created.metadata.uid
        assert created.spec.devices.requests[0].count == 1
        read = await claims.read_namespaced_resource_claim("a", NAMESPACE)
        assert read.to_dict() == created.to_dict()

        patched = await claims.patch_namespaced_resource_claim(
            "a", NAMESPACE, {"metadata": {"labels": {"team": "blue"}}}
        )
        assert patched.metadata.labels == {"team": "blue"}
        with pytest.raises(ApiException) as conflict:
            await claims.replace_namespaced_resource_claim("a", NAMESPACE, created)
        assert conflict.value.status == 409

        status = await claims.replace_namespaced_resource_claim_status(
            "a", NAMESPACE, allocated(patched, "gpu-0")
        )
        assert status.status.allocation.devices.results[0].device == "gpu-0"
        listed = await claims.list_namespaced_resource_claim(NAMESPACE, label_selector="team=blue")
        assert [item.status.to_dict() for item in listed.items] == [status.status.to_dict()]

        await claims.delete_namespaced_resource_claim("a", NAMESPACE)
        with pytest.raises(ApiException) as missing:
            await claims.read_namespaced_resource_claim("a", NAMESPACE)
        assert missing.value.status == 404

    run(server, scenario)


def test_a_watch_sees_what_happens_while_it_is_open(server: FakeAPI) -> None:
    async def scenario(claims: client.ResourceV1alpha3Api) -> None:
        seen: list[tuple[str, str]] = []
        began = asyncio.Event()

        async def observe() -> None:
            async with watch.Watch() as watcher:
                async for event in watcher.stream(
                    claims.list_namespaced_resource_claim, NAMESPACE, timeout_seconds=30
                ):
                    began.set()
                    assert isinstance(event["object"], client.V1alpha3ResourceClaim)
                    seen.append((event["type"], event["object"].metadata.name))
                    if event["type"] == "DELETED":
                        return

        await claims.create_namespaced_resource_claim(NAMESPACE, claim("first"))
        watching = asyncio.create_task(observe())
        await began.wait()
        created = await claims.create_namespaced_resource_claim(NAMESPACE, claim("second"))
        await claims.replace_namespaced_resource_claim_status(
            "second", NAMESPACE, allocated(created, "gpu-1")
        )
        await claims.delete_namespaced_resource_claim("second", NAMESPACE)
        await watching
        assert seen == [
            ("ADDED", "first"),
            ("ADDED", "second"),
            ("MODIFIED", "second"),
            ("DELETED", "second"),
        ]

    run(server, scenario)


def test_of_two_schedulers_that_race_for_a_claim_one_wins_and_the_other_retries(server: FakeAPI) -> None:
    async def scenario(claims: client.ResourceV1alpha3Api) -> None:
        await claims.create_namespaced_resource_claim(NAMESPACE, claim("contended"))
        both_have_read = asyncio.Event()
        reading = {"left", "right"}
        conflicts: dict[str, int] = {}
        winners: list[str] = []

        async def schedule(name: str) -> None:
            """Acts as a scheduler: allocates the claim if needed, then reserves it for its own pod.

            Reads the claim again and retries after 409 Conflict.
            """
            own_claim = await claims.read_namespaced_resource_claim("contended", NAMESPACE)
            reading.discard(name)
            if not reading:
                both_have_read.set()
            await both_have_read.wait()
            while True:
                first = own_claim.status.allocation is None
                if first:
                    allocated(own_claim, f"chosen-by-{name}")
                own_claim.status.reserved_for = [*(own_claim.status.reserved_for or ()), consumer(name)]
                try:
                    await claims.replace_namespaced_resource_claim_status("contended", NAMESPACE, own_claim)
                except ApiException as error:
                    conflicts[name] = error.status
                    own_claim = await claims.read_namespaced_resource_claim("contended", NAMESPACE)
                    continue
                if first:
                    winners.append(name)
                return

        await asyncio.gather(schedule("left"), schedule("right"))
        final = (await claims.read_namespaced_resource_claim("contended", NAMESPACE)).status
        assert len(winners) == 1
        assert conflicts == {name: 409 for name in ("left", "right") if name not in winners}
        assert final.allocation.devices.results[0].device == f"chosen-by-{winners[0]}"
        assert sorted(pod.name for pod in final.reserved_for) == ["left", "right"]

    run(server, scenario)
