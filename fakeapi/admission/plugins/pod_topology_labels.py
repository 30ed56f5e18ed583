"""PodTopologyLabels: copies the zone and region labels of a cluster node to its pods.

Follows k8s.io/kubernetes `plugin/pkg/admission/podtopologylabels`.
"""

from fakeapi.admission.field_order import set_labels
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.registry.admission.attributes import Attributes

GATE = "PodTopologyLabelsAdmission"


class PodTopologyLabels(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        """Adds labels of the cluster node to a new pod with a nodeName, or to a Binding.

        The server later copies the labels of a Binding to its pod. Adds no labels while the gate
        PodTopologyLabelsAdmission is off.
        """
        release = attributes.resource.release
        if not release.gates.enabled(GATE):
            return
        obj = attributes.new_object()
        if attributes.subresource == "binding":
            target = obj.get("target") or {}
            node = target.get("name", "") if target.get("kind") == "Node" else ""
        else:
            node = obj["spec"].get("nodeName", "")
        node_object = self.objects.get("", "nodes", "", node) if node else None
        of_node = {} if node_object is None else node_object["metadata"].get("labels") or {}
        labels = {name: of_node[name] for name in release.quirks.topology_labels if name in of_node}
        if labels:
            set_labels(obj, labels)
