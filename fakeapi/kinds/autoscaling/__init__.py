"""The group autoscaling: workloads that are scaled by what they use."""

from fakeapi.kinds.autoscaling.horizontalpodautoscaler import HORIZONTAL_POD_AUTOSCALER

KINDS = (HORIZONTAL_POD_AUTOSCALER,)
