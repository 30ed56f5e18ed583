"""The group node.k8s.io: how containers are run."""

from fakeapi.kinds.node.runtime_class import RUNTIME_CLASS

KINDS = (RUNTIME_CLASS,)
