"""The group autoscaling: workloads that are scaled by what they use."""

from fakeapi.registry.groups.autoscaling.horizontalpodautoscaler import HORIZONTAL_POD_AUTOSCALER

KINDS = (HORIZONTAL_POD_AUTOSCALER,)
