"""The group scheduling.k8s.io: PriorityClasses, Workloads and PodGroups."""

from fakeapi.kinds.scheduling.first_workload import FIRST_WORKLOAD
from fakeapi.kinds.scheduling.priority_class import PRIORITY_CLASS
from fakeapi.kinds.scheduling.workload import (
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
