"""Refuses containers that must not run as root, but name the user root.

Follows verifyRunAsNonRoot of k8s.io/kubernetes `pkg/kubelet/kuberuntime`. The user of an image is not known,
so a container without runAsUser is never refused.
"""

from fakeapi.controllers.kubelet.containers.environment import CONFIG_ERROR
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerStartError
from fakeapi.machinery.json_types import Object


def check_non_root(run: ContainerRun) -> None:
    """Raises ContainerStartError if a container has runAsNonRoot and the runAsUser 0."""
    metadata = run.pod["metadata"]
    if _effective(run, "runAsNonRoot") and _effective(run, "runAsUser") == 0:
        pod = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
        problem = f'container\'s runAsUser breaks non-root policy (pod: "{pod}", container: {run.name})'
        raise ContainerStartError(CONFIG_ERROR, problem)


def _effective(run: ContainerRun, field: str) -> object:
    """Returns a field of the container's securityContext; if it is not set, the field of the pod's."""
    of_container: Object = run.container.get("securityContext") or {}
    of_pod: Object = run.pod["spec"].get("securityContext") or {}
    value = of_container.get(field)
    return of_pod.get(field) if value is None else value
