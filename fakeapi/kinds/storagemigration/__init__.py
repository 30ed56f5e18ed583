"""The group storagemigration.k8s.io: stored objects written anew."""

from fakeapi.kinds.storagemigration.storage_version_migration import (
    OLD_STORAGE_VERSION_MIGRATION,
    STORAGE_VERSION_MIGRATION,
)

KINDS = (
    OLD_STORAGE_VERSION_MIGRATION,
    STORAGE_VERSION_MIGRATION,
)
