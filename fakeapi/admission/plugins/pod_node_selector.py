"""PodNodeSelector: pods go to the nodes that an annotation of their namespace selects.

Follows k8s.io/kubernetes `plugin/pkg/admission/podnodeselector`, without its file of configuration.
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
        """Adds the selector of the namespace. Raises ApiError 403, 404, 500."""
        spec = attributes.new_object()["spec"]
        wanted = self._checked(attributes)
        if wanted:
            spec["nodeSelector"] = dict(sorted({**wanted, **(spec.get("nodeSelector") or {})}.items()))
            sort_spec(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403, 404, 500."""
        self._checked(attributes)

    def _checked(self, attributes: Attributes) -> dict[str, str]:
        """The selector of the namespace, with which that of the pod agrees."""
        namespace = self.objects.get("", "namespaces", "", attributes.namespace)
        if namespace is None:
            raise errors.not_found(Qualified("", "namespaces"), attributes.namespace)
        wanted = _labels((namespace["metadata"].get("annotations") or {}).get(ANNOTATION, ""))
        pod = attributes.new_object()
        given = pod["spec"].get("nodeSelector") or {}
        if any(given.get(key, value) != value for key, value in wanted.items()):
            why = "pod node label selector conflicts with its namespace node label selector"
            raise errors.forbidden(attributes.resource.qualified, pod["metadata"].get("name", ""), why)
        return wanted


def _labels(selector: str) -> dict[str, str]:
    """Raises ApiError 500."""
    found: dict[str, str] = {}
    for each in selector.split(",") if selector else ():
        parts = each.split("=")
        if len(parts) != 2:
            raise ApiError(500, "", f"invalid selector: [{' '.join(parts)}]")
        found[parts[0].strip()] = parts[1].strip()
    return found
