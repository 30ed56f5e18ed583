"""Validates changes of a job's spec."""

from copy import deepcopy
from typing import Any

from fakeapi.kinds.batch.validation.job_spec import INDEXED
from fakeapi.kinds.batch.validation.job_status import JobStatus
from fakeapi.kinds.common.printing.values import printed_as, printed_plain, printed_selector, printed_struct
from fakeapi.kinds.core.pod.validation.internal_form import internal_spec, internal_template
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.releases.rules import ReleaseRules

MUTABLE_RESOURCES = "MutablePodResourcesForSuspendedJobs"
MUTABLE_DIRECTIVES = "MutableSchedulingDirectivesForSuspendedJobs"
_STRUCTS = {"podFailurePolicy": "batch/v1.PodFailurePolicy", "successPolicy": "batch/v1.SuccessPolicy"}
_DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")


def validate_job_change(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Returns an error for each immutable field of a Job's spec that an update changes."""
    after, before = new["spec"], old["spec"]
    return [
        *_completions_errors(after, before, rules),
        *_fixed(after, before, "selector", rules),
        *_template_errors(new, old, rules),
        *_fixed(after, before, "completionMode", rules),
        *_fixed(after, before, "podFailurePolicy", rules),
        *_fixed(after, before, "backoffLimitPerIndex", rules),
        *_fixed(after, before, "managedBy", rules),
        *_fixed(after, before, "successPolicy", rules),
        *_scheduling_errors(after, before),
    ]


def _fixed(new: Object, old: Object, name: str, rules: ReleaseRules) -> list[FieldError]:
    """Returns an error if an update changes the field `name` of a Job's spec."""
    value = new.get(name)
    if semantically_equal(value, old.get(name)):
        return []
    return [invalid(f"spec.{name}", _printed(name, value, rules), FIELD_IMMUTABLE)]


def _printed(name: str, value: Any, rules: ReleaseRules) -> Any:
    if name == "selector":
        return printed_selector(value, rules)
    if name in _STRUCTS:
        return printed_struct(value, _STRUCTS[name], rules)
    return printed_plain(value, rules.quirks.wording)


def _completions_errors(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a change of a Job's `completions`.

    Only indexed Jobs may change the field, and only to the value of `parallelism`. The gate ElasticIndexedJob
    must be on.
    """
    is_elastic = new.get("completionMode") == INDEXED and rules.gates.enabled("ElasticIndexedJob")
    if not is_elastic:
        return _fixed(new, old, "completions", rules)
    completions = new.get("completions")
    if completions == old.get("completions") or completions is None or completions == new.get("parallelism"):
        return []
    problem = "can only be modified in tandem with spec.parallelism"
    return [invalid("spec.completions", completions, problem)]


def _template_errors(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    template, before, path = new["spec"]["template"], old["spec"]["template"], "spec.template"
    if _directives_are_mutable(old, rules):
        before = _with_directives(before, template)
    if _resources_are_mutable(old, rules):
        pod = _with_resources(before["spec"], template["spec"])
        if semantically_equal(template["spec"], pod):
            return []
        bad_value = printed_as(*internal_spec(template["spec"], rules), rules)
        return [invalid(f"{path}.spec", bad_value, FIELD_IMMUTABLE)]
    if semantically_equal(template, before):
        return []
    bad_value = printed_as(*internal_template(template, rules), rules)
    return [invalid(path, bad_value, FIELD_IMMUTABLE)]


def _directives_are_mutable(old: Object, rules: ReleaseRules) -> bool:
    """Whether the scheduling directives of a Job's pod template may change.

    The Job must be suspended. While the gate MutableSchedulingDirectivesForSuspendedJobs is on, the Job must
    not have active pods. While the gate is off, the Job must not have a startTime.
    """
    suspended, status = bool(old["spec"].get("suspend")), JobStatus(old)
    if not rules.gates.enabled(MUTABLE_DIRECTIVES):
        return suspended and not status.get("startTime")
    return suspended and _has_no_pods(status, rules)


def _resources_are_mutable(old: Object, rules: ReleaseRules) -> bool:
    """Whether container resources in a Job's template may change: only if a suspended Job has no active pods.

    Always false while the gate MutablePodResourcesForSuspendedJobs is off.
    """
    return (
        bool(old["spec"].get("suspend"))
        and rules.gates.enabled(MUTABLE_RESOURCES)
        and _has_no_pods(JobStatus(old), rules)
    )


def _has_no_pods(status: JobStatus, rules: ReleaseRules) -> bool:
    unstarted = rules.quirks.workloads.unstarted_jobs_have_no_pods and not status.get("startTime")
    return (unstarted or status.has("Suspended")) and status.count("active") == 0


def _with_directives(old: Object, new: Object) -> Object:
    """Returns the old pod template with scheduling directives, labels and annotations of the new template."""
    template = deepcopy(old)
    pod, new_pod = template["spec"], new["spec"]
    affinity = {
        **(pod.get("affinity") or {}),
        "nodeAffinity": (new_pod.get("affinity") or {}).get("nodeAffinity"),
    }
    _set(pod, "affinity", {name: value for name, value in affinity.items() if value is not None} or None)
    if new_pod.get("affinity") == {}:
        pod["affinity"] = pod.get("affinity") or {}
    for name in _DIRECTIVES:
        _set(pod, name, new_pod.get(name))
    metadata = dict(template.get("metadata") or {})
    for name in ("annotations", "labels"):
        _set(metadata, name, (new.get("metadata") or {}).get(name))
    return {**template, "metadata": metadata}


def _set(holder: Object, name: str, value: Any) -> None:
    if value is None:
        holder.pop(name, None)
    else:
        holder[name] = value


def _with_resources(old: Object, new: Object) -> Object:
    """Returns the old pod spec with the container resources of the new pod spec.

    Skips containers with another name, and lists with another number of containers.
    """
    pod = deepcopy(old)
    for member in ("containers", "initContainers"):
        before, after = pod.get(member) or [], new.get(member) or []
        if len(before) != len(after):
            continue
        for container, new_container in zip(before, after, strict=True):
            if container.get("name") == new_container.get("name"):
                _set(container, "resources", new_container.get("resources"))
    return pod


def _scheduling_errors(new: Object, old: Object) -> list[FieldError]:
    """Returns an error if the scheduling policy of a Job changes from `basic` to `gang` or back."""
    after = (new.get("scheduling") or {}).get("schedulingPolicy")
    before = (old.get("scheduling") or {}).get("schedulingPolicy")
    if after is None or before is None or ("basic" in after) == ("basic" in before):
        return []
    problem = (
        "the basic/gang policy variant is immutable after creation; "
        "only schedulingPolicy.gang.minCount may be updated"
    )
    return [invalid("spec.scheduling.schedulingPolicy", Dump("null"), problem)]
