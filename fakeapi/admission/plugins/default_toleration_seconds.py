"""DefaultTolerationSeconds: pods tolerate unready and unreachable cluster nodes for five minutes.

Follows k8s.io/kubernetes `plugin/pkg/admission/defaulttolerationseconds`.
"""

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.registry.admission.attributes import Attributes

SECONDS = 300
TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class DefaultTolerationSeconds(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> None:
        """Adds tolerations of the taints not-ready and unreachable for 300 seconds.

        Skips a taint that the pod already tolerates.
        """
        spec = attributes.new_object()["spec"]
        present = spec.get("tolerations") or []
        missing = [taint for taint in TAINTS if not any(_covers(toleration, taint) for toleration in present)]
        if missing:
            added = [
                {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": SECONDS}
                for taint in missing
            ]
            spec["tolerations"] = [*present, *added]
            sort_spec(attributes)


def _covers(toleration: dict[str, object], taint: str) -> bool:
    return toleration.get("key", "") in ("", taint) and toleration.get("effect", "") in ("", "NoExecute")
