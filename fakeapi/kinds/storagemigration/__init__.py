"""The group storagemigration.k8s.io: migrations that rewrite stored objects in a newer version."""

from fakeapi.kinds.storagemigration.storage_version_migration import (
    OLD_STORAGE_VERSION_MIGRATION,
    STORAGE_VERSION_MIGRATION,
)

KINDS = (
    OLD_STORAGE_VERSION_MIGRATION,
    STORAGE_VERSION_MIGRATION,
)
