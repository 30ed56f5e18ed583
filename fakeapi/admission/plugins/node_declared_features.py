"""NodeDeclaredFeatureValidator: rejects pod changes that need a feature that the node does not declare.

Follows k8s.io/kubernetes `plugin/pkg/admission/nodedeclaredfeatures` and k8s.io/component-helpers
`nodedeclaredfeatures/features`, since 1.35.
"""

from collections.abc import Callable, Mapping

from fakeapi.admission.plugin import UPDATE_ONLY, AdmissionPlugin
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.semantic_equality import semantically_equal

GATE = "NodeDeclaredFeatures"


class NodeDeclaredFeatureValidator(AdmissionPlugin):
    operations = UPDATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the change of a pod needs a feature that the pod's node does not declare.

        Also raises ApiError 403 if the change needs a feature and the node does not exist.

        Accepts pods without a node, and updates that do not change the generation. Accepts all writes while
        the gate NodeDeclaredFeatures is off.
        """
        release = attributes.resource.release
        pod, old = attributes.new_object(), attributes.old
        node_name = pod["spec"].get("nodeName", "")
        if old is None or not node_name or not release.gates.enabled(GATE):
            return
        if old["metadata"].get("generation") == pod["metadata"].get("generation"):
            return
        needed = [
            name
            for name in release.quirks.features_of_pod_changes
            if _NEEDS[name](pod["spec"], old["spec"], old["status"])
        ]
        if not needed:
            return
        node = self.objects.get("", "nodes", "", node_name)
        if node is None:
            raise attributes.forbidden(f"node {quote(node_name)} not found")
        declared = node["status"].get("declaredFeatures") or ()
        missing = [name for name in needed if name not in declared]
        if missing:
            raise attributes.forbidden(
                f"pod update requires features {', '.join(missing)} which are not available on node "
                f"{quote(node_name)}"
            )


def _resizes_guaranteed_cpu(new: Object, old: Object, status: Object) -> bool:
    if status.get("qosClass") != "Guaranteed":
        return False
    pairs = zip(old["containers"], new["containers"], strict=False)
    return any(quantity.compare(_cpu(was), _cpu(now)) != 0 for was, now in pairs)


def _cpu(container: Object) -> str:
    amount: str = (container["resources"].get("requests") or {}).get("cpu", "0")
    return amount


def _resizes_pod(new: Object, old: Object, status: Object) -> bool:
    return not semantically_equal(new.get("resources"), old.get("resources"))


def _resizes_init_container(new: Object, old: Object, status: Object) -> bool:
    pairs = zip(old.get("initContainers") or (), new.get("initContainers") or (), strict=False)
    return any(
        was.get("restartPolicy") != "Always" and was["resources"] != now["resources"] for was, now in pairs
    )


def _resizes_volume(new: Object, old: Object, status: Object) -> bool:
    volumes, before = new.get("volumes") or [], old.get("volumes") or []
    if len(volumes) != len(before):
        return False
    for volume, was in zip(volumes, before, strict=True):
        now, then = volume.get("emptyDir") or {}, was.get("emptyDir") or {}
        size, old_size = now.get("sizeLimit"), then.get("sizeLimit")
        is_alike = volume["name"] == was["name"] and now.get("medium") == "Memory"
        if is_alike and size is not None and old_size is not None and quantity.compare(size, old_size):
            return True
    return False


_NEEDS: Mapping[str, Callable[[Object, Object, Object], bool]] = {
    "GuaranteedQoSPodCPUResize": _resizes_guaranteed_cpu,
    "InPlacePodLevelResourcesVerticalScaling": _resizes_pod,
    "InPlacePodVerticalScalingInitContainers": _resizes_init_container,
    "InPlacePodVerticalScalingMemoryBackedVolumes": _resizes_volume,
}
"""Maps each feature to a function that decides whether a change of a pod needs the feature.

The arguments of the functions are the new spec, the old spec and the old status of the pod.
"""
