"""Writes CA certificates into the webhooks of objects with the annotation inject-ca-from."""

import copy
from typing import Any

from fakeapi.machinery.json_types import Object

ANNOTATION = "cert-manager.io/inject-ca-from"
"""The annotation with NAMESPACE/NAME of the Certificate, as in cert-manager's cainjector."""
INJECTED = (
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
)
"""The resources whose webhooks get CA certificates."""


def certificate_of(obj: Object) -> str:
    """Returns NAMESPACE/NAME of the Certificate in an object's ANNOTATION; "" without this annotation."""
    name: str = (obj["metadata"].get("annotations") or {}).get(ANNOTATION, "")
    return name


def with_authority(obj: Object, authority: str) -> Object | None:
    """Returns a merge patch that sets the caBundle of all webhooks of an object.

    Returns None if the object has no webhooks, or if all have this caBundle.

    `authority`: the CA certificates, in base64.
    """
    if "webhooks" in obj:
        webhooks = copy.deepcopy(obj["webhooks"])
        for entry in webhooks:
            entry["clientConfig"]["caBundle"] = authority
        return None if webhooks == obj["webhooks"] else {"webhooks": webhooks}
    webhook: Any = ((obj.get("spec") or {}).get("conversion") or {}).get("webhook") or {}
    client = webhook.get("clientConfig")
    if client is None or client.get("caBundle") == authority:
        return None
    return {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": authority}}}}}
