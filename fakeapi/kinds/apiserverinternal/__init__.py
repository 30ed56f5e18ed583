"""The group internal.apiserver.k8s.io: objects that API servers use among themselves."""

from fakeapi.kinds.apiserverinternal.storage_version import STORAGE_VERSION

KINDS = (STORAGE_VERSION,)
