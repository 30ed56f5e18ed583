"""The group node.k8s.io: classes of container runtimes."""

from fakeapi.kinds.node.runtime_class import RUNTIME_CLASS

KINDS = (RUNTIME_CLASS,)
