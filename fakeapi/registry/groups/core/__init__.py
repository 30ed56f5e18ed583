"""The core group, `v1`."""

from fakeapi.registry.groups.core.config_map import CONFIG_MAP
from fakeapi.registry.groups.core.namespace import NAMESPACE
from fakeapi.registry.groups.core.node import NODE
from fakeapi.registry.groups.core.persistent_volume import PERSISTENT_VOLUME
from fakeapi.registry.groups.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from fakeapi.registry.groups.core.secret import SECRET
from fakeapi.registry.groups.core.service_account import SERVICE_ACCOUNT

KINDS = (
    CONFIG_MAP,
    NAMESPACE,
    NODE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    SERVICE_ACCOUNT,
)
