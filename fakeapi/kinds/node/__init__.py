"""The group node.k8s.io: RuntimeClasses, which select the container runtime of pods."""

from fakeapi.kinds.node.runtime_class import RUNTIME_CLASS

KINDS = (RUNTIME_CLASS,)
