"""The group autoscaling: HorizontalPodAutoscaler, which scales workloads by metrics.

A server imports the kind when the kind is first used. Every server imports the module `defaults` of this
folder.
"""

KINDS = {"horizontalpodautoscalers": "horizontalpodautoscaler.HORIZONTAL_POD_AUTOSCALER"}
"""Maps each resource to the module and the name of its KindDefinition."""
