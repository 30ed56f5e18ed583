"""The hostname of a container."""

from fakeapi.controllers.kubelet.containers.runtime import ContainerRun

_HOSTNAME_LENGTH = 63


def hostname(run: ContainerRun) -> str:
    """Returns the hostname of a container, truncated like truncatePodHostnameIfNeeded of `pkg/kubelet`.

    With hostNetwork, the kubelet sets no hostname (generatePodSandboxConfig of `pkg/kubelet/kuberuntime`), so
    that a container has the hostname of its node.
    """
    spec = run.pod["spec"]
    name: str = spec.get("hostname") or run.pod["metadata"]["name"]
    if spec.get("hostNetwork"):
        name = run.node
    return name[:_HOSTNAME_LENGTH].rstrip("-.")
