"""NodeRestriction: lets a kubelet write only its own Node, related objects, and the status of its pods.

Follows k8s.io/kubernetes `plugin/pkg/admission/noderestriction`. A kubelet is a user called system:node:NAME
in the group system:nodes. The plugin ignores all other users. Difference from upstream: fakeapi does not
translate in-tree volumes to CSI, so fakeapi does not know the token audiences of the CSI drivers.
"""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Final

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.node_restriction import nodes, pod_certificates, pods, tokens
from fakeapi.admission.plugins.node_restriction.subject import Subject
from fakeapi.authorization.nodes import node_of
from fakeapi.machinery.golang.strconv import quote
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.releases.node_quirks import node_quirks_of

Check = Callable[[Subject], Awaitable[None] | None]

CHECKS: Final[dict[str, Check]] = {
    "pods": pods.check,
    "nodes": nodes.check,
    "persistentvolumeclaims": pods.check_claim,
    "serviceaccounts": tokens.check,
    "leases.coordination.k8s.io": nodes.check_lease,
    "csinodes.storage.k8s.io": nodes.check_csi_node,
    "resourceslices.resource.k8s.io": nodes.check_slice,
    "certificatesigningrequests.certificates.k8s.io": nodes.check_signing_request,
    "podcertificaterequests.certificates.k8s.io": pod_certificates.check,
}
"""Functions that check a write by a kubelet, by resource. A function raises ApiError to reject the write."""


class NodeRestriction(AdmissionPlugin):
    operations: ClassVar[frozenset[Operation]] = frozenset(
        (Operation.CREATE, Operation.UPDATE, Operation.DELETE)
    )

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Checks a write if the client is a kubelet.

        Like upstream, this check runs among the mutating plugins. Raises ApiError:

        - 403: the kubelet may not make the write
        - 404 or 500: an object that the request names does not exist
        - 500: an object that the request names has another uid
        """
        node = node_of(attributes.user)
        if node is None:
            return None
        if not node:
            raise attributes.forbidden(f"could not determine node from user {quote(attributes.user.name)}")
        check = CHECKS.get(str(attributes.resource.qualified))
        if check is None:
            return None
        quirks = node_quirks_of(attributes.resource.release.minor)
        return check(Subject(node, attributes, self.server, quirks))
