"""Checks a kubelet's TokenRequests.

The token's pod must run on the kubelet's cluster node. With the gate ServiceAccountNodeAudienceRestriction, a
volume of the pod must request the audience. Newer releases also accept audiences for which the kubelet has a
permission. Follows `admitServiceAccount` and `validateNodeServiceAccountAudience` upstream.
"""

from collections.abc import Awaitable
from typing import Any

from fakeapi.admission.plugins.node_restriction.subject import Subject
from fakeapi.admission.plugins.service_account import projected_sources
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.aggregates import aggregate
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Operation
from fakeapi.registry.authorization.attributes import AccessAttributes


def check(subject: Subject) -> Awaitable[None] | None:
    """Checks the pod and the audiences of a TokenRequest by a kubelet.

    Raises ApiError 403 if the kubelet may not request the token, and 404 if the pod does not exist.
    """
    if subject.operation is not Operation.CREATE or subject.subresource != "token":
        return None
    reference = subject.new["spec"].get("boundObjectRef") or {}
    if (reference.get("apiVersion"), reference.get("kind")) != ("v1", "Pod") or not reference.get("name"):
        raise subject.forbidden("node requested token not bound to a pod")
    uid = reference.get("uid")
    if not uid:
        raise subject.forbidden("node requested token with a pod binding without a uid")
    pod = subject.get("pods", reference["name"], namespace=subject.attributes.namespace)
    if uid != pod["metadata"]["uid"]:
        raise subject.forbidden(
            f"the UID in the bound object reference ({uid}) does not match the UID in record. The object "
            "might have been deleted and then recreated"
        )
    if pod["spec"].get("nodeName", "") != subject.node:
        raise subject.forbidden("node requested token bound to a pod scheduled on a different node")
    if not subject.has_gate("ServiceAccountNodeAudienceRestriction"):
        return None
    return _check_audience(subject, pod)


async def _check_audience(subject: Subject, pod: Object) -> None:
    audiences = subject.new["spec"].get("audiences") or [""]
    if len(audiences) > 1:
        raise subject.forbidden("node may only request 0 or 1 audiences")
    audience: str = audiences[0]
    problems: list[str] = []
    for volume in pod["spec"].get("volumes") or ():
        try:
            if _wants(subject, pod, volume, audience):
                return
        except ApiError as error:
            problems.append(error.message)
    if problems:
        raise subject.forbidden(f"error validating audience {quote(audience)}: {aggregate(problems)}")
    user = subject.attributes.user
    access = AccessAttributes(
        user,
        "request-serviceaccounts-token-audience",
        resource=audience,
        namespace=subject.attributes.namespace,
        name=subject.attributes.name,
    )
    may_ask = "{user}" in subject.quirks.audience_refusal
    if may_ask and (await subject.server.authorizer.authorize(access)).allowed:
        return
    raise subject.forbidden(subject.quirks.audience_refusal.format(audience=quote(audience), user=user.name))


def _wants(subject: Subject, pod: Object, volume: Any, audience: str) -> bool:
    """Whether a projected or CSI volume of the pod requests a token for the audience.

    Raises ApiError 404 if a claim, PersistentVolume or CSIDriver of the volume does not exist.
    """
    tokens = (source.get("serviceAccountToken") for source in projected_sources([volume]))
    if any(token is not None and token.get("audience", "") == audience for token in tokens):
        return True
    driver = _driver_of(subject, pod, volume)
    if not driver:
        return False
    csi_driver = subject.get("csidrivers", driver, group="storage.k8s.io")
    requests = csi_driver["spec"].get("tokenRequests") or ()
    return any(request.get("audience", "") == audience for request in requests)


def _driver_of(subject: Subject, pod: Object, volume: Any) -> str:
    """Returns the name of a volume's CSI driver; "" for a volume without CSI driver.

    Raises ApiError 404 if the volume's PersistentVolumeClaim or PersistentVolume does not exist.
    """
    claim = ""
    if (volume.get("ephemeral") or {}).get("volumeClaimTemplate") is not None:
        claim = f"{pod['metadata']['name']}-{volume['name']}"
    elif volume.get("persistentVolumeClaim") is not None:
        claim = volume["persistentVolumeClaim"]["claimName"]
    elif volume.get("csi") is not None:
        return str(volume["csi"]["driver"])
    if not claim:
        return ""
    claim_object = subject.get("persistentvolumeclaims", claim, namespace=pod["metadata"]["namespace"])
    persistent = subject.get("persistentvolumes", claim_object["spec"].get("volumeName", ""))
    return str((persistent["spec"].get("csi") or {}).get("driver", ""))
