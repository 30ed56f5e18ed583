"""Behaviour that differs between releases, apart from kinds, fields, feature gates and limits.

HISTORY in the module of each area lists each value with the first release that has it. Sources are recordings
of the releases' own servers. For behaviour without recordings, the sources are k8s.io/kubernetes,
k8s.io/apiserver and k8s.io/apimachinery at the release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases import (
    access_quirks,
    core_quirks,
    device_quirks,
    driver_quirks,
    network_quirks,
    request_quirks,
    storage_quirks,
)
from fakeapi.releases.access_quirks import AccessQuirks
from fakeapi.releases.core_quirks import CoreQuirks
from fakeapi.releases.custom_quirks import CustomQuirks, custom_quirks_of
from fakeapi.releases.device_quirks import DeviceQuirks
from fakeapi.releases.driver_quirks import DriverQuirks
from fakeapi.releases.history import values_at
from fakeapi.releases.network_quirks import NetworkQuirks
from fakeapi.releases.pod_quirks import PodQuirks, pod_quirks_of
from fakeapi.releases.request_quirks import RequestQuirks
from fakeapi.releases.rule_quirks import RuleQuirks, rule_quirks_of
from fakeapi.releases.storage_quirks import StorageQuirks
from fakeapi.releases.workload_quirks import WorkloadQuirks, workload_quirks_of


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Quirks(
    RequestQuirks, DeviceQuirks, CoreQuirks, NetworkQuirks, StorageQuirks, AccessQuirks, DriverQuirks
):
    """The behaviour of one release: booleans, numbers, and parts of error messages.

    `quirks_of` creates one instance for each release, so instances are compared by identity.
    """

    pods: PodQuirks
    """Differences in pods and pod templates."""

    workloads: WorkloadQuirks
    """Differences in workloads, disruption budgets and autoscalers."""

    custom: CustomQuirks
    """Differences in CustomResourceDefinitions and custom objects."""

    rules: RuleQuirks
    """Differences in the validation rules of custom resources."""


_AREAS = (
    request_quirks,
    device_quirks,
    core_quirks,
    network_quirks,
    access_quirks,
    storage_quirks,
    driver_quirks,
)


@cache
def quirks_of(minor: int) -> Quirks:
    """Returns the behaviour of release 1.`minor`."""
    values = {name: value for area in _AREAS for name, value in values_at(area.HISTORY, minor).items()}
    return Quirks(
        pods=pod_quirks_of(minor),
        workloads=workload_quirks_of(minor),
        custom=custom_quirks_of(minor),
        rules=rule_quirks_of(minor),
        **values,
    )
