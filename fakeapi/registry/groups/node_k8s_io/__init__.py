"""The group node.k8s.io: how containers are run."""

from fakeapi.registry.groups.node_k8s_io.runtime_class import RUNTIME_CLASS

KINDS = (RUNTIME_CLASS,)
