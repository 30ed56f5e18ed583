"""Checks PodCertificateRequests of a kubelet: for its own pods, with the right names and uids.

Follows `admitPodCertificateRequest` upstream. Like upstream, a missing object or a wrong uid causes an error
500, so that the kubelet retries: upstream reads these objects from a cache that can be stale.
"""

from collections.abc import Awaitable

from fakeapi.admission.plugins.node_restriction.subject import Subject
from fakeapi.admission.plugins.service_account import projected_sources
from fakeapi.kinds.core.pod.mirror_pods import is_mirror
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Operation
from fakeapi.registry.authorization.attributes import AccessAttributes


def check(subject: Subject) -> Awaitable[None] | None:
    """Checks the cluster node, pod, service account and signer of a PodCertificateRequest by a kubelet.

    Raises ApiError 403 if the kubelet may not create the request. Raises ApiError 500 if an object that
    the request names does not exist or has another uid.
    """
    if not subject.quirks.holds_pod_certificate_requests:
        return None
    if not subject.has_gate("PodCertificateRequest"):
        raise subject.forbidden("PodCertificateRequest feature gate is disabled")
    if subject.operation is not Operation.CREATE:
        raise subject.forbidden(f"unexpected operation {subject.operation.value}")
    if subject.subresource:
        raise subject.forbidden(f"unexpected subresource {subject.subresource}")
    _check_node(subject)
    pod = _check_pod(subject)
    _check_account(subject, pod)
    spec = subject.new["spec"]
    if not subject.quirks.checks_signers or _mounts(pod, spec["signerName"]):
        return None
    return _check_signer(subject)


def _found(subject: Subject, what: str, called: str, resource: str, name: str, namespace: str = "") -> Object:
    try:
        return subject.get(resource, name, namespace=namespace)
    except ApiError as error:
        words = f"while retrieving {what} {quote(called)} named in the PodCertificateRequest: {error.message}"
        raise ApiError(500, "", words) from None


def _check_node(subject: Subject) -> None:
    spec = subject.new["spec"]
    name = spec["nodeName"]
    if name != subject.node:
        raise subject.forbidden(
            f"PodCertificateRequest.Spec.NodeName={quote(name)}, which is not the requesting node "
            f"{subject.quoted}"
        )
    uid = _found(subject, "node", name, "nodes", name)["metadata"]["uid"]
    if uid != spec["nodeUID"]:
        raise ApiError(
            500,
            "",
            f"PodCertificateRequest for pod {_called(subject, spec['podName'])} names node UID "
            f"{quote(spec['nodeUID'])}, inconsistent with the running node ({quote(uid)})",
        )


def _check_pod(subject: Subject) -> Object:
    spec, namespace = subject.new["spec"], subject.attributes.namespace
    name, called = spec["podName"], _called(subject, spec["podName"])
    pod = _found(subject, "pod", f"{namespace}/{name}", "pods", name, namespace)
    uid = pod["metadata"]["uid"]
    if spec["podUID"] != uid:
        raise ApiError(
            500,
            "",
            f"PodCertificateRequest for pod {called} contains pod UID ({quote(spec['podUID'])}) which "
            f"differs from running pod {quote(uid)}",
        )
    if pod["spec"].get("nodeName", "") != spec["nodeName"]:
        raise subject.forbidden(
            f"pod {called} is not running on node {subject.quoted} named in the PodCertificateRequest"
        )
    if is_mirror(pod):
        raise subject.forbidden(f"pod {called} is a mirror pod")
    return pod


def _check_account(subject: Subject, pod: Object) -> None:
    spec, namespace = subject.new["spec"], subject.attributes.namespace
    name, own = spec["serviceAccountName"], pod["spec"].get("serviceAccountName", "")
    called = _called(subject, spec["podName"])
    if name != own:
        raise subject.forbidden(
            f"PodCertificateRequest for pod {called} contains serviceAccountName ({quote(name)}) that "
            f"differs from running pod ({quote(own)})"
        )
    account = _found(subject, "service account", f"{namespace}/{name}", "serviceaccounts", name, namespace)
    uid = account["metadata"]["uid"]
    if spec["serviceAccountUID"] != uid:
        raise ApiError(
            500,
            "",
            f"PodCertificateRequest for pod {called} names service account UID "
            f"{quote(spec['serviceAccountUID'])}, which differs from the running service account "
            f"({quote(uid)})",
        )


async def _check_signer(subject: Subject) -> None:
    spec, user = subject.new["spec"], subject.attributes.user
    signer = spec["signerName"]
    access = AccessAttributes(
        user,
        "request-serviceaccounts-podcertificate-signer",
        group="certificates.k8s.io",
        resource=signer.replace("/", ":"),
        namespace=subject.attributes.namespace,
        name=spec["serviceAccountName"],
    )
    if not (await subject.server.authorizer.authorize(access)).allowed:
        raise subject.forbidden(
            f"pod {_called(subject, spec['podName'])} does not mount a podCertificate projected volume for "
            f"signer {quote(signer)}"
        )


def _mounts(pod: Object, signer: str) -> bool:
    """Whether a projected volume of the pod requests a certificate of the signer."""
    return any(
        (source.get("podCertificate") or {}).get("signerName") == signer
        for source in projected_sources(pod["spec"].get("volumes") or ())
    )


def _called(subject: Subject, pod: str) -> str:
    return quote(f"{subject.attributes.namespace}/{pod}")
