"""Builds clusters in which a pod waits for a node or a scheduler, or an object is not deleted
or was refused.
"""

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from tests.explaining.manifests import (
    Object,
    claim,
    device,
    node,
    pod,
    request,
)
from tests.explaining.situations import cluster, situation, train, use

# nodes --------------------------------------------------------------------------------------------


@situation("NoNodes", "the cluster has no nodes")
def no_nodes(api: FakeAPI) -> None:
    pod(api, "train")


@situation("NodeTaint", "node a has the taint gpu=only:NoSchedule, which the pod does not tolerate")
def node_with_a_taint(api: FakeAPI) -> None:
    node(api, "a", spec={"taints": [{"key": "gpu", "value": "only", "effect": "NoSchedule"}]})
    pod(api, "train")


@situation("NodeNotReady", "node a is not ready (taint node.kubernetes.io/not-ready)")
def node_not_ready(api: FakeAPI) -> None:
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
    pod(api, "train")


@situation("NodeNotReady", "node a is not ready: Kubelet stopped posting node status.")
def node_unreachable(api: FakeAPI) -> None:
    node(api, "a", spec={"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]})
    silent = {"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}
    stored = api.get("Node", "a")
    api.update_status({**stored, "status": {**stored["status"], "conditions": [silent]}})
    pod(api, "train")


@situation("NodeUnschedulable", "node a has the devices, but is refused: cordoned (spec.unschedulable)")
def the_node_with_devices_is_cordoned(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    train(api)


@situation("NoDevicesOfClass", "nodeSelector allows only b; b has no device of class gpu.example.com")
def node_selector_excludes_the_node_with_devices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    api.patch("Node", "b", {"metadata": {"labels": {"zone": "b"}}})
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeSelector={"zone": "b"})


@situation("NodeAffinity", "node affinity wants zone In (b), node a has zone=a")
def node_affinity(api: FakeAPI) -> None:
    node(api, "a")
    api.patch("Node", "a", {"metadata": {"labels": {"zone": "a"}}})
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    pod(api, "train", affinity={"nodeAffinity": required})


def _container(**requests: str) -> list[Object]:
    return [{"name": "main", "image": "i", "resources": {"requests": requests}}]


@situation("Insufficient", "the pod requests 6 cpu, node a has 4 free of 8")
def too_little_cpu(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "other", containers=_container(cpu="4"))
    api.settle()
    pod(api, "train", containers=_container(cpu="6"))


@situation("Insufficient", "2 nodes are refused: insufficient memory (64Gi requested, at most 32Gi free)")
def too_little_memory_on_all_nodes(api: FakeAPI) -> None:
    node(api, "a")
    node(api, "b")
    pod(api, "train", containers=_container(memory="64Gi"))


@situation("Insufficient", "the pod requests 1 example.com/gpu, node a has none")
def extended_resource_that_nobody_provides(api: FakeAPI) -> None:
    node(api, "a")
    resources = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    pod(api, "train", containers=[{"name": "main", "image": "i", "resources": resources}])


@situation("TooManyPods", "node a runs 1 of at most 1 pods")
def too_many_pods(api: FakeAPI) -> None:
    node(api, "a", pods="1")
    pod(api, "other")
    api.settle()
    pod(api, "train")


@situation("HostPorts", "hostPort 80 of node a is in use by pod default/other")
def host_port_inuse(api: FakeAPI) -> None:
    node(api, "a")
    containers = [{"name": "main", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    pod(api, "other", containers=containers)
    api.settle()
    pod(api, "train", containers=containers)


def _near(kind: str, app: str) -> Object:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@situation("PodAffinity", "no pod near node a matches the pod affinity app=db by kubernetes.io/hostname")
def pod_affinity(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train", affinity=_near("podAffinity", "db"))


@situation(
    "PodAntiAffinity",
    "anti-affinity to app=train by kubernetes.io/hostname: pod default/other is on node a",
)
def pod_anti_affinity(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "other", labels={"app": "train"})
    api.settle()
    pod(api, "train", affinity=_near("podAntiAffinity", "train"))


@situation(
    "AntiAffinityOfOtherPods",
    "anti-affinity of pod default/other to app=train by kubernetes.io/hostname: it is on node a",
)
def anti_affinity_of_another_pod(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "other", affinity=_near("podAntiAffinity", "train"))
    api.settle()
    pod(api, "train", labels={"app": "train"})


@situation(
    "TopologySpread", "the pod on node a would exceed the topology spread kubernetes.io/hostname (maxSkew 1)"
)
def topology_spread(api: FakeAPI) -> None:
    node(api, "a")
    node(api, "b", spec={"unschedulable": True})
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "train"}},
    }
    for name in ("other", "train"):
        pod(api, name, labels={"app": "train"}, topologySpreadConstraints=[spread])
        api.settle()


# the scheduler and the pod ------------------------------------------------------------------------


@situation("SchedulingGated", "scheduling gate example.com/quota holds it")
def scheduling_gate(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train", schedulingGates=[{"name": "example.com/quota"}])


@situation("SchedulerUnknown", "the pod wants the scheduler volcano; this server runs only default-scheduler")
def scheduler_of_another_name(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train", schedulerName="volcano")


@situation(
    "SchedulerNotRunning",
    "the controller scheduler does not run, so this pod gets no node",
    controllers="resourceclaim",
)
def scheduler_not_running(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train")


@situation("KubeletNotRunning", "it is on node a, the only feasible one of 2")
def placed_on_the_only_node_with_devices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    train(api)


@situation("ClaimNotAllocated", "claim default/gpu is not allocated; the scheduler did not place the pod")
def node_name_set_by_hand(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeName="a")


@situation("VolumeClaimMissing", "volume claim default/data does not exist")
def volume_claim_missing(api: FakeAPI) -> None:
    node(api, "a")
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    pod(api, "train", volumes=[volume], nodeName="a")


# objects that do not go ---------------------------------------------------------------------------


@situation("Finalizers", "waits for finalizer example.com/hold")
def pod_with_a_finalizer(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train")
    api.patch("Pod", "train", {"metadata": {"finalizers": ["example.com/hold"]}})
    api.settle()
    api.delete("Pod", "train")


@situation("Finalizers", "pod default/other-user still uses it", ("claim", "other"))
def deleted_claim_inuse(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    api.delete("ResourceClaim", "other")


@situation("Finalizers", "waits for finalizer example.com/hold", ("node", "a"))
def node_with_a_finalizer(api: FakeAPI) -> None:
    node(api, "a")
    api.patch("Node", "a", {"metadata": {"finalizers": ["example.com/hold"]}})
    api.delete("Node", "a")


# refused writes -----------------------------------------------------------------------------------


@situation(
    "WriteRefused",
    "create refused: adminAccess needs a label on namespace default",
    ("claim", "gpu"),
)
def claim_with_admin_access_in_a_usual_namespace(api: FakeAPI) -> None:
    with pytest.raises(StatusError):
        claim(api, "gpu", request(adminAccess=True))


@situation(
    "WriteRefused",
    "create refused by policy no-hostnetwork: failed expression: !has(object.spec.ho…",
)
def pod_refused_by_a_policy(api: FakeAPI) -> None:
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "no-hostnetwork"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                    }
                ]
            },
            "validations": [{"expression": "!has(object.spec.hostNetwork) || !object.spec.hostNetwork"}],
        },
    }
    api.create(policy)
    api.create({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "no-hostnetwork"},
        "spec": {"policyName": "no-hostnetwork", "validationActions": ["Deny"]},
    })  # fmt: skip
    with pytest.raises(StatusError):
        pod(api, "train", hostNetwork=True)
