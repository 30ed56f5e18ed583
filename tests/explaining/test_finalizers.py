"""Finalizers are explained by the component that removes them, and by changes that delete the object."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from tests.explaining.manifests import claim, device, node, pod
from tests.explaining.situations import cluster, use

HOLD = "backup.example.com/keep"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.34", controllers="scheduler,resourceclaim") as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def _deleted_claim(api: FakeAPI) -> None:
    claim(api, "gpu")
    api.patch("ResourceClaim", "gpu", {"metadata": {"finalizers": [HOLD]}})
    api.delete("ResourceClaim", "gpu")


def test_an_unknown_finalizer_is_removed_by_a_component_of_its_domain(api: FakeAPI) -> None:
    _deleted_claim(api)
    why = api.explain("claim", "gpu")
    assert why.summary == f"waits for finalizer {HOLD}"
    time, line = why.reasons[0].details
    assert time.startswith("deletionTimestamp: 20")
    assert line == (
        f"finalizer {HOLD}: a controller of backup.example.com usually removes it; "
        "this server runs no such controller; field manager fakeapi wrote it"
    )


def test_the_object_is_deleted_after_the_edit_of_its_finalizers(api: FakeAPI) -> None:
    _deleted_claim(api)
    (change,) = api.explain("claim", "gpu").reasons[0].changes
    assert change.text.startswith(f"remove {HOLD} from metadata.finalizers of claim default/gpu")
    assert (change.action, change.path, change.sufficient) == ("edit", "metadata.finalizers", True)
    api.patch("ResourceClaim", "gpu", {"metadata": {"finalizers": None}})
    with pytest.raises(StatusError, match="404"):
        api.get("ResourceClaim", "gpu")


def test_the_finalizer_of_a_used_claim_is_left_to_its_controller(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    api.delete("ResourceClaim", "other")
    changes = [one.text for one in api.explain("claim", "other").reasons[0].changes]
    assert changes == ["delete pod default/other-user"]


def test_a_controller_that_does_not_run_is_to_be_started(api: FakeAPI) -> None:
    node(api, "a")
    api.patch("Node", "a", {"metadata": {"finalizers": ["foregroundDeletion"]}})
    api.delete("Node", "a")
    reason = api.explain("node", "a").reasons[0]
    assert "but this server does not run it" in reason.details[1]
    assert [one.text for one in reason.changes] == ["start the server with the controller garbagecollector"]


def test_a_pod_whose_claim_is_being_deleted_needs_the_claim_again(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    _deleted_claim(api)
    pod(api, "train", "gpu")
    (change,) = api.explain("pod", "train").reasons[0].changes
    assert (change.sufficient, change.needs) == (False, "then create claim default/gpu again")


def _deleted_pod(api: FakeAPI, phase: str) -> None:
    node(api, "a")
    pod(api, "fox", nodeName="a")
    api.patch("Pod", "fox", {"metadata": {"finalizers": [HOLD]}})
    api.patch("Pod", "fox", {"status": {"phase": phase}}, subresource="status")
    api.request("DELETE", "/api/v1/namespaces/default/pods/fox", {"gracePeriodSeconds": 30})


def test_a_pod_that_has_ended_is_deleted_after_the_edit_of_its_finalizers(api: FakeAPI) -> None:
    _deleted_pod(api, "Succeeded")
    (change,) = api.explain("pod", "fox").reasons[0].changes
    assert (change.sufficient, change.needs) == (True, "")
    api.patch("Pod", "fox", {"metadata": {"finalizers": None}})
    with pytest.raises(StatusError, match="404"):
        api.get("Pod", "fox")


def test_a_running_pod_is_ended_by_its_kubelet_after_the_edit_of_its_finalizers(api: FakeAPI) -> None:
    _deleted_pod(api, "Running")
    (change,) = api.explain("pod", "fox").reasons[0].changes
    assert (change.sufficient, change.needs) == (False, "the kubelet of node a must end the pod")
    api.patch("Pod", "fox", {"metadata": {"finalizers": None}})
    assert api.get("Pod", "fox")["metadata"]["deletionGracePeriodSeconds"] == 30
