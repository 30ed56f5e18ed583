"""PodNodeSelector: adds a node selector to pods, from an annotation of their namespace.

Follows k8s.io/kubernetes `plugin/pkg/admission/podnodeselector`, without its configuration file.
"""

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.registry.admission.attributes import Attributes

ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector"


class PodNodeSelector(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        """Adds the node selector of the namespace to a pod.

        Raises ApiError:

        - 403: the pod has a different value for a label in the namespace's node selector
        - 404: the namespace does not exist
        - 500: the annotation of the namespace is malformed
        """
        spec = attributes.new_object()["spec"]
        node_selector = self._checked(attributes)
        if node_selector:
            spec["nodeSelector"] = dict(sorted({**node_selector, **(spec.get("nodeSelector") or {})}.items()))
            sort_spec(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the node selectors of the pod and of its namespace conflict.

        Raises ApiError 404 if the namespace does not exist, and 500 if its annotation is malformed.
        """
        self._checked(attributes)

    def _checked(self, attributes: Attributes) -> dict[str, str]:
        """Returns the node selector in the annotation of the namespace.

        Raises ApiError:

        - 403: the pod has a different value for a label in the namespace's node selector
        - 404: the namespace does not exist
        - 500: the annotation of the namespace is malformed
        """
        namespace = self.objects.get("", "namespaces", "", attributes.namespace)
        if namespace is None:
            raise errors.not_found(Qualified("", "namespaces"), attributes.namespace)
        node_selector = _labels((namespace["metadata"].get("annotations") or {}).get(ANNOTATION, ""))
        pod = attributes.new_object()
        pod_selector = pod["spec"].get("nodeSelector") or {}
        if any(pod_selector.get(key, value) != value for key, value in node_selector.items()):
            why = "pod node label selector conflicts with its namespace node label selector"
            raise errors.forbidden(attributes.resource.qualified, pod["metadata"].get("name", ""), why)
        return node_selector


def _labels(selector: str) -> dict[str, str]:
    """Parses a node selector such as "a=b,c=d". Raises ApiError 500 if the text is malformed."""
    labels: dict[str, str] = {}
    for term in selector.split(",") if selector else ():
        parts = term.split("=")
        if len(parts) != 2:
            raise ApiError(500, "", f"invalid selector: [{' '.join(parts)}]")
        labels[parts[0].strip()] = parts[1].strip()
    return labels
