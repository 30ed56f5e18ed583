"""Named differences between releases in the kinds of apps, batch, autoscaling and policy.

As in `fakeapi.releases.quirks`; from k8s.io/kubernetes `pkg/registry` and `pkg/apis` at each
release's last patch.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadQuirks:
    """What a release does with workloads."""

    apps_updates_are_checked_once: bool
    """An update of a replica set or a daemon set does not repeat the errors of the whole object; that the
    selector of a daemon set is immutable is said before them."""

    controllers_are_checked_once: bool
    """An update of a replication controller does not either."""

    controller_rules_are_declared: bool
    """What is wrong with the counts of a replication controller's spec is said last."""

    jobs_are_checked_once: bool
    """Nor does an update of a job, which then need not have a generated selector any more."""

    revision_data_is_an_object: bool
    """The data of a controller revision must be an object, and is looked at when it is made alone."""

    stateful_sets_are_strict: bool
    """A new stateful set's service has a name that a label can be; `revisionHistoryLimit` may change, and a
    negative one is warned of."""

    stateful_set_templates_are_checked: bool
    """The pod in a stateful set's template is validated."""

    stateful_set_fields_are_immutable: bool
    """Each field of a stateful set that may not change is reported by itself."""


_HISTORY: dict[str, dict[int, Any]] = {
    "apps_updates_are_checked_once": {27: False, 34: True},
    "controllers_are_checked_once": {27: False, 35: True},
    "controller_rules_are_declared": {27: False, 37: True},
    "jobs_are_checked_once": {27: False, 37: True},
    "revision_data_is_an_object": {27: False, 31: True},
    "stateful_sets_are_strict": {27: False, 33: True},
    "stateful_set_templates_are_checked": {27: False, 34: True},
    "stateful_set_fields_are_immutable": {27: False, 37: True},
}
"""By quirk: from which minor release on it is what."""


def workload_quirks_of(minor: int) -> WorkloadQuirks:
    """The quirks of release 1.`minor`."""
    return WorkloadQuirks(
        **{
            name: history[max(since for since in history if since <= minor)]
            for name, history in _HISTORY.items()
        }
    )
