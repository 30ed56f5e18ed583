"""The access of containers to the API server: environment variables with the server's address, and service
account tokens.
"""

from pathlib import Path

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.cluster import InCluster
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.runtime import ContainerStartError
from fakeapi.machinery.json_types import Object

MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
TOKEN_SECONDS = 3607
"""Lifetime in seconds of a pod's default service account token, as in Kubernetes."""


def environment(address: InCluster | None) -> dict[str, str]:
    """Returns the environment variables of the Service `kubernetes` that client-go reads.

    Returns no variables without an address.
    """
    if address is None:
        return {}
    port = str(address.port)
    return {
        "KUBERNETES_SERVICE_HOST": address.host,
        "KUBERNETES_SERVICE_PORT": port,
        "KUBERNETES_SERVICE_PORT_HTTPS": port,
        "KUBERNETES_PORT": f"tcp://{address.host}:{port}",
    }


async def token(
    context: ControllerContext,
    api: InProcessClient,
    pod: Object,
    audience: str = "",
    seconds: int = TOKEN_SECONDS,
) -> str:
    """Returns a token of the pod's service account, bound to the pod.

    A pod without a serviceAccountName gets an unbound token of the account `default`. Such pods exist because
    the admission plugin ServiceAccount is off by default. Raises StatusError if the server rejects the
    request, for example because the service account does not exist.
    """
    metadata = pod["metadata"]
    account = pod["spec"].get("serviceAccountName")
    path = context.served("", "serviceaccounts").path(metadata["namespace"], account or "default", "token")
    spec: Object = {"audiences": [audience] if audience else [], "expirationSeconds": seconds}
    if account:
        spec["boundObjectRef"] = {
            "kind": "Pod",
            "apiVersion": "v1",
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
    request = {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": spec}
    answer = await api.create(path, request)
    text: str = answer["status"]["token"]
    return text


async def write_account(
    context: ControllerContext, api: InProcessClient, pod: Object, directory: Path
) -> bool:
    """Writes token, ca.crt and namespace of a pod's service account into a directory.

    Replaces the volume that the admission plugin ServiceAccount would add; this plugin is off by default.
    Returns whether the files were written: False if the pod or its service account disables
    automountServiceAccountToken. Raises ContainerStartError if a request fails, for example because the
    service account does not exist.
    """
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    wanted = spec.get("automountServiceAccountToken")
    name = spec.get("serviceAccountName") or "default"
    if wanted is False:
        return False
    try:
        account = await api.get(context.served("", "serviceaccounts").path(namespace, name))
        if wanted is None and account.get("automountServiceAccountToken") is False:
            return False
        bearer = await token(context, api, pod)
    except StatusError as error:
        hint = "run the controller namespace, or set automountServiceAccountToken: false"
        raise ContainerStartError("ContainerCreating", f"{error.message} ({hint})") from None
    address = await context.cluster.in_cluster()
    files = {"token": bearer, "ca.crt": "" if address is None else address.ca, "namespace": namespace}
    _write(directory, files)
    return True


def _write(directory: Path, files: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
