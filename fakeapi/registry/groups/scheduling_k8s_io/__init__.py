"""The group scheduling.k8s.io: how important pods are, and which belong together."""

from fakeapi.registry.groups.scheduling_k8s_io.priority_class import PRIORITY_CLASS

KINDS = (PRIORITY_CLASS,)
