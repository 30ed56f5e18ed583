"""PodChecks: decides how strictly one write of a pod is validated.

Follows `GetValidationOptionsFromPodSpecAndMeta` of k8s.io/kubernetes `pkg/api/pod`. An update may keep values
of the stored pod that the release rejects in new pods.
"""

from collections.abc import Iterator
from functools import cached_property

from fakeapi.kinds.common.environment_names import is_environment_name, is_relaxed_environment_name
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.wording import Wording
from fakeapi.releases.pod_quirks import PodQuirks
from fakeapi.releases.rules import ReleaseRules

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")

NO_PATH = "[]"
"""The path in errors about the whole pod. Go prints an empty field path in this form."""

ContainerAt = tuple[str, Object]


def containers_of(spec: Object) -> Iterator[Object]:
    """Yields all containers of a pod spec: init containers, containers, ephemeral containers."""
    for name in CONTAINER_LISTS:
        yield from spec.get(name) or ()


def containers_at(spec: Object, path: str) -> Iterator[ContainerAt]:
    """Yields all containers of a pod spec with their field paths, in the order of upstream."""
    for name in CONTAINER_LISTS:
        for index, container in enumerate(spec.get(name) or ()):
            yield f"{path}.{name}[{index}]", container


def is_sidecar(container: Object) -> bool:
    """Whether an init container is a sidecar: it has restartPolicy Always and runs next to the containers."""
    return container.get("restartPolicy") == "Always"


class PodChecks:
    """Decides which rules apply to a pod spec, by the release's feature gates and the stored spec.

    - `spec`: the spec to validate
    - `old`: the stored spec; None on create
    - `is_pod`: whether the spec belongs to a pod; False for a pod template
    """

    def __init__(
        self, rules: ReleaseRules, spec: Object, old: Object | None = None, *, is_pod: bool = False
    ) -> None:
        self.rules = rules
        self.is_pod = is_pod
        self._spec = spec
        self._old = old

    @property
    def quirks(self) -> PodQuirks:
        return self.rules.quirks.pods

    @property
    def wording(self) -> Wording:
        return self.rules.quirks.wording

    @property
    def old(self) -> Object:
        """The stored spec; an empty dict on create."""
        return self._old or {}

    def enabled(self, gate: str) -> bool:
        return self.rules.gates.enabled(gate)

    @cached_property
    def relaxed_environment_names(self) -> bool:
        if self.enabled("RelaxedEnvironmentVariableValidation"):
            return True
        if not self.quirks.relaxed_environment_names_stay:
            return False
        before = _environment_names(self.old)
        return any(
            name in before and is_environment_name(name) and not is_relaxed_environment_name(name)
            for name in _environment_names(self._spec)
        )

    @cached_property
    def relaxed_dns_searches(self) -> bool:
        if self.enabled("RelaxedDNSSearchValidation"):
            return True
        searches = (self.old.get("dnsConfig") or {}).get("searches") or ()
        return self.quirks.relaxed_dns_searches_stay and any(
            search == "." or "_" in search for search in searches
        )

    @cached_property
    def zero_sleep(self) -> bool:
        return self.enabled("PodLifecycleSleepActionAllowZero") or (
            self.quirks.zero_sleep_stays
            and any(
                (hook.get("sleep") or {}).get("seconds") == 0
                for container in containers_of(self.old)
                for hook in (container.get("lifecycle") or {}).values()
                if isinstance(hook, dict) and "sleep" in hook
            )
        )

    @cached_property
    def restart_rules(self) -> bool:
        """Whether containers may have their own restart policy and restartPolicyRules."""
        if self.enabled("ContainerRestartRules"):
            return True
        return self.quirks.restart_rules_stay and self._old_has_restart_rules

    @property
    def _old_has_restart_rules(self) -> bool:
        return any(
            container.get("restartPolicy", "Always") != "Always" or container.get("restartPolicyRules")
            for container in self.old.get("initContainers") or ()
        ) or any("restartPolicy" in container for container in self.old.get("containers") or ())

    @cached_property
    def restart_all_containers(self) -> bool:
        if self.enabled("RestartAllContainersOnContainerExits"):
            return True
        return any(
            rule.get("action") == "RestartAllContainers"
            for name in ("containers", "initContainers")
            for container in self.old.get(name) or ()
            for rule in container.get("restartPolicyRules") or ()
        ) or any(
            is_sidecar(container) and container.get("restartPolicyRules")
            for container in self.old.get("initContainers") or ()
        )

    @cached_property
    def sidecar_resize_policy(self) -> bool:
        if self.quirks.sidecars_can_be_resized and self.enabled("InPlacePodVerticalScaling"):
            return True
        return self.quirks.sidecar_resize_policies_stay and any(
            is_sidecar(container) and container.get("resizePolicy")
            for container in self.old.get("initContainers") or ()
        )

    @cached_property
    def environment_files(self) -> bool:
        return self.enabled("EnvFiles") or any(
            "fileKeyRef" in (variable.get("valueFrom") or {})
            for container in containers_of(self.old)
            for variable in container.get("env") or ()
        )

    @cached_property
    def comparing_tolerations(self) -> bool:
        return self.enabled("TaintTolerationComparisonOperators") or any(
            toleration.get("operator") in ("Lt", "Gt") for toleration in self.old.get("tolerations") or ()
        )

    @cached_property
    def host_network_of_user_namespaces(self) -> bool:
        if self.enabled("UserNamespacesHostNetworkSupport"):
            return True
        return self.old.get("hostUsers") is False and bool(self.old.get("hostNetwork"))

    @cached_property
    def volume_devices_of_user_namespaces(self) -> bool:
        return self.old.get("hostUsers") is False and any(
            container.get("volumeDevices") for container in containers_of(self.old)
        )

    @cached_property
    def image_volumes(self) -> bool:
        """Whether image volumes are validated. Up to 1.31, this requires the feature gate ImageVolume."""
        return not self.quirks.image_volumes_are_gated or self.enabled("ImageVolume")

    @cached_property
    def host_ips(self) -> bool:
        return self.enabled("PodHostIPs") or "status.hostIPs" in go_encode(self.old).decode()

    @cached_property
    def only_recursive_selinux(self) -> bool:
        """Whether Recursive is the only valid value of seLinuxChangePolicy."""
        before = (self.old.get("securityContext") or {}).get("seLinuxChangePolicy")
        return not self.enabled("SELinuxMount") and before is None

    @cached_property
    def sys_admin_without_escalation(self) -> bool:
        return self.quirks.sys_admin_without_escalation_stays and any(
            context.get("allowPrivilegeEscalation") is not True
            and "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ())
            for container in containers_of(self.old)
            if (context := container.get("securityContext")) is not None
        )


def _environment_names(spec: Object) -> set[str]:
    names = set()
    for container in containers_of(spec):
        names |= {variable.get("name", "") for variable in container.get("env") or ()}
        names |= {source.get("prefix", "") for source in container.get("envFrom") or ()}
    return names


Errors = Iterator[FieldError]
