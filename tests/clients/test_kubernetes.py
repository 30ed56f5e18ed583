"""The Python package `kubernetes` works with v1alpha2 claims on a 1.30 server."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

from fakeapi.testing.server import FakeAPI

pytestmark = pytest.mark.fakeapi(release="1.30")

NAMESPACE = "default"


@pytest.fixture
def claims(fakeapi: FakeAPI) -> Iterator[client.ResourceV1alpha2Api]:
    """Connects the Python package `kubernetes` to the v1alpha2 API of the server; yields its client."""
    yield from connected(fakeapi)


def connected(server: FakeAPI) -> Iterator[client.ResourceV1alpha2Api]:
    with config.new_client_from_config(str(server.kubeconfig)) as connection:
        yield client.ResourceV1alpha2Api(connection)


def claim(name: str, **metadata: Any) -> client.V1alpha2ResourceClaim:
    return client.V1alpha2ResourceClaim(
        api_version="resource.k8s.io/v1alpha2",
        kind="ResourceClaim",
        metadata=client.V1ObjectMeta(name=name, **metadata),
        spec=client.V1alpha2ResourceClaimSpec(resource_class_name="gpu.example.com"),
    )


def allocated(found: client.V1alpha2ResourceClaim, driver: str) -> client.V1alpha2ResourceClaim:
    found.status = client.V1alpha2ResourceClaimStatus(
        driver_name=driver, allocation=client.V1alpha2AllocationResult(shareable=True)
    )
    return found


def consumer(name: str) -> client.V1alpha2ResourceClaimConsumerReference:
    return client.V1alpha2ResourceClaimConsumerReference(resource="pods", name=name, uid=f"uid-of-{name}")


def test_a_claim_is_created_read_listed_patched_replaced_and_deleted(
    claims: client.ResourceV1alpha2Api,
) -> None:
    created = claims.create_namespaced_resource_claim(NAMESPACE, claim("a", labels={"team": "red"}))
    assert created.metadata.uid
    assert created.metadata.creation_timestamp.tzinfo is not None
    assert created.spec.allocation_mode == "WaitForFirstConsumer"

    read = claims.read_namespaced_resource_claim("a", NAMESPACE)
    assert read.to_dict() == created.to_dict()

    patched = claims.patch_namespaced_resource_claim(
        "a", NAMESPACE, {"metadata": {"labels": {"team": "blue"}}}
    )
    assert patched.metadata.labels == {"team": "blue"}
    assert int(patched.metadata.resource_version) > int(created.metadata.resource_version)

    with pytest.raises(ApiException) as conflict:
        claims.replace_namespaced_resource_claim("a", NAMESPACE, created)
    assert conflict.value.status == 409
    patched.metadata.annotations = {"note": "replaced"}
    replaced = claims.replace_namespaced_resource_claim("a", NAMESPACE, patched)
    assert replaced.metadata.annotations == {"note": "replaced"}

    status = claims.replace_namespaced_resource_claim_status(
        "a", NAMESPACE, allocated(replaced, "gpu.example.com")
    )
    assert status.status.driver_name == "gpu.example.com"

    deleted = claims.delete_namespaced_resource_claim("a", NAMESPACE)
    assert deleted.metadata.name == "a"
    with pytest.raises(ApiException) as missing:
        claims.read_namespaced_resource_claim("a", NAMESPACE)
    assert missing.value.status == 404


def test_lists_are_selected_paged_and_cover_all_namespaces(claims: client.ResourceV1alpha2Api) -> None:
    for number in range(5):
        claims.create_namespaced_resource_claim(
            NAMESPACE, claim(f"c{number}", labels={"odd": str(number % 2)})
        )
    claims.create_namespaced_resource_claim("kube-system", claim("elsewhere"))
    odd = claims.list_namespaced_resource_claim(NAMESPACE, label_selector="odd=1")
    assert [item.metadata.name for item in odd.items] == ["c1", "c3"]
    named = claims.list_resource_claim_for_all_namespaces(field_selector="metadata.name=elsewhere")
    assert [item.metadata.namespace for item in named.items] == ["kube-system"]
    first = claims.list_resource_claim_for_all_namespaces(limit=4)
    rest = claims.list_resource_claim_for_all_namespaces(limit=4, _continue=first.metadata._continue)
    assert first.metadata.remaining_item_count == 2
    assert [item.metadata.name for item in (*first.items, *rest.items)] == [
        *(f"c{number}" for number in range(5)),
        "elsewhere",
    ]


def test_a_watch_tells_the_life_of_a_claim_from_a_version_on(claims: client.ResourceV1alpha2Api) -> None:
    version = claims.list_namespaced_resource_claim(NAMESPACE).metadata.resource_version
    created = claims.create_namespaced_resource_claim(NAMESPACE, claim("a"))
    claims.replace_namespaced_resource_claim_status("a", NAMESPACE, allocated(created, "gpu.example.com"))
    claims.delete_namespaced_resource_claim("a", NAMESPACE)
    watcher = watch.Watch()
    seen: list[tuple[str, bool]] = []
    for event in watcher.stream(
        claims.list_namespaced_resource_claim, NAMESPACE, resource_version=version, timeout_seconds=30
    ):
        assert isinstance(event["object"], client.V1alpha2ResourceClaim)
        seen.append((event["type"], event["object"].status.allocation is not None))
        if event["type"] == "DELETED":
            watcher.stop()
    assert seen == [("ADDED", False), ("MODIFIED", True), ("DELETED", True)]


def test_of_two_schedulers_that_race_for_a_claim_one_wins_and_the_other_retries(
    fakeapi: FakeAPI, claims: client.ResourceV1alpha2Api
) -> None:
    claims.create_namespaced_resource_claim(NAMESPACE, claim("contended"))
    both_have_read = threading.Barrier(2)
    conflicts: dict[str, int] = {}
    winners: list[str] = []

    def schedule(name: str) -> None:
        """Acts as a scheduler: allocates the claim if it is not allocated, then reserves it for its own pod.

        Reads the claim again and retries after 409 Conflict.
        """
        for api in connected(fakeapi):
            own_claim = api.read_namespaced_resource_claim("contended", NAMESPACE)
            both_have_read.wait()
            while True:
                first = own_claim.status.allocation is None
                if first:
                    allocated(own_claim, f"{name}.example.com")
                own_claim.status.reserved_for = [*(own_claim.status.reserved_for or ()), consumer(name)]
                try:
                    api.replace_namespaced_resource_claim_status("contended", NAMESPACE, own_claim)
                except ApiException as error:
                    conflicts[name] = error.status
                    own_claim = api.read_namespaced_resource_claim("contended", NAMESPACE)
                    continue
                if first:
                    winners.append(name)
                return

    schedulers = [threading.Thread(target=schedule, args=(name,)) for name in ("left", "right")]
    for scheduler in schedulers:
        scheduler.start()
    for scheduler in schedulers:
        scheduler.join()
    final = claims.read_namespaced_resource_claim("contended", NAMESPACE).status
    assert len(winners) == 1
    assert conflicts == {name: 409 for name in ("left", "right") if name not in winners}
    assert final.driver_name == f"{winners[0]}.example.com"
    assert sorted(pod.name for pod in final.reserved_for) == ["left", "right"]


@pytest.mark.fakeapi(release="1.30", tls=True, token="secret")
def test_the_kubeconfig_carries_the_authority_and_the_token(
    fakeapi: FakeAPI, claims: client.ResourceV1alpha2Api
) -> None:
    assert fakeapi.url.startswith("https://")
    claims.create_namespaced_resource_claim(NAMESPACE, claim("a"))
    assert len(claims.list_namespaced_resource_claim(NAMESPACE).items) == 1
    claims.api_client.configuration.api_key.clear()
    claims.api_client.default_headers.pop("authorization", None)
    with pytest.raises(ApiException) as refused:
        claims.list_namespaced_resource_claim(NAMESPACE)
    assert refused.value.status == 401
