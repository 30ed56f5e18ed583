"""Named differences between releases in the kinds of apps, batch, autoscaling and policy.

As in `fakeapi.releases.quirks`; from k8s.io/kubernetes `pkg/registry` and `pkg/apis` at each
release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadQuirks:
    """What a release does with workloads."""

    apps_updates_are_checked_once: bool
    """An update of a replica set or a daemon set does not repeat the errors of the whole object; that the
    selector of a daemon set is immutable is said before them."""

    controllers_are_checked_once: bool
    """An update of a replication controller does not either."""

    jobs_are_checked_once: bool
    """Nor does an update of a job, which then need not have a generated selector any more."""

    revision_data_is_an_object: bool
    """The data of a controller revision must be an object, and is looked at when it is made alone."""

    stateful_sets_are_strict: bool
    """A new stateful set's service has a name that a label can be; `revisionHistoryLimit` may change, and a
    negative one is warned of."""

    stateful_set_templates_are_checked: bool
    """The pod in a stateful set's template is validated, and so are the claims of a new one."""

    stateful_set_fields_are_immutable: bool
    """Each field of a stateful set that may not change is reported by itself."""

    jobs_are_annotated_as_tracked: bool
    """A new job gets an annotation that its pods are tracked by finalizers."""

    large_jobs_are_warned_of: bool
    """A job with very many completions is answered with a warning."""

    failure_actions: tuple[str, ...]
    """The actions of podFailurePolicy, in the order of messages."""

    job_status_rules: str | None
    """What is asked of a job's status beyond its counts: nothing, the rules of "managedBy", or, "by reason",
    that a condition has told why a job ended, too."""

    completion_before_start: str
    """What is said of a job that completed before it started."""

    completion_is_fixed: str
    """What is said of another completion time."""

    uncounted_of_finished: str
    """What is said of uncounted pods of a finished job."""

    suspended_jobs_finish_unstarted: bool
    """A suspended job without completions may finish that never started; one that resumes may start anew."""

    start_time_is_immutable: bool
    """Another start time is called immutable, not required."""

    unstarted_jobs_have_no_pods: bool
    """The template of a suspended job may change before its controller has seen that it is suspended."""

    job_rows_show_success: bool
    """A row of a job says that its criteria of success are met."""

    scaling_has_tolerance: bool
    """The behavior of an autoscaler has a tolerance, which v1's annotation tells."""

    zero_targets_are_dropped: bool
    """A target of zero beside an average, which v1's annotation cannot leave out, is read as none."""

    autoscaler_bounds: str
    """How the upper bound of replicas is checked: that it is "positive", or that it is "set"."""

    references_name_a_group: bool
    """A new autoscaler's target names its API group."""

    targets_name_the_resource: bool
    """A row of an autoscaler says which resource a target is of."""

    scales_have_metadata: bool
    """All metadata of a Scale is validated."""

    missing_scales_are_named: bool
    """Reading the Scale of what there is not, the error names the subresource of most kinds."""

    schedules_have_no_zone: bool
    """A new schedule names no time zone."""


_HISTORY: History = {
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
    """The quirks of release 1.`minor`."""
    return WorkloadQuirks(**values_at(_HISTORY, minor))
