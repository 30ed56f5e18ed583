"""The group internal.apiserver.k8s.io: what API servers tell each other."""

from fakeapi.registry.groups.internal_apiserver_k8s_io.storage_version import STORAGE_VERSION

KINDS = (STORAGE_VERSION,)
