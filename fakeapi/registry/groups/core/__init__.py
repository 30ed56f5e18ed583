"""The core group, `v1`."""

from fakeapi.registry.groups.core.config_map import CONFIG_MAP
from fakeapi.registry.groups.core.namespace import NAMESPACE
from fakeapi.registry.groups.core.secret import SECRET
from fakeapi.registry.groups.core.service_account import SERVICE_ACCOUNT

KINDS = (
    CONFIG_MAP,
    NAMESPACE,
    SECRET,
    SERVICE_ACCOUNT,
)
