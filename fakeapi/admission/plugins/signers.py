"""CertificateApproval, CertificateSigning, ClusterTrustBundleAttest: check permissions on certificate
signers.

Follows k8s.io/kubernetes `plugin/pkg/admission/certificates/{approval,signing,ctbattest}`.
"""

from collections.abc import Awaitable
from typing import ClassVar

from fakeapi.admission.plugin import UPDATE_ONLY, AdmissionPlugin
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.model.semantic_equality import semantically_equal

GROUP = "certificates.k8s.io"
_OF_GARBAGE_COLLECTOR = ("ownerReferences", "finalizers", "managedFields")


class _SignerCheck(AdmissionPlugin):
    """Base class: checks that the client has the RBAC verb `verb` on the signer that an object names."""

    verb: ClassVar[str]
    refusal: ClassVar[str]

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Raises ApiError 403 if the client lacks the RBAC verb `verb` on the signer.

        The verb on all signers of the domain, such as "example.com/*", is enough.
        """
        signer = self.signer(attributes)
        if not signer or self.server.authorizer is ALWAYS_ALLOW:
            return None
        return self._check(attributes, signer)

    def signer(self, attributes: Attributes) -> str:
        """Returns the signer on which the write needs a permission; "" if the write needs no permission."""
        raise NotImplementedError

    async def _check(self, attributes: Attributes, signer: str) -> None:
        for name in (signer, f"{signer.partition('/')[0]}/*"):
            access = AccessAttributes(attributes.user, self.verb, GROUP, "signers", name=name)
            if (await self.server.authorizer.authorize(access)).allowed:
                return
        raise attributes.forbidden(f"user not permitted to {self.refusal} signerName {quote(signer)}")


class CertificateApproval(_SignerCheck):
    operations = UPDATE_ONLY
    verb, refusal = "approve", "approve requests with"

    def signer(self, attributes: Attributes) -> str:
        return _signer_of(attributes.old)


class CertificateSigning(_SignerCheck):
    operations = UPDATE_ONLY
    verb, refusal = "sign", "sign requests with"

    def signer(self, attributes: Attributes) -> str:
        new, old = (obj.get("status") or {} for obj in (attributes.new_object(), attributes.old or {}))
        is_same = new.get("certificate") == old.get("certificate") and semantically_equal(
            new.get("conditions"), old.get("conditions")
        )
        return "" if is_same else _signer_of(attributes.old)


class ClusterTrustBundleAttest(_SignerCheck):
    verb, refusal = "attest", "attest for"

    def signer(self, attributes: Attributes) -> str:
        new, old = attributes.new_object(), attributes.old
        if old is not None and semantically_equal(_content(new), _content(old)):
            return ""
        return _signer_of(new)


def _signer_of(obj: Object | None) -> str:
    name: str = ((obj or {}).get("spec") or {}).get("signerName", "")
    return name


def _content(obj: Object) -> Object:
    """Returns an object without the metadata fields that the garbage collector may change."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _OF_GARBAGE_COLLECTOR}
    return {**obj, "metadata": metadata}
