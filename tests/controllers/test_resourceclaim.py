"""The resourceclaim controller creates and frees the claims of pods. The tests use it over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI

Object = dict[str, Any]
VERSIONS = {"1.27": "v1alpha2", "1.30": "v1alpha2", "1.31": "v1alpha3", "1.33": "v1beta1", "1.36": "v1"}
with_structured_parameters = pytest.mark.parametrize("api", ["1.31", "1.33", "1.36"], indirect=True)
DONE = {"status": {"phase": "Succeeded"}}


@pytest.fixture(params=VERSIONS)
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=request.param, controllers="resourceclaim", feature_gates=gates) as server:
        yield server


def spec(api: FakeAPI) -> Object:
    version = VERSIONS[api.release or ""]
    if version == "v1alpha2":
        return {"resourceClassName": "class"}
    exact = {"deviceClassName": "class"}
    request = {"exactly": exact} if version == "v1" else exact
    return {"devices": {"requests": [{"name": "r", **request}]}}


def create_template(api: FakeAPI, name: str = "template") -> None:
    api.create(
        {
            "apiVersion": f"resource.k8s.io/{VERSIONS[api.release or '']}",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": name},
            "spec": {"metadata": {"labels": {"from": "template"}}, "spec": spec(api)},
        }
    )


def create_pod(api: FakeAPI, name: str = "pod", **source: str) -> Object:
    claim: Object = {"name": "claim"}
    source = source or {"resourceClaimTemplateName": "template"}
    if VERSIONS[api.release or ""] == "v1alpha2":
        claim["source"] = source
    else:
        claim |= source
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "claim"}]}}
    body = {"containers": [container], "resourceClaims": [claim]}
    return api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": body})


def claims(api: FakeAPI) -> list[Object]:
    return api.list("ResourceClaim", namespace="default")


def test_a_pod_gets_a_claim_made_from_the_template(api: FakeAPI) -> None:
    create_template(api)
    pod = create_pod(api)
    api.settle()
    [claim] = claims(api)
    metadata = claim["metadata"]
    assert metadata["labels"] == {"from": "template"}
    assert metadata["ownerReferences"][0]["uid"] == pod["metadata"]["uid"]
    assert metadata["name"].startswith("pod-claim")


def test_the_status_of_the_pod_names_the_claim_since_1_28(api: FakeAPI) -> None:
    create_template(api)
    create_pod(api)
    api.settle()
    [claim] = claims(api)
    named = [{"name": "claim", "resourceClaimName": claim["metadata"]["name"]}]
    expected = None if api.release == "1.27" else named
    assert api.get("Pod", "pod")["status"].get("resourceClaimStatuses") == expected


def test_a_pod_waits_for_its_template_and_an_event_says_so(api: FakeAPI) -> None:
    create_pod(api)
    api.settle()
    [event] = api.list("Event", namespace="default", api_version="v1")
    assert event["reason"] == "FailedResourceClaimCreation"
    missing = 'resourceclaimtemplates.resource.k8s.io "template" not found'
    expected = f'PodResourceClaim claim: resource claim template "template": {missing}'
    assert event["message"] == expected
    create_template(api)
    api.settle()
    assert len(claims(api)) == 1


def test_a_claim_that_was_deleted_by_mistake_is_made_again(api: FakeAPI) -> None:
    create_template(api)
    create_pod(api)
    api.settle()
    api.delete("ResourceClaim", claims(api)[0]["metadata"]["name"])
    api.settle()
    assert len(claims(api)) == 1


def test_a_generated_claim_goes_when_its_pod_is_done(api: FakeAPI) -> None:
    create_template(api)
    create_pod(api)
    api.settle()
    api.patch("Pod", "pod", DONE, subresource="status")
    api.settle()
    assert claims(api) == []


def reserve(api: FakeAPI, claim: Object, pod: Object) -> None:
    """Allocates a claim and reserves it for a pod, as the scheduler does."""
    consumer = {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
    claim["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    claim = api.update(claim)
    allocation: Object = {"devices": {"results": []}} if "devices" in claim["spec"] else {}
    claim["status"] = {"allocation": allocation, "reservedFor": [consumer]}
    api.update_status(claim)


def create_claim(api: FakeAPI) -> Object:
    version = f"resource.k8s.io/{VERSIONS[api.release or '']}"
    body = {"apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "own"}, "spec": spec(api)}
    return api.create(body)


@with_structured_parameters
@pytest.mark.parametrize("end", ["done", "deleted", "replaced"])
def test_a_claim_is_free_again_when_its_last_pod_has_ended(api: FakeAPI, end: str) -> None:
    claim = create_claim(api)
    pod = create_pod(api, resourceClaimName="own")
    reserve(api, claim, pod)
    api.settle()
    assert claims(api)[0]["status"]["reservedFor"]
    if end == "done":
        api.patch("Pod", "pod", DONE, subresource="status")
    else:
        api.delete("Pod", "pod", options={"gracePeriodSeconds": 0})
    if end == "replaced":
        create_pod(api, resourceClaimName="own")
    api.settle()
    [claim] = claims(api)
    assert claim["status"] == {}
    assert "finalizers" not in claim["metadata"]


def test_a_classic_driver_is_asked_to_deallocate() -> None:
    with FakeAPI(release="1.30", controllers="resourceclaim") as api:
        claim = create_claim(api)
        pod = create_pod(api, resourceClaimName="own")
        consumer = {"resource": "pods", "name": "pod", "uid": pod["metadata"]["uid"]}
        claim["status"] = {"allocation": {}, "driverName": "driver.example.com", "reservedFor": [consumer]}
        api.update_status(claim)
        api.delete("Pod", "pod", options={"gracePeriodSeconds": 0})
        api.settle()
        assert claims(api)[0]["status"]["deallocationRequested"] is True


@with_structured_parameters
def test_a_pod_with_a_node_of_its_own_gets_an_allocated_claim_reserved(api: FakeAPI) -> None:
    claim = create_claim(api)
    reserve(api, claim, create_pod(api, "first", resourceClaimName="own"))
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "claim"}]}}
    body = {
        "nodeName": "node",
        "containers": [container],
        "resourceClaims": [{"name": "claim", "resourceClaimName": "own"}],
    }
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second"}, "spec": body})
    api.settle()
    assert [each["name"] for each in claims(api)[0]["status"]["reservedFor"]] == ["first", "second"]
