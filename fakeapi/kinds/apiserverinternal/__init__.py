"""The group internal.apiserver.k8s.io: what API servers tell each other."""

from fakeapi.kinds.apiserverinternal.storage_version import STORAGE_VERSION

KINDS = (STORAGE_VERSION,)
