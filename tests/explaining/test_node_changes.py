"""Changes of pods and nodes have the right action, are tried, and say whom they hurt."""

from fakeapi import FakeAPI
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.text import text_of
from tests.explaining.manifests import DRIVER, Object, claim, device, node, pod, request, resource_slice
from tests.explaining.situations import cluster, use


def _label(api: FakeAPI, name: str, zone: str) -> None:
    api.patch("Node", name, {"metadata": {"labels": {"zone": zone}}})


def _one_for_each_zone(app: str) -> Object:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "zone"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _caches(api: FakeAPI) -> Explanation:
    """Explains the third pod that wants a zone for itself, in a cluster with two zones."""
    for name, zone in (("a", "east"), ("b", "east"), ("c", "west")):
        node(api, name)
        _label(api, name, zone)
    for number in range(3):
        pod(api, f"cache-{number}", labels={"app": "cache"}, affinity=_one_for_each_zone("cache"))
        api.settle()
    return api.explain("pod", "cache-2")


def test_each_pod_that_anti_affinity_excludes_is_named_with_its_node_and_zone(api: FakeAPI) -> None:
    why = _caches(api)
    assert why.summary == "3 nodes are refused: anti-affinity to app=cache by zone"
    placed = {name: api.get("Pod", name)["spec"]["nodeName"] for name in ("cache-0", "cache-1")}
    assert len({*placed.values()} & {"a", "b"}) == 1
    east = next(name for name, on in placed.items() if on != "c")
    there = placed[east]
    other = "b" if there == "a" else "a"
    lead = "anti-affinity to app=cache by zone: "
    assert f"{lead}pod default/{east} is on node {there}" in why.reasons[0].details
    assert (
        f"{lead}pod default/{east} on node {there} has zone=east, as node {other}" in why.reasons[0].details
    )


def test_a_pod_that_anti_affinity_excludes_is_deleted_and_not_edited(api: FakeAPI) -> None:
    reason = _caches(api).reasons[0]
    changes = reason.changes
    assert {one.name for one in reason.blame} == {"cache-0", "cache-1"}
    deletions = [one for one in changes if one.action == "delete"]
    assert {str(one.objects[0]) for one in deletions} == {"pod default/cache-0", "pod default/cache-1"}
    assert all(one.sufficient and not one.path for one in deletions)
    assert all("created again, it waits for another node" in one.harm for one in deletions)
    assert changes[-2:] == deletions
    assert [(one.text, one.action) for one in changes[:-2]] == [("add a node with another zone", "create")]
    path = f"/api/v1/namespaces/default/pods/{deletions[0].objects[0].name}"
    api.request("DELETE", path, {"gracePeriodSeconds": 0})
    api.settle()
    assert api.get("Pod", "cache-2")["spec"]["nodeName"]


def _edge(api: FakeAPI) -> Explanation:
    """Explains a pod that wants another zone than the zone of the only node with devices."""
    cluster(api, device("gpu-0"), nodes="abc")
    for name, zone in (("a", "east"), ("b", "east"), ("c", "west")):
        _label(api, name, zone)
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeSelector={"zone": "west"})
    return api.explain("pod", "train")


def test_a_node_selector_takes_the_value_of_the_node_with_devices(api: FakeAPI) -> None:
    again, label, _ = _edge(api).reasons[0].changes
    assert (
        again.text
        == "delete the pod and create it again with zone=east instead of zone=west in spec.nodeSelector"
    )
    assert (again.path, again.value, again.sufficient) == ("spec.nodeSelector", "zone=east", True)
    assert (label.text, label.value) == ("label node a zone=west", "zone=west")
    assert (label.sufficient, label.harm) == (True, "other pods may rely on zone=east of the node")


def test_a_node_without_label_and_devices_is_one_line(api: FakeAPI) -> None:
    third, first, second = _edge(api).reasons
    assert (first.nodes, first.changes) == (["a"], [])
    assert first.text == "node a has the devices, but is refused: no match for nodeSelector zone=west"
    assert second.text == "node b: no match for nodeSelector zone=west, and no device of the claim's class"
    assert (second.details, second.changes) == ([], [])
    assert third.text == f"nodeSelector allows only c; c has no device of class {DRIVER}"
    assert [one.text for one in third.changes][2:] == [f"add 1 device like {DRIVER}/a/gpu-0 on node c"]


def test_a_claim_without_a_pod_has_no_chosen_node_and_no_field_to_edit(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "gpu")
    why = api.explain("claim", "gpu")
    assert [(one.feasible, one.chosen) for one in why.nodes] == [(True, False)]
    assert why.reasons[0].path == ""
    assert "  node a: would be feasible\n" in text_of(why, everything=True)


def test_other_nodes_without_devices_of_the_class_are_a_fact_of_their_own(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    claim(api, "gpu", request(count=2))
    pod(api, "train", "gpu")
    reason = api.explain("pod", "train").reasons[0]
    assert reason.nodes == ["a"]
    assert f"no device of class {DRIVER}: nodes b, c" in reason.details


def test_a_claim_is_not_blamed_for_the_node_selector_of_its_pod(api: FakeAPI) -> None:
    _edge(api)
    why = api.explain("claim", "gpu")
    assert why.notes == [
        "the claim is not the cause: pod default/train uses it, and waits for another reason"
    ]


def test_devices_of_other_drivers_are_not_counted(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("nic-0")], driver="nic.example.com")
    claim(api, "gpu", request(count=2))
    pod(api, "train", "gpu")
    text = text_of(api.explain("pod", "train"), everything=True)
    assert f"0 devices of {DRIVER}; 0 match class {DRIVER}, 2 needed\n" in text
    assert "nic-0" not in text


def test_an_allocated_claim_names_its_request_and_its_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    assert api.explain("claim", "other").details == [
        f"request gpu has device {DRIVER}/a/gpu-0 (driver/pool/device)",
        "used on node a",
    ]


def test_anti_affinity_does_not_blame_a_pod_of_another_namespace(api: FakeAPI) -> None:
    node(api, "a")
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    labels = {"app": "cache"}
    _label(api, "a", "east")
    pod(api, "first", namespace="team", labels=labels)
    api.settle()
    pod(api, "second", labels=labels)
    api.settle()
    pod(api, "third", labels=labels, affinity=_one_for_each_zone("cache"))
    why = api.explain("pod", "third")
    assert [str(one) for one in why.reasons[0].blame] == ["pod default/second"]


def test_a_claim_on_another_node_is_freed_by_the_deletion_of_its_pod(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0")])
    claim(api, "shared")
    pod(api, "first", "shared", nodeSelector={"kubernetes.io/hostname": "a"})
    for name in "ab":
        api.patch("Node", name, {"metadata": {"labels": {"kubernetes.io/hostname": name}}})
    api.settle()
    pod(api, "train", "shared", nodeSelector={"kubernetes.io/hostname": "b"})
    (reason,) = [one for one in api.explain("pod", "train").reasons if one.code == "ClaimElsewhere"]
    copy, delete = reason.changes
    assert delete.text == "delete pod default/first; the pod then fits on node b"
    assert (delete.action, delete.sufficient, delete.node) == ("delete", True, "b")
    assert delete.harm == "the pod is on node a and loses its devices"
    path = "spec.resourceClaims[0].resourceClaimName"
    again = f"create a copy of claim default/shared, and create the pod again with the copy in {path}"
    assert (copy.text, copy.sufficient) == (f"{again}; the pod then fits on node b", True)
    allocated = "claim default/shared is allocated to devices of node a"
    assert reason.text == f"nodeSelector allows only b; {allocated}"
    assert reason.details == [
        "nodeSelector wants kubernetes.io/hostname=b, which excludes 1 other node",
        "claim default/shared has a/gpu-0; pod default/first uses it",
        "all pods that share a claim run where its devices are: node a",
    ]
    claim(api, "shared-2")
    api.delete("Pod", "train")
    pod(api, "train", "shared-2", nodeSelector={"kubernetes.io/hostname": "b"})
    api.settle()
    assert api.get("Pod", "train")["spec"]["nodeName"] == "b"


def test_a_taint_is_not_the_only_obstacle_for_a_claim_on_another_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    claim(api, "shared")
    pod(api, "first", "shared", nodeSelector={"kubernetes.io/hostname": "a"})
    api.settle()
    api.patch("Node", "b", {"spec": {"taints": [{"key": "upgrade", "effect": "NoSchedule"}]}})
    pod(api, "train", "shared", nodeSelector={"kubernetes.io/hostname": "b"})
    api.settle()
    (reason,) = [one for one in api.explain("pod", "train").reasons if one.code == "NodeTaint"]
    again, *others = reason.changes
    assert (again.path, again.sufficient) == ("spec.nodeSelector", True)
    needs = {(change.sufficient, change.needs) for change in others}
    assert needs == {(False, "a claim is allocated to devices of another node")}


def test_a_pod_with_the_same_host_port_of_another_protocol_is_not_blamed(api: FakeAPI) -> None:
    node(api, "a")
    for name, protocol in (("web", "TCP"), ("dns", "UDP")):
        ports = [{"containerPort": 80, "hostPort": 80, "protocol": protocol}]
        pod(api, name, containers=[{"name": "main", "image": "i", "ports": ports}])
    api.settle()
    ports = [{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 81}]
    pod(api, "train", containers=[{"name": "main", "image": "i", "ports": ports}])
    api.settle()
    reason = api.explain("pod", "train").reasons[0]
    assert reason.text == "hostPort 80 of node a is in use by pod default/web"
    deletion = next(change for change in reason.changes if change.action == "delete")
    assert (deletion.text, deletion.sufficient) == ("delete pod default/web", True)


def test_a_topology_spread_counts_the_pods_of_each_domain(api: FakeAPI) -> None:
    zones = {"a": "east", "b": "west", "c": "north", "d": "north"}
    for name, zone in zones.items():
        node(api, name)
        _label(api, name, zone)
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    web = {"app": "web"}
    for number, name in enumerate("ab"):
        pod(api, f"web-{number}", nodeName=name, labels=web, topologySpreadConstraints=[spread])
    for name in "cd":
        api.patch("Node", name, {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}})
    pod(api, "web-2", labels=web, topologySpreadConstraints=[spread])
    api.settle()
    reason = api.explain("pod", "web-2").reasons[0]
    assert reason.text == "2 nodes are refused: topology spread zone (maxSkew 1) would be exceeded"
    assert reason.details == [
        "pods by zone: north 0, east 1, west 1; with maxSkew 1, at most 1 in one domain",
        "north has the fewest pods, but its nodes are refused: c, d (tainted gpu:NoSchedule)",
        "tainted nodes count as nodes of north, because nodeTaintsPolicy is Ignore",
    ]
    path = "spec.topologySpreadConstraints[0]"
    again, anyway = "delete the pod and create it again with", "ScheduleAnyway"
    assert [(one.text, one.value, one.sufficient) for one in reason.changes] == [
        (f"{again} Honor instead of Ignore in {path}.nodeTaintsPolicy", "Honor", True),
        (f"{again} 2 instead of 1 in {path}.maxSkew", "2", True),
        (f"{again} {anyway} instead of DoNotSchedule in {path}.whenUnsatisfiable", anyway, True),
    ]
    for number, field in enumerate(("nodeTaintsPolicy", "maxSkew", "whenUnsatisfiable"), 3):
        value = {"maxSkew": 2, "nodeTaintsPolicy": "Honor", "whenUnsatisfiable": anyway}[field]
        pod(api, f"web-{number}", labels=web, topologySpreadConstraints=[{**spread, field: value}])
        api.settle()
        assert api.get("Pod", f"web-{number}")["spec"]["nodeName"] in {"a", "b"}
        api.request("DELETE", f"/api/v1/namespaces/default/pods/web-{number}", {"gracePeriodSeconds": 0})


def test_a_toleration_is_tried_on_a_node_of_each_topology_domain(api: FakeAPI) -> None:
    for name, zone in (("a", "east"), ("b", "east"), ("c", "west")):
        node(api, name)
        _label(api, name, zone)
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    pod(api, "web-0", labels={"app": "web"}, topologySpreadConstraints=[spread], nodeName="a")
    for name in "bc":
        api.patch("Node", name, {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}})
    pod(api, "web-1", labels={"app": "web"}, topologySpreadConstraints=[spread])
    api.settle()
    (reason,) = [one for one in api.explain("pod", "web-1").reasons if one.code == "NodeTaint"]
    tolerate, remove = reason.changes
    advice = "add a toleration for gpu:NoSchedule to spec.tolerations of the pod"
    assert tolerate.text == f"{advice}; the pod then fits on node c"
    assert (tolerate.sufficient, tolerate.node, tolerate.needs) == (True, "c", "")
    assert (remove.text, remove.sufficient) == ("remove the taint gpu:NoSchedule from node c", True)
    api.patch("Node", "c", {"spec": {"taints": None}})
    api.settle()
    assert api.get("Pod", "web-1")["spec"]["nodeName"] == "c"
