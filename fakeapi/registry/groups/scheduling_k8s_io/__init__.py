"""The group scheduling.k8s.io: how important pods are, and which belong together."""

from fakeapi.registry.groups.scheduling_k8s_io.first_workload import FIRST_WORKLOAD
from fakeapi.registry.groups.scheduling_k8s_io.priority_class import PRIORITY_CLASS
from fakeapi.registry.groups.scheduling_k8s_io.workload import (
    COMPOSITE_POD_GROUP,
    FLAT_POD_GROUP,
    FLAT_WORKLOAD,
    POD_GROUP,
    WORKLOAD,
)

KINDS = (
    PRIORITY_CLASS,
    FIRST_WORKLOAD,
    FLAT_WORKLOAD,
    WORKLOAD,
    FLAT_POD_GROUP,
    POD_GROUP,
    COMPOSITE_POD_GROUP,
)
