"""TaintNodesByCondition: adds the not-ready taint to new Nodes.

Follows k8s.io/kubernetes `plugin/pkg/admission/nodetaint`.
"""

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.registry.admission.attributes import Attributes

NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class TaintNodesByCondition(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        spec = attributes.new_object()["spec"]
        taints = spec.get("taints") or []
        if not any(all(taint.get(name) == NOT_READY[name] for name in NOT_READY) for taint in taints):
            spec["taints"] = [*taints, dict(NOT_READY)]
            sort_spec(attributes)
