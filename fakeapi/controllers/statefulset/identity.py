"""Computes the names, labels and volume claims of the pods of StatefulSets.

Follows k8s.io/kubernetes `pkg/controller/statefulset/stateful_set_utils.go`.
"""

from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.controllers.workloads.pod_control import pod_of_template
from fakeapi.controllers.workloads.pods import has_ended, is_available, is_deleted, is_ready, phase
from fakeapi.controllers.workloads.revisions import HASH
from fakeapi.machinery.json_types import Object

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"


def start_of(stateful_set: Object) -> int:
    """Returns the ordinal of the first pod."""
    return int((stateful_set["spec"].get("ordinals") or {}).get("start") or 0)


def ordinal_of(stateful_set: Object, pod: Object) -> int | None:
    """Returns the ordinal in the name of a pod; None if the name does not belong to the StatefulSet."""
    parent, _, text = pod["metadata"]["name"].rpartition("-")
    return int(text) if parent == stateful_set["metadata"]["name"] and text.isdigit() else None


def revision_of(pod: Object) -> str:
    """Returns the name of a pod's ControllerRevision; "" if the pod has no such label."""
    return labels_of(pod).get(HASH, "")


def is_running(pod: Object) -> bool:
    """Whether a pod is Running and Ready."""
    return phase(pod) == "Running" and is_ready(pod)


def is_healthy(pod: Object) -> bool:
    """Whether a pod is Running and Ready and is not being deleted."""
    return is_running(pod) and not is_deleted(pod)


def is_unavailable(pod: Object, min_ready_seconds: int, now: float) -> bool:
    """Whether a pod is not available, has ended, or is being deleted."""
    return is_deleted(pod) or has_ended(pod) or not is_available(pod, min_ready_seconds, now)


def new_pod(stateful_set: Object, template: Object, revision: str, ordinal: int) -> Object:
    """Returns a new pod of a StatefulSet for an ordinal. The pod is not stored yet.

    - `template`: the pod template of the pod's revision.
    - `revision`: the name of this revision.
    """
    metadata = stateful_set["metadata"]
    pod = pod_of_template(stateful_set, template)
    name = f"{metadata['name']}-{ordinal}"
    pod["metadata"] |= {
        "name": name,
        "namespace": metadata["namespace"],
        "labels": {**labels_of(pod), POD_NAME: name, POD_INDEX: str(ordinal), HASH: revision},
    }
    pod["spec"] = {**pod["spec"], "hostname": name, "subdomain": stateful_set["spec"].get("serviceName", "")}
    claims = claims_of(stateful_set, ordinal)
    if claims:
        volumes = [
            {"name": volume, "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}
            for volume, claim in claims.items()
        ]
        kept = [each for each in pod["spec"].get("volumes") or () if each["name"] not in claims]
        pod["spec"]["volumes"] = volumes + kept
    return pod


def claims_of(stateful_set: Object, ordinal: int) -> dict[str, Object]:
    """Returns the PersistentVolumeClaims of a pod by the names of their templates."""
    claims: dict[str, Object] = {}
    metadata, selector = stateful_set["metadata"], stateful_set["spec"].get("selector") or {}
    for template in stateful_set["spec"].get("volumeClaimTemplates") or ():
        name = template["metadata"]["name"]
        new = {
            "name": f"{name}-{metadata['name']}-{ordinal}",
            "namespace": metadata["namespace"],
            "labels": {**labels_of(template), **(selector.get("matchLabels") or {})},
        }
        if template["metadata"].get("annotations"):
            new["annotations"] = template["metadata"]["annotations"]
        spec = template["spec"]
        claims[name] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": new, "spec": spec}
    return claims
