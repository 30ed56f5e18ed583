"""Priority: a pod gets the priority of its class, and only one class is the default.

Follows k8s.io/kubernetes `plugin/pkg/admission/priority`.
"""

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation

GROUP = "scheduling.k8s.io"
PREEMPT = "PreemptLowerPriority"
SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Classes that every cluster has, by name, with their values."""


class Priority(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> None:
        """Sets priority, class and preemption policy of a new pod or group of pods. Raises ApiError 403."""
        resource, created = attributes.resource.kind.resource, attributes.operation is Operation.CREATE
        if resource == "pods" and not created:
            _keep(attributes)
        elif resource == "pods":
            self._admit_pod(attributes)
        elif resource == "podgroups" and created:
            self._admit_group(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Refuses a second default class. Raises ApiError 403."""
        obj = attributes.new_object()
        if attributes.resource.kind.resource != "priorityclasses" or not obj.get("globalDefault"):
            return
        default = self._default_class()
        if default is None:
            return
        name = default["metadata"]["name"]
        if attributes.operation is Operation.CREATE or name != obj["metadata"]["name"]:
            words = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise attributes.forbidden(words)

    def _admit_pod(self, attributes: Attributes) -> None:
        spec = attributes.new_object()["spec"]
        value, policy = self._priority_of(attributes, spec)
        given = spec.get("priority")
        if given is not None and given != value:
            raise attributes.forbidden(
                f"the integer value of priority ({given}) must not be provided in pod spec; priority "
                f"admission controller computed {value} from the given PriorityClass name"
            )
        spec["priority"] = value
        if policy is not None:
            _set_policy(attributes, spec, policy)
        sort_spec(attributes)

    def _admit_group(self, attributes: Attributes) -> None:
        if not attributes.resource.release.gates.enabled("WorkloadAwarePreemption"):
            return
        spec = attributes.new_object()["spec"]
        value, _ = self._priority_of(attributes, spec)
        given = spec.get("priority")
        if given is not None and given != value:
            raise attributes.forbidden(
                f"priority set in the pod group ({given}) must match the priority computed ({value}) "
                "based on the priority class set in the spec"
            )
        spec["priority"] = value
        sort_spec(attributes)

    def _priority_of(self, attributes: Attributes, spec: Object) -> tuple[int, str | None]:
        """Priority and preemption policy of the class that the spec names, or of the default class, which is
        then named.
        """
        name = spec.get("priorityClassName", "")
        found = self._class(name) if name else self._default_class()
        if found is not None:
            spec["priorityClassName"] = found["metadata"]["name"]
            return found["value"], found.get("preemptionPolicy")
        if name:
            raise attributes.forbidden(f"no PriorityClass with name {name} was found")
        return 0, PREEMPT

    def _class(self, name: str) -> Object | None:
        found = self.objects.get(GROUP, "priorityclasses", "", name)
        if found is None and name in SYSTEM_CLASSES:
            return {"metadata": {"name": name}, "value": SYSTEM_CLASSES[name], "preemptionPolicy": PREEMPT}
        return found

    def _default_class(self) -> Object | None:
        """The class that is marked as default; of several the lowest."""
        defaults = [each for each in self.objects.list(GROUP, "priorityclasses") if each.get("globalDefault")]
        return min(defaults, key=lambda each: int(each["value"]), default=None)


def _set_policy(attributes: Attributes, spec: Object, policy: str) -> None:
    given = spec.get("preemptionPolicy")
    if given is not None and given != policy:
        raise attributes.forbidden(
            f"the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority "
            f"admission controller computed {policy} from the given PriorityClass name"
        )
    spec["preemptionPolicy"] = policy


def _keep(attributes: Attributes) -> None:
    """An update that leaves out what was set when the pod was made means what it was."""
    assert attributes.old is not None, "an update has an old object"
    new, old = attributes.new_object()["spec"], attributes.old["spec"]
    for name in ("priority", "preemptionPolicy"):
        if new.get(name) is None and old.get(name) is not None:
            new[name] = old[name]
    sort_spec(attributes)
