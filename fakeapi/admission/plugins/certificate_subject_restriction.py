"""CertificateSubjectRestriction: rejects requests for client certificates with the group system:masters.

Follows k8s.io/kubernetes `plugin/pkg/admission/certificates/subjectrestriction`.
"""

import base64
from typing import ClassVar

from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.kinds.certificates.pem import organizations_of
from fakeapi.registry.admission.attributes import Attributes, Operation

SIGNER = "kubernetes.io/kube-apiserver-client"
ADMINISTRATORS = "system:masters"


class CertificateSubjectRestriction(AdmissionPlugin):
    operations: ClassVar[frozenset[Operation]] = CREATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if a CertificateSigningRequest asks for the group system:masters.

        Checks only requests for the signer kubernetes.io/kube-apiserver-client.
        """
        spec = attributes.new_object()["spec"]
        if spec.get("signerName") != SIGNER:
            return
        if ADMINISTRATORS in organizations_of(base64.b64decode(spec.get("request") or "")):
            raise attributes.forbidden(f"use of {SIGNER} signer with {ADMINISTRATORS} group is not allowed")
