"""Behaviour of the kinds in apps, batch, autoscaling and policy that differs between releases.

HISTORY lists each value with the first release that has it. Sources are k8s.io/kubernetes `pkg/registry` and
`pkg/apis` at each release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadQuirks:
    """Describes how one release treats the kinds in apps, batch, autoscaling and policy.

    Contains only the behaviour that differs between releases.
    """

    apps_updates_are_checked_once: bool
    """Whether an update of a ReplicaSet or DaemonSet reports each error of the object once.

    Other releases report it twice. If true, the error for the immutable selector of a DaemonSet comes before
    the errors of the spec.
    """

    controllers_are_checked_once: bool
    """Whether an update of a ReplicationController reports each error of the object once, not twice."""

    jobs_are_checked_once: bool
    """Whether an update of a Job reports each error of the object once. Other releases report it twice.

    If so, updates do not validate the generated selector.
    """

    revision_data_is_an_object: bool
    """Whether the data of a ControllerRevision must be an object.

    If so, the data are validated only on create.
    """

    stateful_sets_are_strict: bool
    """Whether the serviceName of a new StatefulSet must be a DNS label.

    If so, `revisionHistoryLimit` may change, and a negative limit causes a warning.
    """

    stateful_set_templates_are_checked: bool
    """Whether pod templates of StatefulSets, and claim templates of new StatefulSets, are validated."""

    stateful_set_fields_are_immutable: bool
    """Whether each changed immutable field of a StatefulSet has an error of its own."""

    jobs_are_annotated_as_tracked: bool
    """Whether a new Job gets an annotation that marks its pods as tracked with finalizers."""

    large_jobs_are_warned_of: bool
    """Whether a Job with a very large number of completions causes a warning."""

    failure_actions: tuple[str, ...]
    """Actions of podFailurePolicy, in the order in which errors list them."""

    job_status_rules: str | None
    """Rules for a Job's status in addition to the rules for its counts.

    - None: no further rules
    - "managedBy": the rules of the gate JobManagedBy
    - "by reason": as "managedBy", and a condition must state why the Job ended
    """

    completion_before_start: str
    """Detail of the error for a completionTime before the startTime."""

    completion_is_fixed: str
    """Detail of the error for a changed completionTime."""

    uncounted_of_finished: str
    """Detail of the error for a finished Job that has uncounted pods."""

    suspended_jobs_finish_unstarted: bool
    """Whether a suspended Job with 0 completions may finish without a startTime.

    If so, a Job that resumes may also change its startTime.
    """

    start_time_is_immutable: bool
    """Whether the error for a changed startTime states that the field is immutable.

    In other releases it states that the field is required.
    """

    unstarted_jobs_have_no_pods: bool
    """Whether the template of a suspended Job may change before the Job has the condition Suspended."""

    job_rows_show_success: bool
    """Whether `kubectl get` tables print the condition SuccessCriteriaMet of a Job."""

    scaling_has_tolerance: bool
    """Whether the scaling rules of a HorizontalPodAutoscaler have a tolerance, also in v1's annotation."""

    zero_targets_are_dropped: bool
    """Whether a zero target in v1's annotation is read as an absent target if there is an average target.

    The annotation cannot omit the target.
    """

    autoscaler_bounds: str
    """The error for an invalid maxReplicas.

    - "positive": it must be greater than 0
    - "set": 0 is a missing required value, and other values must be at least 1
    """

    references_name_a_group: bool
    """Whether the target of a new HorizontalPodAutoscaler must name its API group."""

    targets_name_the_resource: bool
    """Whether `kubectl get` tables print the resource of each target of a HorizontalPodAutoscaler."""

    scales_have_metadata: bool
    """Whether a write to `/scale` validates all metadata of the Scale."""

    missing_scales_are_named: bool
    """Whether the error for the Scale of a missing object names the subresource.

    This holds for most kinds.
    """

    schedules_have_no_zone: bool
    """Whether the schedule of a new CronJob must not contain a time zone."""


HISTORY: History = {
    "apps_updates_are_checked_once": {27: False, 34: True},
    "controllers_are_checked_once": {27: False, 35: True},
    "jobs_are_checked_once": {27: False, 37: True},
    "jobs_are_annotated_as_tracked": {27: True, 28: False},
    "large_jobs_are_warned_of": {27: False, 28: True},
    "failure_actions": {27: ("Count", "FailJob", "Ignore"), 28: ("Count", "FailIndex", "FailJob", "Ignore")},
    "job_status_rules": {27: None, 30: "managedBy", 31: "by reason"},
    "completion_before_start": {
        27: "completionTime cannot be set before startTime",
        34: "must be equal to or after `startTime`",
    },
    "completion_is_fixed": {27: "completionTime cannot be mutated", 34: "field is immutable"},
    "uncounted_of_finished": {
        27: "uncountedTerminatedPods needs to be empty for finished job",
        34: "must be empty for finished job",
    },
    "suspended_jobs_finish_unstarted": {27: False, 32: True},
    "start_time_is_immutable": {27: False, 36: True},
    "unstarted_jobs_have_no_pods": {27: False, 36: True},
    "job_rows_show_success": {27: False, 34: True},
    "scaling_has_tolerance": {27: False, 33: True},
    "zero_targets_are_dropped": {27: False, 36: True},
    "autoscaler_bounds": {27: "positive", 36: "set"},
    "references_name_a_group": {27: False, 34: True},
    "targets_name_the_resource": {27: False, 30: True},
    "scales_have_metadata": {27: True, 37: False},
    "missing_scales_are_named": {27: True, 33: False},
    "schedules_have_no_zone": {27: False, 29: True},
    "revision_data_is_an_object": {27: False, 31: True},
    "stateful_sets_are_strict": {27: False, 33: True},
    "stateful_set_templates_are_checked": {27: False, 34: True},
    "stateful_set_fields_are_immutable": {27: False, 37: True},
}


def workload_quirks_of(minor: int) -> WorkloadQuirks:
    """Returns the behaviour of release 1.`minor` with workloads."""
    return WorkloadQuirks(**values_at(HISTORY, minor))
