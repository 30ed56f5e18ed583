"""The pods of a PodGroup share the ResourceClaims of the PodGroup."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from tests.controllers.workloads.groups import BETA, add_class, add_node, group, member, nodes_of, server
from tests.controllers.workloads.objects import Object, messages


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with server() as running:
        add_class(running)
        add_node(running, "a", devices=2)
        yield running


def claims(api: FakeAPI) -> list[Object]:
    api.settle()
    return api.list("ResourceClaim", namespace="default")


def test_a_claim_of_a_group_is_created_once_and_owned_by_the_group(api: FakeAPI) -> None:
    api.create(group(claims=True))
    (claim,) = claims(api)
    (owner,) = claim["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["apiVersion"]) == ("PodGroup", "g", BETA)
    assert claim["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"] == "gpu"
    stored = api.get("PodGroup", "g", namespace="default", api_version=BETA)
    name = claim["metadata"]["name"]
    assert stored["status"]["resourceClaimStatuses"] == [{"name": "gpu", "resourceClaimName": name}]


def test_pods_of_the_group_use_and_reserve_the_claim_of_the_group(api: FakeAPI) -> None:
    api.create(group(claims=True))
    for name in ("x", "y"):
        api.create(member(name, claims=True))
    assert nodes_of(api) == {"x": "a", "y": "a"}
    (claim,) = claims(api)
    (consumer,) = claim["status"]["reservedFor"]
    assert (consumer["apiGroup"], consumer["resource"]) == ("scheduling.k8s.io", "podgroups")
    assert consumer["name"] == "g"
    for name in ("x", "y"):
        pod = api.get("Pod", name, namespace="default")
        (status,) = pod["status"]["resourceClaimStatuses"]
        assert status["resourceClaimName"] == claim["metadata"]["name"]


def test_pods_that_come_before_their_group_wait_for_it(api: FakeAPI) -> None:
    api.create(member("x", claims=True))
    assert nodes_of(api) == {}
    assert claims(api) == []
    api.create(group(claims=True))
    assert nodes_of(api) == {"x": "a"}
    assert len(claims(api)) == 1


def test_claims_that_the_group_does_not_have_belong_to_the_pods(api: FakeAPI) -> None:
    api.create(group())
    for name in ("x", "y"):
        api.create(member(name, claims=True))
    assert nodes_of(api) == {"x": "a", "y": "a"}
    owners = [claim["metadata"]["ownerReferences"][0]["kind"] for claim in claims(api)]
    assert owners == ["Pod", "Pod"]


def test_the_claim_stays_allocated_until_the_group_is_deleted(api: FakeAPI) -> None:
    api.create(group(claims=True))
    api.create(member("x", claims=True))
    assert nodes_of(api) == {"x": "a"}
    api.delete("Pod", "x", namespace="default", options={"gracePeriodSeconds": 0})
    (claim,) = claims(api)
    assert claim["status"]["reservedFor"]
    api.delete("PodGroup", "g", namespace="default", api_version=BETA)
    assert claims(api) == []


def test_two_groups_with_the_same_template_get_two_claims(api: FakeAPI) -> None:
    for name in ("g", "h"):
        api.create(group(name, claims=True))
        api.create(member(f"{name}-1", name, claims=True))
        api.create(member(f"{name}-2", name, claims=True))
    assert len(nodes_of(api)) == 4
    assert len(claims(api)) == 2


def test_a_missing_template_is_reported_at_the_group(api: FakeAPI) -> None:
    api.delete("ResourceClaimTemplate", "one", namespace="default")
    api.create(group(claims=True))
    (text,) = messages(api, "FailedResourceClaimCreation")
    assert text.startswith('PodGroupResourceClaim gpu: resource claim template "one": ')


def test_a_pod_keeps_the_names_of_its_own_claims_beside_those_of_the_group(api: FakeAPI) -> None:
    api.create(group(claims=True))
    pod = member("x", claims=True)
    pod["spec"]["resourceClaims"].append({"name": "own", "resourceClaimTemplateName": "one"})
    api.create(pod)
    assert nodes_of(api) == {"x": "a"}
    statuses = api.get("Pod", "x", namespace="default")["status"]["resourceClaimStatuses"]
    assert sorted(status["name"] for status in statuses) == ["gpu", "own"]
    kinds = {claim["metadata"]["ownerReferences"][0]["kind"] for claim in claims(api)}
    assert kinds == {"Pod", "PodGroup"}


def test_a_taint_of_the_shared_device_evicts_the_pods_of_the_group(api: FakeAPI) -> None:
    api.create(group(claims=True))
    for name in ("x", "y"):
        api.create(member(name, claims=True))
    assert len(nodes_of(api)) == 2
    taint = {"key": "example.com/broken", "effect": "NoExecute"}
    (claim,) = claims(api)
    (result,) = claim["status"]["allocation"]["devices"]["results"]
    devices = [
        {"name": name, **({"taints": [taint]} if name == result["device"] else {})}
        for name in ("gpu-0", "gpu-1")
    ]
    api.patch("ResourceSlice", "slice-a", {"spec": {"devices": devices}})
    api.settle()
    assert all("deletionTimestamp" in pod["metadata"] for pod in api.list("Pod", namespace="default"))
