"""The group autoscaling: HorizontalPodAutoscaler, which scales workloads by metrics."""

from fakeapi.kinds.autoscaling.horizontalpodautoscaler import HORIZONTAL_POD_AUTOSCALER

KINDS = (HORIZONTAL_POD_AUTOSCALER,)
