"""The group rbac.authorization.k8s.io: roles, and bindings of roles to subjects."""

from fakeapi.kinds.rbac.binding import CLUSTER_ROLE_BINDING, ROLE_BINDING
from fakeapi.kinds.rbac.role import CLUSTER_ROLE, ROLE

KINDS = (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
)
