"""RuntimeClass: sets the overhead and the scheduling fields of pods from their RuntimeClass.

Follows k8s.io/kubernetes `plugin/pkg/admission/runtimeclass`.
"""

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.admission.plugins.tolerations import merged
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_valid_path_segment_name
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.semantic_equality import semantically_equal


class RuntimeClass(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        """Sets overhead and scheduling fields of a new pod from its RuntimeClass.

        Raises ApiError 403 if the RuntimeClass does not exist, or if its fields conflict with the pod. Raises
        ApiError 500 if the name of the RuntimeClass is not valid in a URL path.
        """
        runtime_class = self._class_of(attributes)
        if runtime_class is None:
            return
        _set_overhead(attributes, runtime_class)
        if runtime_class.get("scheduling") is not None:
            _set_scheduling(attributes, runtime_class["scheduling"])
        sort_spec(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the overhead of the pod differs from the overhead of its RuntimeClass.

        Also raises ApiError 403 if the RuntimeClass does not exist. Raises ApiError 500 if the name of the
        RuntimeClass is not valid in a URL path.
        """
        runtime_class = self._class_of(attributes)
        overhead = attributes.new_object()["spec"].get("overhead")
        if runtime_class is not None and runtime_class.get("overhead") is not None:
            if not semantically_equal(_fixed(runtime_class), overhead):
                raise attributes.forbidden(
                    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
                )
        elif overhead is not None:
            raise attributes.forbidden(
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            )

    def _class_of(self, attributes: Attributes) -> Object | None:
        name = attributes.new_object()["spec"].get("runtimeClassName")
        if name is None:
            return None
        runtime_class = self.objects.get("node.k8s.io", "runtimeclasses", "", name)
        if runtime_class is None:
            _check_path_segment(name)
            raise attributes.forbidden(f"pod rejected: RuntimeClass {quote(name)} not found")
        return runtime_class


def _check_path_segment(name: str) -> None:
    """Raises ApiError 500 if the name of a missing RuntimeClass is not valid in a URL path.

    Has the message with which client-go rejects the name.
    """
    if not name:
        raise ApiError(500, "", "resource name may not be empty")
    problems = is_valid_path_segment_name(name)
    if problems:
        raise ApiError(500, "", f"invalid resource name {quote(name)}: [{' '.join(problems)}]")


def _fixed(runtime_class: Object) -> Object | None:
    fixed: Object | None = runtime_class["overhead"].get("podFixed")
    return fixed


def _set_overhead(attributes: Attributes, runtime_class: Object) -> None:
    if runtime_class.get("overhead") is None:
        return
    spec, fixed = attributes.new_object()["spec"], _fixed(runtime_class)
    if spec.get("overhead") and not semantically_equal(fixed, spec["overhead"]):
        raise attributes.forbidden(
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        )
    if fixed is not None:
        spec["overhead"] = fixed


def _set_scheduling(attributes: Attributes, scheduling: Object) -> None:
    spec = attributes.new_object()["spec"]
    selector = spec.get("nodeSelector") or {}
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        if selector.get(key, value) != value:
            raise attributes.forbidden(
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {selector[key]}"
            )
        selector = {**selector, key: value}
    if selector:
        spec["nodeSelector"] = dict(sorted(selector.items()))
    tolerations = merged([*spec.get("tolerations", ()), *scheduling.get("tolerations", ())])
    if tolerations:
        spec["tolerations"] = tolerations
