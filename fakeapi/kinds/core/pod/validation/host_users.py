"""Validates pods with their own user namespace (`hostUsers: false`), which cannot use some host features.

Follows `validateHostUsers` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks, containers_at
from fakeapi.machinery.field_errors import forbidden
from fakeapi.machinery.json_types import Object

_MOUNTABLE = ("emptyDir", "secret", "downwardAPI", "configMap", "projected")


def host_users_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates a pod with `hostUsers: false`. `path`: the path of the pod's spec."""
    if spec.get("hostUsers") is not False:
        return
    rule = checks.quirks.needs_host_users
    if not checks.quirks.user_namespaces_mount_all_volumes:
        for index, volume in enumerate(spec.get("volumes") or ()):
            if not any(kind in volume for kind in _MOUNTABLE):
                not_mountable = "volume type not supported when `pod.Spec.HostUsers` is false"
                yield forbidden(f"{path}.volumes[{index}]", not_mountable)
    if spec.get("hostNetwork") and not checks.host_network_of_user_namespaces:
        yield forbidden(f"{path}.hostNetwork", rule)
    for name, place in (("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name):
            yield forbidden(f"{path}.{place}", rule)
    if not checks.quirks.user_namespaces_have_no_devices or checks.volume_devices_of_user_namespaces:
        return
    for place, container in containers_at(spec, path):
        if container.get("volumeDevices"):
            yield forbidden(f"{place}.volumeDevices", rule)
