"""The group coordination.k8s.io: leases, and candidates for them."""

from fakeapi.registry.groups.coordination_k8s_io.lease import LEASE
from fakeapi.registry.groups.coordination_k8s_io.lease_candidate import LEASE_CANDIDATE

KINDS = (
    LEASE,
    LEASE_CANDIDATE,
)
