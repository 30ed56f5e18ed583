"""The group autoscaling: HorizontalPodAutoscaler, which scales workloads by metrics.

The kind is imported when it is first used. Every server imports the module `defaults` of this folder.
"""

KINDS = {"horizontalpodautoscalers": "horizontalpodautoscaler.HORIZONTAL_POD_AUTOSCALER"}
"""Maps each resource to the module and the name of its KindDefinition."""
