"""Behaviour of the kinds in apps, batch, autoscaling and policy that differs between releases.

The sources are the packages named below at each release's last patch.
"""

from fakeapi.releases.history import ReleaseValues, since

_APPS = "pkg/apis/apps/validation"
_APPS_REGISTRY = "pkg/registry/apps"
_CONTROLLERS = "pkg/registry/core/replicationcontroller"
_BATCH = "pkg/apis/batch/validation"
_JOBS = "pkg/registry/batch/job"
_AUTOSCALING = "pkg/apis/autoscaling/validation"
_AUTOSCALING_V1 = "pkg/apis/autoscaling/v1"
_TABLES = "pkg/printers/internalversion"


class WorkloadQuirks(ReleaseValues):
    """Describes how one release treats the kinds in apps, batch, autoscaling and policy.

    Contains only the behaviour that differs between releases.
    """

    apps_updates_are_checked_once: bool = since({27: False, 34: True}, _APPS_REGISTRY)
    """Whether an update of a ReplicaSet or DaemonSet reports each error of the object once, not twice.

    If so, the error for the immutable selector of a DaemonSet comes before the errors of the spec.
    """

    controllers_are_checked_once: bool = since({27: False, 35: True}, _CONTROLLERS)
    """Whether an update of a ReplicationController reports each error of the object once, not twice."""

    jobs_are_checked_once: bool = since({27: False, 37: True}, _JOBS)
    """Whether an update of a Job reports each error of the object once, not twice.

    If so, updates do not validate the generated selector.
    """

    revision_data_is_an_object: bool = since({27: False, 31: True}, _APPS)
    """Whether the data of a ControllerRevision must be an object.

    If so, the data are validated only on create.
    """

    stateful_sets_are_strict: bool = since({27: False, 33: True}, _APPS)
    """Whether the serviceName of a new StatefulSet must be a DNS label.

    If so, `revisionHistoryLimit` may change, and a negative limit causes a warning.
    """

    stateful_set_templates_are_checked: bool = since({27: False, 34: True}, _APPS)
    """Whether pod templates of StatefulSets, and claim templates of new StatefulSets, are validated."""

    stateful_set_fields_are_immutable: bool = since({27: False, 37: True}, _APPS)
    """Whether each changed immutable field of a StatefulSet has an error of its own."""

    jobs_are_annotated_as_tracked: bool = since({27: True, 28: False}, _JOBS)
    """Whether a new Job gets an annotation that marks its pods as tracked with finalizers."""

    large_jobs_are_warned_of: bool = since({27: False, 28: True}, _JOBS)
    """Whether a Job with a very large number of completions causes a warning."""

    failure_actions: tuple[str, ...] = since(
        {27: ("Count", "FailJob", "Ignore"), 28: ("Count", "FailIndex", "FailJob", "Ignore")}, _BATCH
    )
    """Actions of podFailurePolicy, in the order in which errors list them."""

    job_status_rules: str | None = since({27: None, 30: "managedBy", 31: "by reason"}, _BATCH)
    """Rules for a Job's status in addition to the rules for its counts.

    - None: no further rules
    - "managedBy": the rules of the gate JobManagedBy
    - "by reason": as "managedBy", and a condition must state why the Job ended
    """

    completion_before_start: str = since(
        {
            27: "completionTime cannot be set before startTime",
            34: "must be equal to or after `startTime`",
        },
        _BATCH,
    )
    """Detail of the error for a completionTime before the startTime."""

    completion_is_fixed: str = since(
        {27: "completionTime cannot be mutated", 34: "field is immutable"}, _BATCH
    )
    """Detail of the error for a changed completionTime."""

    uncounted_of_finished: str = since(
        {
            27: "uncountedTerminatedPods needs to be empty for finished job",
            34: "must be empty for finished job",
        },
        _BATCH,
    )
    """Detail of the error for a finished Job that has uncounted pods."""

    suspended_jobs_finish_unstarted: bool = since({27: False, 32: True}, _JOBS)
    """Whether a suspended Job with 0 completions may finish without a startTime.

    If so, a Job that resumes may also change its startTime.
    """

    start_time_is_immutable: bool = since({27: False, 36: True}, _BATCH)
    """Whether the error for a changed startTime states that the field is immutable.

    In other releases the error states that the field is required.
    """

    unstarted_jobs_have_no_pods: bool = since({27: False, 36: True}, _JOBS)
    """Whether the template of a suspended Job without a startTime may change.

    In other releases, the template may change only when the Job has the condition Suspended.
    """

    job_rows_show_success: bool = since({27: False, 34: True}, _TABLES)
    """Whether `kubectl get` tables print the condition SuccessCriteriaMet of a Job."""

    scaling_has_tolerance: bool = since({27: False, 33: True}, _AUTOSCALING_V1)
    """Whether the scaling rules of a HorizontalPodAutoscaler have a tolerance, also in v1's annotation."""

    zero_targets_are_dropped: bool = since({27: False, 36: True}, _AUTOSCALING_V1)
    """Whether a zero target in v1's annotation is read as an absent target if there is an average target.

    The annotation cannot omit the target.
    """

    autoscaler_bounds: str = since({27: "positive", 36: "set"}, _AUTOSCALING)
    """The error for an invalid maxReplicas.

    - "positive": it must be greater than 0
    - "set": 0 is a missing required value, and other values must be at least 1
    """

    autoscalers_quote_resource_names: bool = since({27: True, 37: False}, _AUTOSCALING)
    """Whether the error for a container metric whose resource name is not qualified quotes the name.

    Upstream validated the name with `pkg/apis/core/v1/validation` up to 1.36.
    """

    references_name_a_group: bool = since({27: False, 34: True}, _AUTOSCALING)
    """Whether the target of a new HorizontalPodAutoscaler must name its API group."""

    targets_name_the_resource: bool = since({27: False, 30: True}, _TABLES)
    """Whether `kubectl get` tables print the resource of each target of a HorizontalPodAutoscaler."""

    scales_have_metadata: bool = since({27: True, 37: False}, _AUTOSCALING)
    """Whether a write to `/scale` validates all metadata of the Scale."""

    missing_scales_are_named: bool = since({27: True, 33: False}, _APPS_REGISTRY)
    """Whether the error for the Scale of a missing object names the subresource.

    This holds for most kinds.
    """

    schedules_have_no_zone: bool = since({27: False, 29: True}, _BATCH)
    """Whether the schedule of a new CronJob must not contain a time zone."""
