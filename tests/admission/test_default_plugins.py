"""The default admission plugins set fields and refuse writes, with the exemptions of kube-apiserver."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.admission.plugins.priority import POLICY_GATE
from fakeapi.testing.server import FakeAPI
from tests.admission.bodies import body, pod, refusal

Object = dict[str, Any]
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.36")


def annotated(made: Object, **annotations: str) -> Object:
    return {**made, "metadata": {**made["metadata"], "annotations": annotations}}


def storage_class(name: str, *, is_default: bool = False, grows: bool | None = None) -> Object:
    obj = body("StorageClass", name, "storage.k8s.io/v1", provisioner="example.com/p")
    if grows is not None:
        obj["allowVolumeExpansion"] = grows
    return annotated(obj, **{DEFAULT_CLASS: "true"}) if is_default else obj


def volume_claim(name: str = "v", storage: str = "1Gi", **spec: Any) -> Object:
    resources = {"requests": {"storage": storage}}
    return body(
        "PersistentVolumeClaim",
        name,
        spec={"accessModes": ["ReadWriteOnce"], "resources": resources, **spec},
    )


def limit_range(**limit: Any) -> Object:
    return body("LimitRange", "l", spec={"limits": [limit]})


def sized(requests: Object | None = None, limits: Object | None = None) -> list[Object]:
    resources = {"requests": requests or {}, "limits": limits or {}}
    return [{"name": "c", "image": "x", "resources": resources}]


# NamespaceLifecycle


def test_nothing_is_made_in_a_namespace_that_is_not_there_or_goes(api: FakeAPI) -> None:
    error = refusal(lambda: api.create(body("ConfigMap", "a"), namespace="nowhere", dryRun="All"))
    assert (error.code, error.message) == (404, 'namespaces "nowhere" not found')
    api.create_namespace("n")
    api.create(body("ConfigMap", "a"), namespace="n")
    api.delete("Namespace", "n")
    error = refusal(lambda: api.create(body("ConfigMap", "b"), namespace="n"))
    why = "unable to create new content in namespace n because it is being terminated"
    assert (error.code, error.message) == (403, f'configmaps "b" is forbidden: {why}')
    assert error.status["details"]["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": "namespace n is being terminated",
            "field": "metadata.namespace",
        }
    ]
    api.patch("ConfigMap", "a", {"data": {"still": "changed"}}, namespace="n")


# LimitRanger


def test_limit_ranges_fill_in_what_containers_leave_open(api: FakeAPI) -> None:
    api.create(
        limit_range(type="Container", default={"cpu": "2", "memory": "1Gi"}, defaultRequest={"cpu": "1"})
    )
    created = api.create(pod(containers=sized({}, {"memory": "2Gi"})))
    assert created["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "2", "memory": "2Gi"},
        "requests": {"cpu": "1", "memory": "2Gi"},
    }
    note = "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    assert created["metadata"]["annotations"] == {"kubernetes.io/limit-ranger": note}


@pytest.mark.parametrize(
    ("limit", "requests", "limits", "problem"),
    [
        (
            {"type": "Container", "min": {"cpu": "1"}},
            {"cpu": "500m"},
            {},
            "minimum cpu usage per Container is 1, but request is 500m",
        ),
        (
            {"type": "Pod", "max": {"memory": "1Gi"}},
            {},
            {},
            "maximum memory usage per Pod is 1Gi.  No limit is specified",
        ),
        (
            {"type": "Pod", "max": {"memory": "1Gi"}},
            {},
            {"memory": "2Gi"},
            "maximum memory usage per Pod is 1Gi, but limit is 2Gi",
        ),
        (
            {"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}},
            {"cpu": "1"},
            {"cpu": "3"},
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
        ),
        (
            {"type": "Pod", "max": {"cpu": "1"}, "min": {"memory": "1Gi"}},
            {"cpu": "2"},
            {"cpu": "2"},
            (
                "[minimum memory usage per Pod is 1Gi.  No request is specified, "
                "maximum cpu usage per Pod is 1, but limit is 2]"
            ),
        ),
    ],
)
def test_limit_ranges_bound_pods(
    api: FakeAPI, limit: Object, requests: Object, limits: Object, problem: str
) -> None:
    api.create(limit_range(**limit))
    obj = pod(containers=sized(requests, limits))
    assert refusal(lambda: api.create(obj, dryRun="All")).message == f'pods "a" is forbidden: {problem}'


def test_limit_ranges_bound_claims_and_not_what_is_there(api: FakeAPI) -> None:
    api.create(volume_claim("old"))
    api.create(limit_range(type="PersistentVolumeClaim", min={"storage": "2Gi"}))
    assert refusal(lambda: api.create(volume_claim("new"))).message == (
        'persistentvolumeclaims "new" is forbidden: '
        "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"
    )


# TaintNodesByCondition


def test_a_new_node_is_tainted_once_and_an_update_is_not(api: FakeAPI) -> None:
    other = {"key": "x", "effect": "NoSchedule"}
    assert api.create(body("Node", "a", spec={"taints": [other]}))["spec"]["taints"] == [other, NOT_READY]
    assert api.create(body("Node", "b", spec={"taints": [NOT_READY]}))["spec"]["taints"] == [NOT_READY]
    assert "taints" not in api.patch("Node", "b", {"spec": {"taints": None}})["spec"]


# Priority


def priority_class(name: str, value: int, **more: Any) -> Object:
    return body("PriorityClass", name, "scheduling.k8s.io/v1", value=value, **more)


def test_a_pod_has_the_priority_of_its_class(api: FakeAPI) -> None:
    api.create(priority_class("high", 100, preemptionPolicy="Never"))
    spec = api.create(pod(priorityClassName="high"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (100, "Never")
    critical = api.create(pod("b", priorityClassName="system-node-critical"), namespace="kube-system")
    assert critical["spec"]["priority"] == 2000001000
    assert "priorityClassName" not in api.create(pod("c"))["spec"]


def test_the_default_class_is_named(api: FakeAPI) -> None:
    api.create(priority_class("usual", 7, globalDefault=True))
    spec = api.create(pod())["spec"]
    assert (spec["priorityClassName"], spec["priority"]) == ("usual", 7)
    second = priority_class("other", 8, globalDefault=True)
    assert refusal(lambda: api.create(second)).message == (
        'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as '
        "default. Only one default can exist"
    )


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        (
            {"priority": 5},
            (
                "the integer value of priority (5) must not be provided in pod spec; priority admission "
                "controller computed 0 from the given PriorityClass name"
            ),
        ),
        (
            {"preemptionPolicy": "Never"},
            (
                "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
                "admission controller computed PreemptLowerPriority from the given PriorityClass name"
            ),
        ),
    ],
)
def test_a_pod_does_not_choose_its_priority(api: FakeAPI, spec: Object, problem: str) -> None:
    assert refusal(lambda: api.create(pod(**spec))).message == f'pods "a" is forbidden: {problem}'


def test_an_update_that_leaves_out_the_priority_keeps_it(api: FakeAPI) -> None:
    created = api.create(pod())
    spec = {
        name: value for name, value in created["spec"].items() if name not in ("priority", "preemptionPolicy")
    }
    assert api.update({**created, "spec": spec})["spec"]["priority"] == 0


# DefaultTolerationSeconds


def test_a_pod_tolerates_lost_nodes_for_a_while_unless_it_says_so_itself(api: FakeAPI) -> None:
    def keys(made: Object) -> list[tuple[str, int]]:
        return [(each["key"], each["tolerationSeconds"]) for each in made["spec"]["tolerations"]]

    unready, unreachable = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
    assert keys(api.create(pod())) == [(unready, 300), (unreachable, 300)]
    own = {"key": unready, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9}
    assert keys(api.create(pod("b", tolerations=[own]))) == [(unready, 9), (unreachable, 300)]
    everything = {"operator": "Exists"}
    assert api.create(pod("c", tolerations=[everything]))["spec"]["tolerations"] == [everything]


# storage


def test_a_claim_has_the_newest_default_class_unless_it_names_one(api: FakeAPI) -> None:
    api.create(storage_class("b", is_default=True))
    api.create(storage_class("a", is_default=True))
    assert api.create(volume_claim())["spec"]["storageClassName"] == "a"
    assert api.create(volume_claim("none", storageClassName=""))["spec"]["storageClassName"] == ""
    old = annotated(volume_claim("old"), **{"volume.beta.kubernetes.io/storage-class": "x"})
    assert "storageClassName" not in api.create(old)["spec"]


def test_volumes_and_claims_are_held_until_they_are_free(api: FakeAPI) -> None:
    assert api.create(volume_claim())["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    free = api.patch("PersistentVolumeClaim", "v", {"metadata": {"finalizers": None}})
    assert "finalizers" not in free["metadata"]
    classes = body("VolumeAttributesClass", "c", "storage.k8s.io/v1", driverName="d", parameters={"a": "b"})
    assert api.create(classes)["metadata"]["finalizers"] == ["kubernetes.io/vac-protection"]


@pytest.mark.parametrize(("gates", "held"), [("", False), ("VolumeAttributesClass=true", True)])
def test_volume_attributes_classes_are_held_in_1_33_only_with_their_gate(gates: str, *, held: bool) -> None:
    classes = body("VolumeAttributesClass", "c", "storage.k8s.io/v1alpha1", driverName="d")
    classes["parameters"] = {"a": "b"}
    with FakeAPI(release="1.33", runtime_config="api/all=true", feature_gates=gates) as api:
        assert ("finalizers" in api.create(classes)["metadata"]) is held


def grown(api: FakeAPI, phase: str, *, by_class: bool) -> Object:
    """Creates a PersistentVolumeClaim in a phase and requests more storage; returns the patched claim.

    `phase`: the claim's phase. `by_class`: whether the claim's StorageClass allows volume expansion.
    """
    api.create(storage_class("c", grows=by_class))
    created = api.create(volume_claim(storageClassName="c"))
    api.update_status({**created, "status": {"phase": phase, "capacity": {"storage": "1Gi"}}})
    larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    return api.patch("PersistentVolumeClaim", "v", larger)


def test_a_claim_grows_where_its_class_lets_it(api: FakeAPI) -> None:
    assert grown(api, "Bound", by_class=True)["spec"]["resources"]["requests"] == {"storage": "2Gi"}


def test_a_claim_of_another_class_does_not_grow(api: FakeAPI) -> None:
    assert refusal(lambda: grown(api, "Bound", by_class=False)).message == (
        'persistentvolumeclaims "v" is forbidden: only dynamically provisioned pvc can be resized and the '
        "storageclass that provisions the pvc must support resize"
    )


# RuntimeClass


def runtime_class(**more: Any) -> Object:
    return body("RuntimeClass", "r", "node.k8s.io/v1", handler="h", **more)


def test_a_pod_takes_over_overhead_and_nodes_from_its_runtime_class(api: FakeAPI) -> None:
    toleration = {"key": "k", "operator": "Exists", "effect": "NoSchedule"}
    scheduling = {"nodeSelector": {"kind": "a"}, "tolerations": [toleration]}
    api.create(runtime_class(overhead={"podFixed": {"cpu": "1"}}, scheduling=scheduling))
    spec = api.create(pod(runtimeClassName="r", nodeSelector={"own": "1"}))["spec"]
    assert spec["overhead"] == {"cpu": "1"}
    assert spec["nodeSelector"] == {"kind": "a", "own": "1"}
    assert toleration in spec["tolerations"]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"runtimeClassName": "r", "overhead": {"cpu": "2"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"runtimeClassName": "r", "nodeSelector": {"kind": "b"}},
            "conflict: runtimeClass.scheduling.nodeSelector[kind] = a; pod.spec.nodeSelector[kind] = b",
        ),
    ],
)
def test_a_pod_does_not_contradict_its_runtime_class(api: FakeAPI, spec: Object, problem: str) -> None:
    scheduling = {"nodeSelector": {"kind": "a"}}
    api.create(runtime_class(overhead={"podFixed": {"cpu": "1"}}, scheduling=scheduling))
    assert refusal(lambda: api.create(pod(**spec))).message == f'pods "a" is forbidden: {problem}'


# networking


def test_an_ingress_has_the_default_class_unless_it_says_otherwise(api: FakeAPI) -> None:
    def ingress(name: str, **spec: Any) -> Object:
        backend = {"service": {"name": "s", "port": {"number": 80}}}
        return body("Ingress", name, "networking.k8s.io/v1", spec={"defaultBackend": backend, **spec})

    chosen = body("IngressClass", "c", "networking.k8s.io/v1", spec={"controller": "example.com/c"})
    api.create(annotated(chosen, **{"ingressclass.kubernetes.io/is-default-class": "true"}))
    assert api.create(ingress("a"))["spec"]["ingressClassName"] == "c"
    assert api.create(ingress("b", ingressClassName="own"))["spec"]["ingressClassName"] == "own"
    old = api.create(annotated(ingress("d"), **{"kubernetes.io/ingress.class": "x"}))
    assert "ingressClassName" not in old["spec"]


# PodTopologyLabels


def node(name: str = "n") -> Object:
    obj = body("Node", name)
    obj["metadata"]["labels"] = {
        "topology.kubernetes.io/zone": "z",
        "topology.kubernetes.io/region": "r",
        "other": "o",
    }
    return obj


def test_a_pod_is_labelled_with_the_place_of_its_node(api: FakeAPI) -> None:
    api.create(node())
    expected = {"topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z"}
    assert api.create(pod(nodeName="n"))["metadata"]["labels"] == expected
    api.create(pod("b"))
    binding = body("Binding", "b", target={"kind": "Node", "name": "n"})
    api.request("POST", "/api/v1/namespaces/default/pods/b/binding", binding)
    assert api.get("Pod", "b")["metadata"]["labels"] == expected


def test_a_pod_is_not_labelled_with_the_gate_off(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.36", feature_gates={"PodTopologyLabelsAdmission": False})
    api.create(node())
    assert "labels" not in api.create(pod(nodeName="n"))["metadata"]


# pod groups


def pod_group(name: str = "g", workload: str = "", template: str = "t", **spec: Any) -> Object:
    spec = {"schedulingPolicy": {"gang": {"minCount": 2}}, **spec}
    if workload:
        reference = {"workloadName": workload, "podGroupTemplateName": template}
        spec["podGroupTemplateRef"] = {"workload": reference}
    return body("PodGroup", name, "scheduling.k8s.io/v1alpha2", spec=spec)


@pytest.fixture
def with_groups(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    gates = {"GenericWorkload": True, "WorkloadWithJob": True}
    return fakeapi_factory(
        release="1.36", feature_gates=gates, runtime_config="scheduling.k8s.io/v1alpha2=true"
    )


def test_a_group_of_pods_is_held_until_it_is_free(with_groups: FakeAPI) -> None:
    made = with_groups.create(pod_group())
    assert made["metadata"]["finalizers"] == ["scheduling.k8s.io/podgroup-protection"]


def test_a_group_of_pods_names_a_template_that_is_there(with_groups: FakeAPI) -> None:
    templates = [{"name": "t", "schedulingPolicy": {"basic": {}}}]
    kind = "scheduling.k8s.io/v1alpha2"
    with_groups.create(body("Workload", "w", kind, spec={"podGroupTemplates": templates}))
    with_groups.create(pod_group("a", "w"))
    start = 'podgroups.scheduling.k8s.io "b" is forbidden: PodGroup rejected: '
    assert refusal(lambda: with_groups.create(pod_group("b", "x"))).message == (
        f'{start}Workload "x" not found'
    )
    assert refusal(lambda: with_groups.create(pod_group("b", "w", "x"))).message == (
        f'{start}PodGroupTemplate "x" not found in Workload "w"'
    )


def test_a_job_of_a_gang_keeps_its_parallelism(with_groups: FakeAPI) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}
    job = with_groups.create(body("Job", "j", "batch/v1", spec={"parallelism": 2, "template": template}))
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "j",
        "uid": job["metadata"]["uid"],
        "controller": True,
    }
    group = pod_group()
    group["metadata"]["ownerReferences"] = [owner]
    with_groups.create(group)
    with_groups.patch("Job", "j", {"metadata": {"labels": {"a": "b"}}})
    assert refusal(lambda: with_groups.patch("Job", "j", {"spec": {"parallelism": 3}})).message == (
        'jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled '
        'PodGroup "g"'
    )


@pytest.mark.parametrize(
    ("kind", "version", "text"),
    [("PodGroup", "v1beta1", "pod group"), ("CompositePodGroup", "v1alpha3", "composite pod group")],
)
def test_since_1_37_a_group_has_the_priority_and_policy_of_its_class(
    fakeapi_factory: Callable[..., FakeAPI], kind: str, version: str, text: str
) -> None:
    names = ("GenericWorkload", "TopologyAwareWorkloadScheduling", "CompositePodGroup", POLICY_GATE)
    enabled = "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true"
    server = fakeapi_factory(release="1.37", feature_gates=dict.fromkeys(names, True), runtime_config=enabled)
    server.create(priority_class("high", 100, preemptionPolicy="Never"))
    child = {"name": "t", "schedulingPolicy": {"basic": {}}}
    parent = {"name": "t", "schedulingPolicy": {"basic": {}}, "podGroupTemplates": [{**child, "name": "c"}]}
    templates = {
        "PodGroup": {"podGroupTemplates": [child]},
        "CompositePodGroup": {"compositePodGroupTemplates": [parent]},
    }
    server.create(body("Workload", "w", f"scheduling.k8s.io/{version}", spec=templates[kind]))

    def group(name: str, **spec: Any) -> Any:
        reference = {"workloadName": "w", "templateName": "t"}
        given = {"schedulingPolicy": {"basic": {}}, "priorityClassName": "high", "workloadRef": reference}
        spec = {"preemptionPolicy": "Never", **given, **spec}
        return body(kind, name, f"scheduling.k8s.io/{version}", spec=spec)

    spec = server.create(group("a"))["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (100, "Never")
    other = group("b", preemptionPolicy="PreemptLowerPriority")
    assert (
        f"(PreemptLowerPriority) must not be provided in {text} spec"
        in refusal(lambda: server.create(other)).message
    )
    assert refusal(lambda: server.create(group("b", priority=7))).message.endswith(
        f"priority set in the {text} (7) must match the priority computed (100) based on the priority class "
        "set in the spec"
    )


def test_a_group_has_no_preemption_policy_with_its_gate_off(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    server = fakeapi_factory(
        release="1.37",
        feature_gates={"GenericWorkload": True},
        runtime_config="scheduling.k8s.io/v1beta1=true",
    )
    server.create(priority_class("high", 100, preemptionPolicy="Never"))
    policy = {"gang": {"minCount": 2}}
    spec = {"schedulingPolicy": policy, "priorityClassName": "high"}
    created = server.create(body("PodGroup", "g", "scheduling.k8s.io/v1beta1", spec=spec))["spec"]
    assert created["priority"] == 100
    assert "preemptionPolicy" not in created
