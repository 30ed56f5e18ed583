"""Decides which nodes run the pods of a DaemonSet, and builds the template of these pods.

Follows k8s.io/kubernetes `pkg/controller/daemon` and `pkg/controller/daemon/util`.
"""

from typing import NamedTuple

from fakeapi.controllers.scheduler.node_filters import fits_affinity, tolerates_taint
from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.controllers.workloads.revisions import HASH
from fakeapi.machinery.json_types import Object

GENERATION = "deprecated.daemonset.template.generation"
POD_GENERATION = "pod-template-generation"
NODE_NAME = "metadata.name"

_NO_EXECUTE = ("not-ready", "unreachable")
_NO_SCHEDULE = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Placement(NamedTuple):
    """Whether a node should get a pod of a DaemonSet (`runs`), and may keep an existing pod (`keeps`)."""

    runs: bool
    keeps: bool


def placements(daemon_set: Object, nodes: list[Object]) -> dict[str, Placement]:
    """Returns the Placement of a DaemonSet on each node, by the name of the node."""
    spec = daemon_set["spec"]["template"]["spec"]
    pod = {"spec": {**spec, "tolerations": daemon_tolerations(spec)}}
    return {node["metadata"]["name"]: _placement(pod, node) for node in nodes}


def _placement(pod: Object, node: Object) -> Placement:
    spec = pod["spec"]
    if spec.get("nodeName") and spec["nodeName"] != node["metadata"]["name"]:
        return Placement(runs=False, keeps=False)
    if not fits_affinity(spec, node):
        return Placement(runs=False, keeps=False)
    taints = (node.get("spec") or {}).get("taints") or ()
    effects = {taint["effect"] for taint in taints if not tolerates_taint(pod, taint)}
    if effects & {"NoSchedule", "NoExecute"}:
        return Placement(runs=False, keeps="NoExecute" not in effects)
    return Placement(runs=True, keeps=True)


def daemon_tolerations(spec: Object) -> list[Object]:
    """Returns the tolerations of a pod spec, with the default tolerations of DaemonSet pods added."""
    names = _NO_SCHEDULE + (("network-unavailable",) if spec.get("hostNetwork") else ())
    pairs = [(name, "NoExecute") for name in _NO_EXECUTE] + [(name, "NoSchedule") for name in names]
    tolerations = list(spec.get("tolerations") or ())
    for name, effect in pairs:
        new = {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
        if new not in tolerations:
            tolerations.append(new)
    return tolerations


def template_generation(daemon_set: Object) -> str | None:
    """Returns the template generation in the annotations of a DaemonSet; None without a valid number."""
    text = (daemon_set["metadata"].get("annotations") or {}).get(GENERATION, "")
    return text if text.isascii() and text.isdigit() else None


def pod_template(daemon_set: Object, node: str, template_hash: str) -> Object:
    """Returns the template of a DaemonSet's pod for one node.

    `template_hash`: the hash of the current revision.
    """
    template = daemon_set["spec"]["template"]
    metadata = dict(template.get("metadata") or {})
    labels = {**(metadata.get("labels") or {}), HASH: template_hash}
    generation = template_generation(daemon_set)
    if generation is not None:
        labels[POD_GENERATION] = generation
    spec = {**template["spec"], "tolerations": daemon_tolerations(template["spec"])}
    spec["affinity"] = _on_node(spec.get("affinity") or {}, node)
    return {"metadata": {**metadata, "labels": labels}, "spec": spec}


def _on_node(affinity: Object, node: str) -> Object:
    """Returns an affinity with a new required node affinity: only the node with this name."""
    term = {"matchFields": [{"key": NODE_NAME, "operator": "In", "values": [node]}]}
    node_affinity = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: {"nodeSelectorTerms": [term]}}
    return {**affinity, "nodeAffinity": node_affinity}


def target_node(pod: Object) -> str | None:
    """Returns the node of a pod, or the node that its affinity requires; None without such a node."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    required = ((pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field["key"] == NODE_NAME and field["operator"] == "In":
                return str(field["values"][0]) if len(field["values"]) == 1 else None
    return None


def is_updated(daemon_set: Object, pod: Object, template_hash: str) -> bool:
    """Whether a pod has the current template of its DaemonSet."""
    labels, generation = labels_of(pod), template_generation(daemon_set)
    has_generation = generation is not None and labels.get(POD_GENERATION) == generation
    return has_generation or labels.get(HASH) == template_hash
