"""The group rbac.authorization.k8s.io: roles and who has them."""

from fakeapi.registry.groups.rbac_authorization_k8s_io.binding import CLUSTER_ROLE_BINDING, ROLE_BINDING
from fakeapi.registry.groups.rbac_authorization_k8s_io.role import CLUSTER_ROLE, ROLE

KINDS = (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
)
