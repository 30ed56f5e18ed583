"""The controller of StatefulSets keeps pods with stable names, one after another."""

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import (
    get,
    messages,
    names,
    pods,
    run_all,
    set_phase,
    status,
    workload,
)

NEW_TEMPLATE = {"spec": {"template": {"metadata": {"annotations": {"version": "2"}}}}}
REVISION = "controller-revision-hash"


def scale(api: FakeAPI, replicas: int) -> None:
    api.patch("StatefulSet", "web", {"spec": {"replicas": replicas}}, namespace="default")


def test_pods_are_created_in_order_when_the_one_before_is_ready(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=3, serviceName="web"))
    assert names(pods(api)) == ["web-0"]
    (first,) = pods(api)
    assert (first["spec"]["hostname"], first["spec"]["subdomain"]) == ("web-0", "web")
    labels = first["metadata"]["labels"]
    assert labels["statefulset.kubernetes.io/pod-name"] == "web-0"
    assert labels["apps.kubernetes.io/pod-index"] == "0"
    set_phase(api, first, "Running")
    assert names(pods(api)) == ["web-0", "web-1"]
    run_all(api)
    assert names(pods(api)) == ["web-0", "web-1", "web-2"]
    counts = status(api, "StatefulSet")
    fields = ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")
    assert [counts[name] for name in fields] == 5 * [3]
    assert counts["currentRevision"] == counts["updateRevision"] == labels[REVISION]
    assert messages(api, "SuccessfulCreate")[0] == "create Pod web-0 in StatefulSet web successful"


def test_parallel_pods_are_created_at_once(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=3, podManagementPolicy="Parallel"))
    assert names(pods(api)) == ["web-0", "web-1", "web-2"]


def test_the_pod_with_the_highest_ordinal_is_deleted_first(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=3))
    run_all(api)
    scale(api, 1)
    assert names(pods(api)) == ["web-0"]
    deleted = messages(api, "SuccessfulDelete")
    assert deleted == [f"delete Pod web-{number} in StatefulSet web successful" for number in (2, 1)]


def test_each_pod_has_volume_claims_of_its_own_that_stay(api: FakeAPI) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    template = {"metadata": {"name": "data"}, "spec": spec}
    api.create(workload("StatefulSet", replicas=2, volumeClaimTemplates=[template]))
    run_all(api)
    claims = api.list("PersistentVolumeClaim", namespace="default")
    assert names(claims) == ["data-web-0", "data-web-1"]
    (volume,) = pods(api)[0]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == "data-web-0"
    scale(api, 1)
    assert len(pods(api)) == 1
    assert len(api.list("PersistentVolumeClaim", namespace="default")) == 2


def test_a_rolling_update_replaces_one_pod_after_another_from_the_end(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=2))
    run_all(api)
    before = status(api, "StatefulSet")
    api.patch("StatefulSet", "web", NEW_TEMPLATE, namespace="default")
    counts = status(api, "StatefulSet")
    assert counts["currentRevision"] == before["currentRevision"] != counts["updateRevision"]
    versions = {pod["metadata"]["name"]: pod["metadata"]["labels"][REVISION] for pod in pods(api)}
    assert versions == {"web-0": counts["currentRevision"], "web-1": counts["updateRevision"]}
    run_all(api)
    done = status(api, "StatefulSet")
    assert done["currentRevision"] == counts["updateRevision"]
    assert {pod["metadata"]["labels"][REVISION] for pod in pods(api)} == {done["currentRevision"]}


def test_a_partition_keeps_pods_with_smaller_ordinals(api: FakeAPI) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    api.create(workload("StatefulSet", replicas=2, updateStrategy=strategy))
    run_all(api)
    api.patch("StatefulSet", "web", NEW_TEMPLATE, namespace="default")
    run_all(api)
    versions = {pod["metadata"]["name"]: "annotations" in pod["metadata"] for pod in pods(api)}
    assert versions == {"web-0": False, "web-1": True}


def test_ended_and_deleted_pods_come_back_with_their_names(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=1))
    run_all(api)
    (first,) = pods(api)
    set_phase(api, first, "Failed")
    (second,) = pods(api)
    assert second["metadata"]["name"] == "web-0"
    assert second["metadata"]["uid"] != first["metadata"]["uid"]


def test_ordinals_can_start_later(api: FakeAPI) -> None:
    api.create(workload("StatefulSet", replicas=1, ordinals={"start": 5}))
    assert names(pods(api)) == ["web-5"]
    assert get(api, "StatefulSet")["status"]["observedGeneration"] == 1
