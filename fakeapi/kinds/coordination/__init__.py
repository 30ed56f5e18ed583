"""The group coordination.k8s.io: leases, and candidates for coordinated leader election."""

from fakeapi.kinds.coordination.lease import LEASE
from fakeapi.kinds.coordination.lease_candidate import LEASE_CANDIDATE

KINDS = (
    LEASE,
    LEASE_CANDIDATE,
)
