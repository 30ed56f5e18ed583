"""Priority: sets the priority of pods from their PriorityClass, and allows only one default PriorityClass.

Follows k8s.io/kubernetes `plugin/pkg/admission/priority`.
"""

from typing import NamedTuple

from fakeapi.admission.field_order import sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation

GROUP = "scheduling.k8s.io"
PREEMPT = "PreemptLowerPriority"
SYSTEM_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The values of the two PriorityClasses that every cluster has, by their names."""

POLICY_GATE = "PodGroupPreemptionPolicy"


class GroupKind(NamedTuple):
    """A kind of pod groups, PodGroup or CompositePodGroup.

    - `text`: the kind in error messages.
    - `gates`: feature gates. The plugin sets priorities of groups if the first gate known to the release is
      on.
    """

    text: str
    gates: tuple[str, ...]


GROUPS = {
    "podgroups": GroupKind("pod group", ("WorkloadAwarePreemption", "GenericWorkload")),
    "compositepodgroups": GroupKind("composite pod group", ("CompositePodGroup",)),
}


class Priority(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> None:
        """Sets the priority of a new pod, PodGroup or CompositePodGroup from its PriorityClass.

        New pods also get the name of the PriorityClass and its preemption policy; PodGroups get the policy
        with the gate PodGroupPreemptionPolicy. An update of a pod keeps the old priority and preemption
        policy if the client omits these fields.

        Raises ApiError 403 in these cases:

        - The PriorityClass does not exist.
        - The object already sets another priority or preemption policy than its PriorityClass has.
        """
        resource, created = attributes.resource.kind.resource, attributes.operation is Operation.CREATE
        if resource == "pods" and not created:
            _keep(attributes)
        elif resource == "pods":
            self._admit_pod(attributes)
        elif resource in GROUPS and created:
            self._admit_group(attributes, GROUPS[resource])

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if a write makes a second PriorityClass the default."""
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
        own = spec.get("priority")
        if own is not None and own != value:
            raise attributes.forbidden(
                f"the integer value of priority ({own}) must not be provided in pod spec; priority "
                f"admission controller computed {value} from the given PriorityClass name"
            )
        spec["priority"] = value
        if policy is not None:
            _set_policy(attributes, spec, policy, "pod")
        sort_spec(attributes)

    def _admit_group(self, attributes: Attributes, group: GroupKind) -> None:
        gates, spec = attributes.resource.release.gates, attributes.new_object()["spec"]
        gate = next((name for name in group.gates if name in gates), None)
        if gate is None or not gates.enabled(gate):
            return
        value, policy = self._priority_of(attributes, spec)
        own = spec.get("priority")
        if own is not None and own != value:
            raise attributes.forbidden(
                f"priority set in the {group.text} ({own}) must match the priority computed ({value}) "
                "based on the priority class set in the spec"
            )
        spec["priority"] = value
        if policy is not None and gates.enabled(POLICY_GATE):
            _set_policy(attributes, spec, policy, group.text)
        sort_spec(attributes)

    def _priority_of(self, attributes: Attributes, spec: Object) -> tuple[int, str | None]:
        """Returns the priority and the preemption policy of the PriorityClass of a pod or PodGroup.

        If the spec names no PriorityClass, uses the default PriorityClass and sets `priorityClassName` in the
        spec. Without a default PriorityClass, the priority is 0. Raises ApiError 403 if the named
        PriorityClass does not exist.
        """
        name = spec.get("priorityClassName", "")
        priority_class = self._class(name) if name else self._default_class()
        if priority_class is not None:
            spec["priorityClassName"] = priority_class["metadata"]["name"]
            return priority_class["value"], priority_class.get("preemptionPolicy")
        if name:
            raise attributes.forbidden(f"no PriorityClass with name {name} was found")
        return 0, PREEMPT

    def _class(self, name: str) -> Object | None:
        priority_class = self.objects.get(GROUP, "priorityclasses", "", name)
        if priority_class is None and name in SYSTEM_CLASSES:
            return {"metadata": {"name": name}, "value": SYSTEM_CLASSES[name], "preemptionPolicy": PREEMPT}
        return priority_class

    def _default_class(self) -> Object | None:
        """Returns the default PriorityClass; None if no PriorityClass is the default.

        Of several default classes, returns the class with the lowest value.
        """
        defaults = [
            priority_class
            for priority_class in self.objects.list(GROUP, "priorityclasses")
            if priority_class.get("globalDefault")
        ]
        return min(defaults, key=lambda priority_class: int(priority_class["value"]), default=None)


def _set_policy(attributes: Attributes, spec: Object, policy: str, text: str) -> None:
    """Sets the preemption policy. Raises ApiError 403 if the spec has another policy.

    `text`: the kind in the error, such as "pod group".
    """
    own = spec.get("preemptionPolicy")
    if own is not None and own != policy:
        raise attributes.forbidden(
            f"the string value of PreemptionPolicy ({own}) must not be provided in {text} spec; priority "
            f"admission controller computed {policy} from the given PriorityClass name"
        )
    spec["preemptionPolicy"] = policy


def _keep(attributes: Attributes) -> None:
    """Copies the old priority and preemption policy to an update that omits these fields."""
    assert attributes.old is not None, "an update has an old object"
    new, old = attributes.new_object()["spec"], attributes.old["spec"]
    for name in ("priority", "preemptionPolicy"):
        if new.get(name) is None and old.get(name) is not None:
            new[name] = old[name]
    sort_spec(attributes)
