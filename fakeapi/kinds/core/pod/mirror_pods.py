"""Mirror pods: the API objects that kubelets create for their static pods."""

from typing import Final

from fakeapi.machinery.json_types import Object

MIRROR: Final = "kubernetes.io/config.mirror"
"""The annotation of mirror pods."""


def is_mirror(pod: Object) -> bool:
    """Whether a pod is a mirror pod."""
    return MIRROR in (pod["metadata"].get("annotations") or {})
