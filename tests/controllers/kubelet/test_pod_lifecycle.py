"""The kubelet starts, stops and restarts the containers of pods, and writes their statuses."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from tests.controllers.kubelet.frozen_pod import advance, create_pod, status


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet", frozen_at="2026-01-31T12:00:00Z") as server:
        server.settle()
        yield server


def test_a_pod_with_many_init_containers_runs(api: FakeAPI) -> None:
    create_pod(api, initContainers=[{"name": f"i{number}", "image": "i"} for number in range(120)])
    pod_status = status(api)
    assert pod_status["phase"] == "Running"
    assert all(each["state"]["terminated"]["exitCode"] == 0 for each in pod_status["initContainerStatuses"])


def container_status(api: FakeAPI, name: str = "c") -> dict[str, Any]:
    pod_status = status(api)
    lists = ("initContainerStatuses", "containerStatuses")
    return next(each for key in lists for each in pod_status.get(key, ()) if each["name"] == name)


def delete(api: FakeAPI, **query: int) -> None:
    api.request("DELETE", "/api/v1/namespaces/default/pods/pod", query=query)
    api.settle()


def reasons(api: FakeAPI) -> list[str]:
    return [event["reason"] for event in api.list("Event", api_version="v1")]


def test_a_container_that_exits_restarts_with_a_growing_back_off(api: FakeAPI) -> None:
    api.containers.behave(image="i", exit_code=1, after="5s", message="no device")
    create_pod(api)
    assert (status(api)["phase"], container_status(api)["restartCount"]) == ("Running", 0)
    advance(api, 5)
    restarted = container_status(api)
    assert (restarted["restartCount"], restarted["ready"]) == (1, True)
    ended = restarted["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"], ended["message"]) == (1, "Error", "no device")
    for restarts, seconds, text in ((1, 10, "10s"), (2, 20, "20s"), (3, 40, "40s"), (4, 80, "1m20s")):
        advance(api, 5)
        waiting = container_status(api)
        uid = api.get("Pod", "pod")["metadata"]["uid"]
        message = f"back-off {text} restarting failed container=c pod=pod_default({uid})"
        assert waiting["state"] == {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
        assert (waiting["restartCount"], waiting["ready"]) == (restarts, False)
        assert status(api)["phase"] == "Running"
        advance(api, seconds - 1)
        assert container_status(api)["restartCount"] == restarts
        advance(api, 1)
        assert container_status(api)["restartCount"] == restarts + 1
    assert "BackOff" in reasons(api)


def test_the_back_off_ends_at_five_minutes_and_begins_again_after_a_long_run(api: FakeAPI) -> None:
    api.containers.behave(exit_code=1, after=0)
    create_pod(api)
    for _ in range(12):
        advance(api, 300)
    assert "back-off 5m0s" in container_status(api)["state"]["waiting"]["message"]
    api.containers.behave(after="20m")
    advance(api, 300)
    assert "running" in container_status(api)["state"]
    advance(api, 20 * 60)
    assert "running" in container_status(api)["state"]
    advance(api, 20 * 60)
    assert "running" in container_status(api)["state"]


@pytest.mark.parametrize(
    ("policy", "code", "phase", "restarts"),
    [
        ("Always", 0, "Running", 1),
        ("OnFailure", 0, "Succeeded", 0),
        ("OnFailure", 3, "Running", 1),
        ("Never", 0, "Succeeded", 0),
        ("Never", 3, "Failed", 0),
    ],
)
def test_the_restart_policy_decides_over_the_end_of_a_pod(
    api: FakeAPI, policy: str, code: int, phase: str, restarts: int
) -> None:
    api.containers.behave(exit_code=code, after="1s", attempts=1)
    create_pod(api, restartPolicy=policy)
    assert status(api)["phase"] == "Running"
    advance(api, 1)
    assert (status(api)["phase"], container_status(api)["restartCount"]) == (phase, restarts)
    if phase != "Running":
        ready = next(each for each in status(api)["conditions"] if each["type"] == "Ready")
        assert (ready["status"], ready["reason"]) == (
            "False",
            "PodCompleted" if phase == "Succeeded" else "PodFailed",
        )


def test_a_pod_of_a_job_completes_and_others_run(api: FakeAPI) -> None:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "u", "controller": True}
    for name, owners in (("of-a-job", [owner]), ("alone", [])):
        spec = {
            "nodeName": "node",
            "restartPolicy": "Never",
            "containers": [{"name": "c", "image": "i"}],
        }
        metadata = {"name": name, "ownerReferences": owners}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    api.settle()
    assert api.get("Pod", "of-a-job")["status"]["phase"] == "Succeeded"
    assert api.get("Pod", "alone")["status"]["phase"] == "Running"


def test_init_containers_run_in_order_before_the_others(api: FakeAPI) -> None:
    api.containers.behave(container="first", after="10s")
    api.containers.behave(container="second", after="5s", exit_code=1, attempts=1)
    create_pod(api, initContainers=[{"name": "first", "image": "i"}, {"name": "second", "image": "i"}])
    pod_status = status(api)
    assert pod_status["phase"] == "Pending"
    assert "running" in container_status(api, "first")["state"]
    for name in ("second", "c"):
        assert container_status(api, name)["state"] == {"waiting": {"reason": "PodInitializing"}}
    initialized = next(each for each in pod_status["conditions"] if each["type"] == "Initialized")
    assert initialized["message"] == "containers with incomplete status: [first second]"
    advance(api, 10)
    assert container_status(api, "first")["ready"]
    assert "running" in container_status(api, "second")["state"]
    advance(api, 5)
    assert container_status(api, "second")["restartCount"] == 1
    assert status(api)["phase"] == "Running"


def test_a_failed_init_container_fails_a_pod_that_never_restarts(api: FakeAPI) -> None:
    api.containers.behave(container="init", exit_code=2)
    create_pod(api, restartPolicy="Never", initContainers=[{"name": "init", "image": "i"}])
    assert status(api)["phase"] == "Failed"
    assert container_status(api)["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_a_sidecar_starts_first_restarts_and_ends_with_the_pod(api: FakeAPI) -> None:
    sidecar = {"name": "sidecar", "image": "i", "restartPolicy": "Always", "startupProbe": {"exec": {}}}
    sidecar["startupProbe"] = {"exec": {"command": ["x"]}, "periodSeconds": 1, "failureThreshold": 100}
    api.containers.behave(container="sidecar", probes={"startup": {"until": "5s"}})
    api.containers.behave(container="sidecar", after="20s", exit_code=1, attempts=1)
    api.containers.behave(container="c", after="60s")
    create_pod(api, restartPolicy="Never", initContainers=[sidecar])
    assert (status(api)["phase"], container_status(api, "sidecar")["started"]) == ("Pending", False)
    for _ in range(5):
        advance(api, 1)
    assert (status(api)["phase"], container_status(api, "sidecar")["started"]) == ("Running", True)
    advance(api, 15)
    assert container_status(api, "sidecar")["restartCount"] == 1
    advance(api, 45)
    assert status(api)["phase"] == "Succeeded"
    assert container_status(api, "sidecar")["state"]["terminated"]["exitCode"] == 137


def test_a_start_can_take_its_time(api: FakeAPI) -> None:
    api.containers.behave(start_after="30s")
    create_pod(api)
    pod_status = status(api)
    assert (pod_status["phase"], "podIP" in pod_status) == ("Pending", True)
    assert container_status(api)["state"] == {"waiting": {"reason": "ContainerCreating"}}
    advance(api, 29)
    assert status(api)["phase"] == "Pending"
    advance(api, 1)
    assert status(api)["phase"] == "Running"


def test_an_image_that_cannot_be_pulled_is_tried_again(api: FakeAPI) -> None:
    api.containers.behave(image="i", start_error="ErrImagePull: not found")
    create_pod(api)
    waiting = {"reason": "ErrImagePull", "message": "not found"}
    assert container_status(api)["state"] == {"waiting": waiting}
    advance(api, 10)
    assert container_status(api)["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert "Failed" in reasons(api)
    api.containers.clear()
    advance(api, 20)
    assert (status(api)["phase"], container_status(api)["restartCount"]) == ("Running", 0)


def test_a_container_waits_for_its_config_map(api: FakeAPI) -> None:
    env = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a"}}}]
    create_pod(api, containers=[{"name": "c", "image": "i", "env": env}])
    waiting = {"reason": "CreateContainerConfigError", "message": 'configmap "settings" not found'}
    assert container_status(api)["state"] == {"waiting": waiting}
    api.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "1"}}
    )
    advance(api, 10)
    assert status(api)["phase"] == "Running"
    assert api.container("default", "pod").env["A"] == "1"


def probed(**probes: Any) -> list[dict[str, Any]]:
    specs = {kind: {"tcpSocket": {"port": 1}, **spec} for kind, spec in probes.items()}
    return [{"name": "c", "image": "i", **specs}]


def test_a_readiness_probe_that_fails_makes_the_pod_unready(api: FakeAPI) -> None:
    failure = {"until": "5s", "output": "not yet"}
    api.containers.behave(probes={"readiness": failure})
    create_pod(api, containers=probed(readinessProbe={"periodSeconds": 5}))
    assert (status(api)["phase"], container_status(api)["ready"]) == ("Running", False)
    ready = next(each for each in status(api)["conditions"] if each["type"] == "Ready")
    assert ready["message"] == "containers with unready status: [c]"
    advance(api, 5)
    assert container_status(api)["ready"]
    [event] = [each for each in api.list("Event", api_version="v1") if each["reason"] == "Unhealthy"]
    assert event["message"] == "Readiness probe failed: not yet"


def test_a_liveness_probe_that_fails_restarts_the_container(api: FakeAPI) -> None:
    api.containers.behave(probes={"liveness": {"after": "15s"}}, attempts=1)
    create_pod(api, containers=probed(livenessProbe={"periodSeconds": 10, "failureThreshold": 2}))
    for _ in range(2):
        advance(api, 10)
    assert container_status(api)["restartCount"] == 0
    advance(api, 10)
    restarted = container_status(api)
    assert (restarted["restartCount"], restarted["ready"]) == (1, True)
    assert restarted["lastState"]["terminated"]["exitCode"] == 137
    messages = [event["message"] for event in api.list("Event", api_version="v1")]
    assert "Container c failed liveness probe, will be restarted" in messages


def test_a_startup_probe_holds_back_the_others(api: FakeAPI) -> None:
    api.containers.behave(probes={"startup": {"until": "3s"}, "readiness": {"until": "3s"}})
    probes = probed(
        startupProbe={"periodSeconds": 1, "failureThreshold": 9}, readinessProbe={"periodSeconds": 1}
    )
    create_pod(api, containers=probes)
    assert not container_status(api)["started"]
    for _ in range(3):
        advance(api, 1)
    assert (container_status(api)["started"], container_status(api)["ready"]) == (True, True)
    events = [each for each in api.list("Event", api_version="v1") if each["reason"] == "Unhealthy"]
    assert all("Startup probe failed" in event["message"] for event in events)


def test_probes_are_not_run_unless_data_says_so(api: FakeAPI) -> None:
    create_pod(api, containers=probed(readinessProbe={"initialDelaySeconds": 60}))
    assert container_status(api)["ready"]


def test_a_deleted_pod_ends_after_its_containers(api: FakeAPI) -> None:
    api.containers.behave(stop_after="8s", stop_exit_code=0)
    create_pod(api)
    delete(api)
    advance(api, 7)
    pod = api.get("Pod", "pod")
    assert (pod["status"]["phase"], "deletionTimestamp" in pod["metadata"]) == ("Running", True)
    advance(api, 1)
    assert api.list("Pod") == []


@pytest.mark.parametrize("grace", [None, 5])
def test_a_container_that_ignores_its_stop_signal_is_killed_after_the_grace_period(
    api: FakeAPI, grace: int | None
) -> None:
    api.containers.behave(stop_after="never")
    create_pod(api)
    delete(api, **({} if grace is None else {"gracePeriodSeconds": grace}))
    advance(api, (grace or 30) - 1)
    assert status(api)["phase"] == "Running"
    advance(api, 1)
    assert api.list("Pod") == []


def test_a_pod_with_finalizers_keeps_its_last_status(api: FakeAPI) -> None:
    create_pod(api)
    api.patch("Pod", "pod", {"metadata": {"finalizers": ["example.com/keep"]}})
    delete(api)
    assert status(api)["phase"] == "Failed"
    assert container_status(api)["state"]["terminated"]["exitCode"] == 137


def test_a_pre_stop_handler_delays_the_stop_signal(api: FakeAPI) -> None:
    lifecycle = {"preStop": {"sleep": {"seconds": 10}}}
    create_pod(api, containers=[{"name": "c", "image": "i", "lifecycle": lifecycle}])
    delete(api)
    advance(api, 9)
    assert status(api)["phase"] == "Running"
    advance(api, 1)
    assert api.list("Pod") == []


def test_a_pod_is_late_although_its_containers_do_not_stop(api: FakeAPI) -> None:
    api.containers.behave(stop_after="never")
    create_pod(api, activeDeadlineSeconds=20, terminationGracePeriodSeconds=10)
    advance(api, 20)
    assert (status(api)["reason"], "running" in container_status(api)["state"]) == ("DeadlineExceeded", True)
    advance(api, 10)
    assert container_status(api)["state"]["terminated"]["exitCode"] == 137


def test_a_container_can_run_out_of_memory(api: FakeAPI) -> None:
    api.containers.behave(reason="OOMKilled", after="1s")
    create_pod(api, restartPolicy="Never")
    advance(api, 1)
    ended = container_status(api)["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


def test_the_annotation_of_a_pod_wins_over_other_behaviours(api: FakeAPI) -> None:
    api.containers.behave(exit_code=1)
    spec = {"nodeName": "node", "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    for name, text in (("good", '{"exitCode": 0}'), ("bad", "{exitCode: [")):
        metadata = {"name": name, "annotations": {"fakeapi/behaviour": text}}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    api.settle()
    assert api.get("Pod", "good")["status"]["phase"] == "Succeeded"
    assert api.get("Pod", "bad")["status"]["phase"] == "Failed"


def test_containers_survive_a_restart_of_the_kubelet(api: FakeAPI) -> None:
    api.containers.behave(after="10s", exit_code=1)
    create_pod(api)
    advance(api, 10)
    before = status(api)
    api.restore(api.snapshot())
    api.settle()
    after = status(api)
    assert after == before
    assert "KUBERNETES_SERVICE_HOST" in api.container("default", "pod").env
    advance(api, 60)
    assert container_status(api)["restartCount"] == 1


def test_ended_pods_leave_nothing_behind_in_the_kubelet(api: FakeAPI) -> None:
    api.containers.behave(after="10h", stop_after="1s")
    for _ in range(5):
        create_pod(api)
        delete(api)
        advance(api, 1)
        assert api.list("Pod") == []
    node = api.node("node")
    assert node.containers._states == {}
    assert len(node.containers._timers._heap) <= 5


@pytest.mark.parametrize(
    ("of_pod", "of_container"),
    [
        ({}, {"runAsNonRoot": True, "runAsUser": 0}),
        ({"runAsNonRoot": True}, {"runAsUser": 0}),
        ({"runAsNonRoot": True, "runAsUser": 0}, {}),
    ],
)
def test_a_container_that_must_not_run_as_root_does_not_start_with_the_user_root(
    api: FakeAPI, of_pod: dict[str, Any], of_container: dict[str, Any]
) -> None:
    container = {"name": "c", "image": "i", "securityContext": of_container}
    create_pod(api, containers=[container], securityContext=of_pod)
    uid = api.get("Pod", "pod")["metadata"]["uid"]
    pod = f'(pod: "pod_default({uid})", container: c)'
    message = f"container's runAsUser breaks non-root policy {pod}"
    assert container_status(api)["state"] == {
        "waiting": {"reason": "CreateContainerConfigError", "message": message}
    }


@pytest.mark.parametrize(
    ("of_pod", "of_container"),
    [({}, {"runAsUser": 0}), ({"runAsNonRoot": True}, {}), ({"runAsNonRoot": True}, {"runAsNonRoot": False})],
)
def test_a_container_that_may_run_as_its_user_starts(
    api: FakeAPI, of_pod: dict[str, Any], of_container: dict[str, Any]
) -> None:
    container = {"name": "c", "image": "i", "securityContext": of_container}
    create_pod(api, containers=[container], securityContext=of_pod)
    assert status(api)["phase"] == "Running"
