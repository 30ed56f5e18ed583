"""Behaviour that differs between releases, apart from kinds, fields, feature gates and limits.

The module of each area declares each value with the first release that has it, and the package of Kubernetes
from which the difference comes. Sources are recordings of the releases' own servers. For behaviour without
recordings, the sources are the packages at the release's last patch.
"""

from functools import cache

from fakeapi.releases.access_quirks import AccessQuirks
from fakeapi.releases.core_quirks import CoreQuirks
from fakeapi.releases.custom_quirks import CustomQuirks
from fakeapi.releases.device_quirks import DeviceQuirks
from fakeapi.releases.driver_quirks import DriverQuirks
from fakeapi.releases.network_quirks import NetworkQuirks
from fakeapi.releases.pod_quirks import PodQuirks
from fakeapi.releases.request_quirks import RequestQuirks
from fakeapi.releases.rule_quirks import RuleQuirks
from fakeapi.releases.storage_quirks import StorageQuirks
from fakeapi.releases.workload_quirks import WorkloadQuirks


class Quirks(
    RequestQuirks, DeviceQuirks, CoreQuirks, NetworkQuirks, StorageQuirks, AccessQuirks, DriverQuirks
):
    """The behaviour of one release: booleans, numbers, and parts of error messages.

    `quirks_of` creates one instance for each release.
    """

    pods: PodQuirks
    """Differences in pods and pod templates."""

    workloads: WorkloadQuirks
    """Differences in workloads, disruption budgets and autoscalers."""

    custom: CustomQuirks
    """Differences in CustomResourceDefinitions and custom objects."""

    rules: RuleQuirks
    """Differences in the validation rules of custom resources."""

    def __init__(self, minor: int) -> None:
        super().__init__(minor)
        vars(self).update(
            pods=PodQuirks(minor),
            workloads=WorkloadQuirks(minor),
            custom=CustomQuirks(minor),
            rules=RuleQuirks(minor),
        )


@cache
def quirks_of(minor: int) -> Quirks:
    """Returns the behaviour of release 1.`minor`."""
    return Quirks(minor)
