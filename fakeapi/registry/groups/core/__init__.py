"""The core group, `v1`."""

from fakeapi.registry.groups.core.namespace import NAMESPACE

KINDS = (NAMESPACE,)
