"""PodTolerationRestriction: annotations of a namespace add tolerations to its pods and restrict them.

Follows k8s.io/kubernetes `plugin/pkg/admission/podtolerationrestriction` and `pkg/util/tolerations`.
"""

from typing import Any, Final

import msgspec

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.tolerations import covers, merged
from fakeapi.kinds.core.pod.qos import BEST_EFFORT, qos_class
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation

DEFAULTS: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
ALLOWED: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
_UNDER_PRESSURE: Final = {
    "key": "node.kubernetes.io/memory-pressure",
    "operator": "Exists",
    "effect": "NoSchedule",
}


class PodTolerationRestriction(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> None:
        """Adds the default tolerations of the namespace to a new pod, and checks all tolerations of the pod.

        Pods that are not BestEffort also get a toleration of memory pressure. Raises ApiError 404 if the
        namespace does not exist. Raises ApiError 500 if the namespace's annotation is malformed or does not
        allow a toleration of the pod.
        """
        spec = attributes.new_object()["spec"]
        added: list[Object] = []
        if attributes.operation is Operation.CREATE:
            added += self._tolerations(attributes, DEFAULTS) or ()
        if qos_class(spec, attributes.resource.release.gates) != BEST_EFFORT:
            added.append(dict(_UNDER_PRESSURE))
        if added:
            spec["tolerations"] = merged([*(spec.get("tolerations") or ()), *added])
            sort_spec(attributes)
        self.validate(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Rejects a pod with a toleration that the namespace's annotation does not allow.

        Accepts pods without tolerations. Raises ApiError 500 for a rejected pod and for a malformed
        annotation, and ApiError 404 if the namespace does not exist.
        """
        tolerations = attributes.new_object()["spec"].get("tolerations")
        if not tolerations:
            return
        allowed = self._tolerations(attributes, ALLOWED)
        if allowed and not all(
            any(covers(wide, toleration) for wide in allowed) for toleration in tolerations
        ):
            words = "pod tolerations (possibly merged with namespace default tolerations) conflict with its "
            raise ApiError(500, "", f"{words}namespace whitelist")

    def _tolerations(self, attributes: Attributes, annotation: str) -> list[Object] | None:
        """Returns the tolerations in an annotation of the namespace; None if the annotation is not set.

        Raises ApiError 404 if the namespace does not exist, and 500 if the annotation is malformed.
        """
        namespace = self.objects.get("", "namespaces", "", attributes.namespace)
        if namespace is None:
            raise errors.not_found(Qualified("", "namespaces"), attributes.namespace)
        text = (namespace["metadata"].get("annotations") or {}).get(annotation)
        if text is None or not text:
            return None if text is None else []
        try:
            return msgspec.json.decode(text, type=list[dict[str, Any]])
        except msgspec.DecodeError as error:
            raise ApiError(500, "", str(error)) from None
