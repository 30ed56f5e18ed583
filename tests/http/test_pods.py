"""Schedulers, kubelets and kubectl create, bind, evict and delete pods."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.testing.server import FakeAPI

PODS = "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
START = "2027-01-15T08:00:00Z"
Start = Callable[[str], FakeAPI]


def pod(name: str = "a", labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    container = {"name": "main", "image": "example.com/app:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **spec},
    }


def binding(name: str = "a", node: str = "n1", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, **metadata},
        "target": {"kind": "Node", "name": node},
    }


def evict(api: FakeAPI, name: str = "a", version: str = "policy/v1", **body: Any) -> Any:
    eviction = {"apiVersion": version, "kind": "Eviction", "metadata": {"name": name}, **body}
    return api.request("POST", f"{PODS}/{name}/eviction", eviction)


def refused(call: Callable[[], Any]) -> StatusError:
    with pytest.raises(StatusError) as caught:
        call()
    return caught.value


# deletion ----------------------------------------------------------------------------------------


def test_a_pod_that_no_node_has_is_deleted_at_once(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod())
    gone = api.delete("Pod", "a")
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    assert gone["metadata"]["deletionTimestamp"] == START
    assert gone["metadata"]["generation"] == 2
    assert refused(lambda: api.get("Pod", "a")).code == 404


def test_a_pod_on_a_node_is_given_its_grace_period_which_can_only_be_shortened(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod(nodeName="n1"))

    def deleted(**options: Any) -> tuple[str, int]:
        meta = api.delete("Pod", "a", options=options)["metadata"]
        return meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"]

    assert deleted() == ("2027-01-15T08:00:30Z", 30)
    assert deleted(gracePeriodSeconds=60) == ("2027-01-15T08:00:30Z", 30)
    assert deleted(gracePeriodSeconds=5) == ("2027-01-15T08:00:05Z", 5)
    assert deleted() == ("2027-01-15T08:00:05Z", 5)
    assert deleted(gracePeriodSeconds=-1) == ("2027-01-15T08:00:01Z", 1)
    assert deleted(gracePeriodSeconds=0) == (START, 0)
    assert refused(lambda: api.get("Pod", "a")).code == 404


@pytest.mark.parametrize(
    ("release", "expected"), [("1.32", "2027-01-15T08:00:02Z"), ("1.33", "2027-01-15T08:00:10Z")]
)
def test_a_shortened_grace_period_does_not_end_in_the_past_from_1_33_on(
    frozen: Start, clock: AdjustableClock, release: str, expected: str
) -> None:
    api = frozen(release)
    api.create(pod(nodeName="n1"))
    api.delete("Pod", "a")
    clock.advance(10)
    deleted = api.delete("Pod", "a", options={"gracePeriodSeconds": 2})
    assert deleted["metadata"]["deletionTimestamp"] == expected
    assert api.get("Pod", "a")["metadata"]["deletionTimestamp"] == expected


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_has_ended_is_deleted_at_once(frozen: Start, phase: str) -> None:
    api = frozen("1.33")
    api.create(pod(nodeName="n1"))
    api.patch("Pod", "a", {"status": {"phase": phase}}, subresource="status")
    api.delete("Pod", "a")
    assert refused(lambda: api.get("Pod", "a")).code == 404


def test_a_finalizer_holds_a_pod_whose_grace_is_over(frozen: Start) -> None:
    api = frozen("1.33")
    obj = pod()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(obj)
    assert api.delete("Pod", "a")["metadata"]["finalizers"] == ["example.com/hold"]
    assert api.get("Pod", "a")["metadata"]["deletionGracePeriodSeconds"] == 0
    api.patch("Pod", "a", {"metadata": {"finalizers": None}})
    assert refused(lambda: api.get("Pod", "a")).code == 404


def test_a_delete_of_another_uid_or_as_a_dry_run_leaves_the_pod(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod(nodeName="n1"))
    other = {"preconditions": {"uid": "other"}}
    assert refused(lambda: api.delete("Pod", "a", options=other)).code == 409
    assert api.delete("Pod", "a", options={"dryRun": ["All"]})["metadata"]["deletionGracePeriodSeconds"] == 30
    assert "deletionTimestamp" not in api.get("Pod", "a")["metadata"]


def test_a_deletion_of_all_pods_gives_each_its_grace(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod("waiting"))
    api.create(pod("running", nodeName="n1"))
    api.request("DELETE", PODS)
    assert [each["metadata"]["name"] for each in api.list("Pod")] == ["running"]
    api.request("DELETE", PODS, {"gracePeriodSeconds": 0})
    assert api.list("Pod") == []


def test_an_immense_grace_period_wraps_around_as_it_does_in_go(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod(nodeName="n1"))
    deleted = api.delete("Pod", "a", options={"gracePeriodSeconds": 2**63 - 1})
    assert deleted["metadata"]["deletionTimestamp"] == "2027-01-15T07:59:59Z"


# selection ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("spec.nodeName=", ["waiting"]),
        ("spec.nodeName=n1,status.phase!=Failed", ["running"]),
        ("spec.host=n1", ["running"]),
        ("spec.hostNetwork=true", ["running"]),
        ("spec.schedulerName=mine", ["waiting"]),
        ("spec.restartPolicy=Never", ["running"]),
        ("status.podIP=10.0.0.1", ["running"]),
        ("status.podIPs=10.0.0.1", []),
    ],
)
def test_pods_are_selected_by_fields_of_their_own(frozen: Start, selector: str, expected: list[str]) -> None:
    api = frozen("1.33")
    api.create(pod("waiting", schedulerName="mine"))
    api.create(pod("running", nodeName="n1", hostNetwork=True, restartPolicy="Never"))
    api.patch("Pod", "running", {"status": {"podIP": "10.0.0.1"}}, subresource="status")
    assert [each["metadata"]["name"] for each in api.list("Pod", field_selector=selector)] == expected


def test_the_network_of_the_host_can_be_selected_from_1_28_on(frozen: Start) -> None:
    why = refused(lambda: frozen("1.27").list("Pod", field_selector="spec.hostNetwork=true"))
    assert (why.code, why.message) == (400, "field label not supported: spec.hostNetwork")
    assert frozen("1.28").list("Pod", field_selector="spec.hostNetwork=true") == []


# binding -----------------------------------------------------------------------------------------


def test_a_binding_gives_a_pod_its_node(frozen: Start) -> None:
    api = frozen("1.35")
    api.create(pod())
    answer = api.request("POST", f"{PODS}/a/binding", binding(annotations={"b": "1"}, labels={"zone": "z"}))
    assert answer == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    bound = api.get("Pod", "a")
    assert bound["spec"]["nodeName"] == "n1"
    assert (bound["metadata"]["annotations"], bound["metadata"]["labels"]) == ({"b": "1"}, {"zone": "z"})
    assert bound["status"]["conditions"][0]["type"] == "PodScheduled"
    assert bound["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (binding("b"), 400, "name in URL does not match name in Binding object"),
        ({**binding(), "target": {}}, 500, "target.name: Required value"),
        (
            binding(namespace="other"),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (binding(uid="other"), 409, "Precondition failed: UID in precondition: other"),
        (binding(resourceVersion="1"), 409, "Precondition failed: ResourceVersion in precondition: 1"),
    ],
)
def test_a_binding_that_does_not_fit_is_refused(
    frozen: Start, body: dict[str, Any], code: int, message: str
) -> None:
    api = frozen("1.33")
    api.create(pod())
    why = refused(lambda: api.request("POST", f"{PODS}/a/binding", body))
    assert why.code == code
    assert message in str(why)


def test_a_pod_is_bound_once_and_not_while_it_is_gated_or_going(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod("bound", nodeName="n1"))
    api.create(pod("gated", schedulingGates=[{"name": "example.com/wait"}]))
    going = pod("going")
    going["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(going)
    api.delete("Pod", "going")
    for name, why in (
        ("bound", 'pod bound is already assigned to node "n1"'),
        ("gated", "pod gated has non-empty .spec.schedulingGates"),
        ("going", "pod going is being deleted, cannot be assigned to a host"),
    ):
        error = refused(lambda name=name: api.request("POST", f"{PODS}/{name}/binding", binding(name)))  # type: ignore[misc]
        assert error.code == 409
        assert why in str(error)


def test_the_resource_bindings_binds_the_pod_of_its_name(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod())
    api.request("POST", "/api/v1/namespaces/default/bindings", binding(uid="not a precondition here"))
    assert api.get("Pod", "a")["spec"]["nodeName"] == "n1"
    assert refused(lambda: api.request("GET", "/api/v1/namespaces/default/bindings")).code == 405


def test_init_containers_in_annotations_are_dropped_on_every_path(frozen: Start) -> None:
    api = frozen("1.33")
    old = {"pod.beta.kubernetes.io/init-containers": "[]"}
    body = pod()
    body["metadata"]["annotations"] = old
    assert "annotations" not in api.create(body)["metadata"]
    api.request("POST", f"{PODS}/a/binding", binding(annotations=old))
    assert "annotations" not in api.get("Pod", "a")["metadata"]


# eviction ----------------------------------------------------------------------------------------

READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def running(api: FakeAPI, name: str = "a", status: dict[str, Any] = READY) -> None:
    api.create(pod(name, {"app": "a"}, nodeName="n1"))
    api.patch("Pod", name, {"status": status}, subresource="status")


def budget(api: FakeAPI, name: str = "budget", spec: dict[str, Any] | None = None, **status: int) -> None:
    body = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}, **(spec or {})},
    }
    created = api.create(body)
    if status:
        api.update_status({**created, "status": {**created["status"], "observedGeneration": 1, **status}})


def test_a_pod_without_a_budget_is_evicted_with_a_condition(frozen: Start) -> None:
    api = frozen("1.33")
    running(api)
    evict(api, deleteOptions={"gracePeriodSeconds": 7})
    obj = api.get("Pod", "a")
    assert obj["metadata"]["deletionGracePeriodSeconds"] == 7
    assert obj["status"]["conditions"][-1] == {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": START,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }


def test_a_dry_run_evicts_nothing(frozen: Start) -> None:
    api = frozen("1.33")
    running(api)
    evict(api, deleteOptions={"dryRun": ["All"]})
    assert "deletionTimestamp" not in api.get("Pod", "a")["metadata"]
    assert "DisruptionTarget" not in str(api.get("Pod", "a"))


def test_an_eviction_of_policy_v1beta1_is_taken_too(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod())
    assert evict(api, version="policy/v1beta1")["status"] == "Success"
    assert refused(lambda: evict(api, version="policy/v9")).code == 400


def test_a_budget_allows_as_many_evictions_as_it_says(frozen: Start) -> None:
    api = frozen("1.33")
    running(api, "one")
    running(api, "two")
    budget(api)
    why = refused(lambda: evict(api, "one"))
    assert (why.code, why.status["details"]["retryAfterSeconds"]) == (429, 10)
    assert why.status["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget budget is still being processed by the server.",
        }
    ]
    api.request("DELETE", f"{BUDGETS}/budget")
    budget(api, disruptionsAllowed=1, currentHealthy=2, desiredHealthy=1, expectedPods=2)
    evict(api, "one")
    status = api.get("PodDisruptionBudget", "budget")["status"]
    assert status["disruptionsAllowed"] == 0
    assert status["disruptedPods"] == {"one": START}
    assert status["conditions"][0]["reason"] == "InsufficientPods"
    again = refused(lambda: evict(api, "two"))
    assert again.code == 429
    assert "needs 1 healthy pods and has 2 currently" in str(again.status)


def test_a_pod_that_two_budgets_have_is_not_evicted(frozen: Start) -> None:
    api = frozen("1.33")
    running(api)
    budget(api, "one")
    budget(api, "two")
    answer = evict(api)
    assert (answer["status"], answer["code"]) == ("Failure", 500)
    assert "more than one PodDisruptionBudget" in answer["message"]


def test_a_pod_that_is_not_ready_needs_no_leave_where_enough_others_are(frozen: Start) -> None:
    api = frozen("1.33")
    running(api, status={"phase": "Running"})
    budget(api, disruptionsAllowed=0, currentHealthy=1, desiredHealthy=1, expectedPods=2)
    evict(api)
    assert "deletionTimestamp" in api.get("Pod", "a")["metadata"]


def test_a_budget_may_let_pods_go_that_are_not_ready(frozen: Start) -> None:
    api = frozen("1.33")
    running(api, status={"phase": "Running"})
    budget(api, spec={"unhealthyPodEvictionPolicy": "AlwaysAllow"})
    evict(api)
    assert "deletionTimestamp" in api.get("Pod", "a")["metadata"]


# connections -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("waiting/exec", 400, "pod waiting does not have a host assigned"),
        ("waiting/portforward", 400, "pod waiting does not have a host assigned"),
        ("waiting/proxy", 400, "address not allowed"),
        ("waiting/proxy/some/path", 400, "address not allowed"),
        ("waiting/log?container=none", 400, "container none is not valid for pod waiting"),
        ("waiting/log?tailLines=-1", 422, "tailLines: Invalid value: -1"),
        ("missing/log", 404, 'pods "missing" not found'),
        ("lost/log", 404, 'nodes "gone" not found'),
        ("placed/log", 501, "this API server has no kubelet to connect to"),
        ("placed/attach", 501, "this API server has no kubelet to connect to"),
        ("placed/exec/more", 404, "the server could not find the requested resource"),
    ],
)
def test_what_leads_to_a_container_is_checked_and_then_refused(
    frozen: Start, path: str, code: int, message: str
) -> None:
    api = frozen("1.33")
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    api.create(pod("waiting"))
    api.create(pod("lost", nodeName="gone"))
    api.create(pod("placed", nodeName="n1"))
    why = refused(lambda: api.request("GET", f"{PODS}/{path}"))
    assert why.code == code
    assert message in str(why)


def test_the_log_of_a_pod_that_no_node_has_is_empty(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod())
    assert not api.request("GET", f"{PODS}/a/log")


def test_discovery_lists_what_leads_to_a_container(frozen: Start) -> None:
    listed = {each["name"]: each["verbs"] for each in frozen("1.33").request("GET", "/api/v1")["resources"]}
    assert listed["pods/log"] == ["get"]
    assert listed["pods/exec"] == ["create", "get"]
    assert listed["pods/proxy"] == ["create", "delete", "get", "patch", "update"]
    assert listed["pods/binding"] == listed["pods/eviction"] == ["create"]


# resizing ----------------------------------------------------------------------------------------


def resize(api: FakeAPI, **requests: str) -> Any:
    change = {"spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}}
    return api.patch("Pod", "a", change, type="strategic", subresource="resize")


def on_node(api: FakeAPI, **node: Any) -> None:
    allocatable = {"cpu": "2", "memory": "1Gi"}
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", **node}}
    created = api.create(body)
    api.update_status({**created, "status": {**created["status"], "allocatable": allocatable}})
    resources = {"requests": {"cpu": "1", "memory": "1Mi"}}
    api.create(pod(nodeName="n1", containers=[{"name": "main", "image": "x", "resources": resources}]))


def test_a_pod_can_be_resized_to_what_its_node_has(frozen: Start) -> None:
    api = frozen("1.36")
    on_node(api)
    assert resize(api, cpu="2", memory="1Gi")["metadata"]["generation"] == 2
    why = refused(lambda: resize(api, cpu="2500m", memory="2Gi"))
    assert (why.code, why.status["details"]["causes"]) == (403, [{"reason": "NodeCapacity"}])
    assert why.status["message"] == (
        'pods "a" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2500, '
        "allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824"
    )


def test_a_pod_on_another_system_is_not_resized(frozen: Start) -> None:
    api = frozen("1.36")
    on_node(api, labels={"kubernetes.io/os": "windows"})
    why = refused(lambda: resize(api, cpu="500m"))
    assert why.status["details"]["causes"] == [{"reason": "UnsupportedPlatform"}]
    assert 'node "n1" is "windows"' in str(why)


def test_a_resize_is_not_held_to_the_node_before_1_36(frozen: Start) -> None:
    api = frozen("1.35")
    on_node(api)
    assert resize(api, cpu="20")["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "20"


def test_a_resize_of_the_pod_as_a_whole_needs_a_node_that_says_it_can(frozen: Start) -> None:
    api = frozen("1.36")
    on_node(api)
    api.delete("Pod", "a", options={"gracePeriodSeconds": 0})
    whole = {"requests": {"cpu": "1"}}
    api.create(pod(nodeName="n1", resources=whole))
    change = {"spec": {"resources": {"requests": {"cpu": "2"}}}}
    why = refused(lambda: api.patch("Pod", "a", change, subresource="resize"))
    assert why.code == 403
    needed = "InPlacePodLevelResourcesVerticalScaling"
    assert f'pod update requires features {needed} which are not available on node "n1"' in str(why)
    node = api.get("Node", "n1")
    api.update_status({**node, "status": {**node["status"], "declaredFeatures": [needed]}})
    assert (
        api.patch("Pod", "a", change, subresource="resize")["spec"]["resources"]
        == change["spec"]["resources"]
    )


def test_as_many_are_evicted_at_once_as_the_budget_allows(frozen: Start) -> None:
    api = frozen("1.33")
    names = [f"p{index}" for index in range(12)]
    for name in names:
        running(api, name)
    budget(api, disruptionsAllowed=3, currentHealthy=12, desiredHealthy=1, expectedPods=12)

    def code(name: str) -> int:
        try:
            evict(api, name)
        except StatusError as error:
            return error.code
        return 201

    with ThreadPoolExecutor(6) as threads:
        codes = sorted(threads.map(code, names))
    assert codes == [201] * 3 + [429] * 9
    status = api.get("PodDisruptionBudget", "budget")["status"]
    assert (status["disruptionsAllowed"], len(status["disruptedPods"])) == (0, 3)


@pytest.mark.parametrize(
    ("spec", "phase", "options", "left"),
    [
        ({"nodeName": "n1"}, "Running", {}, 30),
        ({"nodeName": "n1"}, "Running", {"gracePeriodSeconds": -1}, 1),
        ({"nodeName": "n1"}, "Running", {"gracePeriodSeconds": 0}, None),
        ({"nodeName": "n1"}, "Succeeded", {}, None),
        ({"nodeName": "n1"}, "Failed", {"gracePeriodSeconds": 9}, None),
        ({}, "Pending", {"gracePeriodSeconds": 9}, None),
        ({"nodeName": "n1", "terminationGracePeriodSeconds": 0}, "Running", {}, None),
        (
            {"nodeName": "n1", "terminationGracePeriodSeconds": 5},
            "Running",
            {"propagationPolicy": "Orphan"},
            5,
        ),
    ],
)
def test_a_pod_is_given_the_time_that_it_or_the_client_asks_for(
    frozen: Start, spec: dict[str, Any], phase: str, options: dict[str, Any], left: int | None
) -> None:
    api = frozen("1.33")
    api.create(pod(**spec))
    api.patch("Pod", "a", {"status": {"phase": phase}}, subresource="status")
    api.request("DELETE", f"{PODS}/a", options)
    if left is None:
        assert refused(lambda: api.get("Pod", "a")).code == 404
        return
    assert api.get("Pod", "a")["metadata"]["deletionGracePeriodSeconds"] == left


def test_a_pod_that_is_going_is_given_less_time_and_never_more(frozen: Start) -> None:
    api = frozen("1.33")
    api.create(pod(nodeName="n1"))
    for asked, left in ((20, 20), (25, 20), (None, 20), (5, 5)):
        api.request("DELETE", f"{PODS}/a", {} if asked is None else {"gracePeriodSeconds": asked})
        assert api.get("Pod", "a")["metadata"]["deletionGracePeriodSeconds"] == left


def test_an_event_has_no_dependents_to_wait_for(frozen: Start) -> None:
    api = frozen("1.33")
    for policy in ("Foreground", "Orphan"):
        event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}}
        api.create({**event, "involvedObject": {"namespace": "default"}})
        answer = api.request("DELETE", "/api/v1/namespaces/default/events/e", {"propagationPolicy": policy})
        assert (answer["kind"], answer["status"]) == ("Status", "Success")
