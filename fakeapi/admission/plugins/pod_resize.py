"""PodResizeValidator: rejects a pod resize beyond the allocatable resources of the pod's node.

Follows k8s.io/kubernetes `plugin/pkg/admission/podresize`, since 1.36.
"""

from decimal import ROUND_CEILING, Decimal

from fakeapi.admission.plugin import UPDATE_ONLY, AdmissionPlugin
from fakeapi.kinds.common.pod_resources import added, pod_totals
from fakeapi.machinery.errors import Cause
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes

GATE = "InPlacePodVerticalScaling"
_SYSTEM = "kubernetes.io/os"
_MILLI = Decimal(1000)


class PodResizeValidator(AdmissionPlugin):
    operations = UPDATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the pod's node cannot run the resized pod.

        A node cannot run the pod if the node does not exist, does not run Linux, or has too little cpu or
        memory. Accepts pods without a node, and updates that do not change the generation. Accepts all writes
        up to 1.35, and while the gate InPlacePodVerticalScaling is off.
        """
        release = attributes.resource.release
        pod, old = attributes.new_object(), attributes.old
        node_name = pod["spec"].get("nodeName", "")
        if not (release.quirks.resizes_are_held_to_the_node and release.gates.enabled(GATE) and node_name):
            return
        if old is not None and old["metadata"].get("generation") == pod["metadata"].get("generation"):
            return
        node = self.objects.get("", "nodes", "", node_name)
        if node is None:
            raise attributes.forbidden(f"node {quote(node_name)} not found")
        system = (node["metadata"].get("labels") or {}).get(_SYSTEM, "linux")
        if system != "linux":
            why = f"pod resize is only supported on linux nodes, node {quote(node_name)} is {quote(system)}"
            raise attributes.forbidden(why, Cause("UnsupportedPlatform", ""))
        missing = _missing(pod["spec"], node)
        if missing:
            why = f"node didn't have enough allocatable resources: {missing}"
            raise attributes.forbidden(why, Cause("NodeCapacity", ""))


def _missing(spec: Object, node: Object) -> str:
    """Describes the resources that the node lacks, for the error message; "" if the node has enough."""
    requested, allocatable = _requests(spec), node["status"].get("allocatable") or {}
    parts = []
    for name, factor in (("cpu", _MILLI), ("memory", Decimal(1))):
        needed, there = requested.get(name, "0"), allocatable.get(name, "0")
        if quantity.compare(needed, there) > 0:
            parts.append(
                f"{name}, requested: {_scaled(needed, factor)}, allocatable: {_scaled(there, factor)}"
            )
    return "; ".join(parts)


def _requests(spec: Object) -> dict[str, str]:
    """Returns the resource requests of a pod, including its overhead.

    Pod-level requests replace container requests.
    """
    return added(pod_totals(spec, "requests", pod_level=True), spec.get("overhead") or {})


def _scaled(amount: str, factor: Decimal) -> int:
    return int((quantity.parse(amount).amount * factor).to_integral_value(ROUND_CEILING))
