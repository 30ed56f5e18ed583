"""AlwaysDeny rejects all writes. DenyServiceExternalIPs rejects new external IPs of Services.

Follows k8s.io/kubernetes `plugin/pkg/admission/deny` and `network/denyserviceexternalips`.
"""

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.registry.admission.attributes import Attributes, Operation


class AlwaysDeny(AdmissionPlugin):
    operations = frozenset(Operation)

    def mutate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 for every write."""
        raise attributes.forbidden("admission control is denying all modifications")


class DenyServiceExternalIPs(AdmissionPlugin):
    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if a write adds external IPs to a Service."""
        new, old = (
            set(((service or {}).get("spec") or {}).get("externalIPs") or ())
            for service in (attributes.obj, attributes.old)
        )
        if new - old:
            raise attributes.forbidden("Use of external IPs is denied by admission control")
