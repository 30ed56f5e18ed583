"""The checks of the Pod Security levels baseline and restricted, and the releases in which they apply.

Follows k8s.io/pod-security-admission `policy`. A check returns (reason, details) if the pod violates the
check; otherwise None.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from fakeapi.admission.plugins.pod_security import profiles
from fakeapi.admission.plugins.pod_security.policy import BASELINE, PRIVILEGED, LevelVersion
from fakeapi.admission.plugins.pod_security.profiles import Finding
from fakeapi.admission.plugins.pod_security.wording import containers_of, named, quoted, several
from fakeapi.machinery.json_types import Object

Check: TypeAlias = Callable[[Object, Object], Finding]

_CAPABILITIES = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
_ORDINARY_VOLUMES = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)
_SYSCTLS = {
    0: "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies "
    "net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start",
    27: "net.ipv4.ip_local_reserved_ports",
    29: "net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl "
    "net.ipv4.tcp_keepalive_probes",
    32: "net.ipv4.tcp_rmem net.ipv4.tcp_wmem",
}


@dataclass(frozen=True, slots=True)
class Versioned:
    """A Pod Security check and the Kubernetes releases in which it applies.

    The fields are minor versions of releases:

    - `since`: the first release with the check.
    - `until`: the first release without the check.
    - `but_restricted`: the first release in which the level restricted has its own check instead of this
      check.
    """

    check: Check
    since: int = 0
    until: int = 1000
    but_restricted: int = 1000


def problems(wanted: LevelVersion, newest: int, metadata: Object, spec: Object) -> list[tuple[str, str]]:
    """Returns the violations of a Pod Security level by a pod, as (reason, details) pairs.

    - `wanted`: the level and its version.
    - `newest`: the minor version of the server's release.
    - `metadata`, `spec`: the metadata and spec of the pod or pod template.
    """
    if wanted.level == PRIVILEGED:
        return []
    minor, restricted = wanted.minor(newest), wanted.level != BASELINE
    checks: list[Versioned] = [
        versioned for versioned in _baseline(minor) if not (restricted and versioned.but_restricted <= minor)
    ]
    if restricted:
        checks += _RESTRICTED
    findings = [
        versioned.check(metadata, spec) for versioned in checks if versioned.since <= minor < versioned.until
    ]
    return [finding for finding in findings if finding is not None]


def _containers_that(spec: Object, test: Callable[[Object], Any]) -> list[str]:
    return [container["name"] for container in containers_of(spec) if test(container)]


def _context(container: Object) -> Object:
    return container.get("securityContext") or {}


def _capabilities(container: Object) -> Object:
    return _context(container).get("capabilities") or {}


def _added_capabilities(metadata: Object, spec: Object) -> Finding:
    bad = {
        container["name"]: [
            name for name in _capabilities(container).get("add") or () if name not in _CAPABILITIES
        ]
        for container in containers_of(spec)
    }
    names = [name for name, added in bad.items() if added]
    if not names:
        return None
    added = quoted(sorted({name for capabilities in bad.values() for name in capabilities}))
    where = "securityContext.capabilities.add"
    return "non-default capabilities", f"{named('container', names)} must not include {added} in {where}"


def _host_namespaces(metadata: Object, spec: Object) -> Finding:
    fields = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return ("host namespaces", ", ".join(fields)) if fields else None


def _host_paths(metadata: Object, spec: Object) -> Finding:
    names = [volume["name"] for volume in spec.get("volumes") or () if volume.get("hostPath") is not None]
    return ("hostPath volumes", named("volume", names)) if names else None


def _host_ports(metadata: Object, spec: Object) -> Finding:
    names, ports = [], set()
    for container in containers_of(spec):
        used = {str(port["hostPort"]) for port in container.get("ports") or () if port.get("hostPort")}
        if used:
            names.append(container["name"])
            ports |= used
    if not names:
        return None
    uses = several("uses", "use", len(names))
    listed = f"{several('hostPort', 'hostPorts', len(ports))} {', '.join(sorted(ports))}"
    return "hostPort", f"{named('container', names)} {uses} {listed}"


def _probe_hosts(metadata: Object, spec: Object) -> Finding:
    names, hosts = set(), set()
    for container in containers_of(spec):
        lifecycle = container.get("lifecycle") or {}
        handlers = [container.get(f"{kind}Probe") for kind in ("liveness", "readiness", "startup")]
        for handler in (*handlers, lifecycle.get("postStart"), lifecycle.get("preStop")):
            for action in ("httpGet", "tcpSocket"):
                host = ((handler or {}).get(action) or {}).get("host")
                if host:
                    names.add(container["name"])
                    hosts.add(host)
    if not names:
        return None
    noun = "probe or lifecycle host"
    uses = several("uses", "use", len(names))
    listed = f"{several(noun, f'{noun}s', len(hosts))} {quoted(sorted(hosts))}"
    return noun, f"{named('container', sorted(names))} {uses} {listed}"


def _privileged(metadata: Object, spec: Object) -> Finding:
    names = _containers_that(spec, lambda container: _context(container).get("privileged"))
    if not names:
        return None
    return "privileged", f"{named('container', names)} must not set securityContext.privileged=true"


def _proc_mounts(metadata: Object, spec: Object) -> Finding:
    mounts = {
        container["name"]: _context(container)["procMount"]
        for container in containers_of(spec)
        if _context(container).get("procMount") not in (None, "Default")
    }
    if not mounts:
        return None
    values = quoted(sorted(set(mounts.values())))
    return (
        "procMount",
        f"{named('container', list(mounts))} must not set securityContext.procMount to {values}",
    )


def _sysctls(minor: int) -> Check:
    allowed = {name for since, names in _SYSCTLS.items() if since <= minor for name in names.split()}

    def check(metadata: Object, spec: Object) -> Finding:
        settings = (spec.get("securityContext") or {}).get("sysctls") or ()
        names = [sysctl["name"] for sysctl in settings if sysctl["name"] not in allowed]
        return ("forbidden sysctls", ", ".join(names)) if names else None

    return check


def _escalation(metadata: Object, spec: Object) -> Finding:
    names = _containers_that(
        spec, lambda container: _context(container).get("allowPrivilegeEscalation") is not False
    )
    if not names:
        return None
    must = "must set securityContext.allowPrivilegeEscalation=false"
    return "allowPrivilegeEscalation != false", f"{named('container', names)} {must}"


def _all_capabilities(metadata: Object, spec: Object) -> Finding:
    undropped = _containers_that(
        spec, lambda container: "ALL" not in (_capabilities(container).get("drop") or ())
    )
    added = {
        container["name"]: {
            name for name in _capabilities(container).get("add") or () if name != "NET_BIND_SERVICE"
        }
        for container in containers_of(spec)
    }
    adding = [name for name, names in added.items() if names]
    parts = []
    if undropped:
        parts.append(f'{named("container", undropped)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        listed = quoted(sorted(set().union(*added.values())))
        where = "securityContext.capabilities.add"
        parts.append(f"{named('container', adding)} must not include {listed} in {where}")
    return ("unrestricted capabilities", "; ".join(parts)) if parts else None


def _restricted_volumes(metadata: Object, spec: Object) -> Finding:
    names, kinds = [], set()
    for volume in spec.get("volumes") or ():
        sources = [name for name, value in volume.items() if name != "name" and value is not None]
        if not _ORDINARY_VOLUMES.isdisjoint(sources):
            continue
        names.append(volume["name"])
        kinds.add(sources[0] if sources else "unknown")
    if not names:
        return None
    uses = several("uses", "use", len(names))
    noun = several("restricted volume type", "restricted volume types", len(kinds))
    return "restricted volume types", f"{named('volume', names)} {uses} {noun} {quoted(sorted(kinds))}"


def _on_linux(check: Check) -> Check:
    """Returns a check that skips Windows pods (spec.os.name: windows)."""

    def found(metadata: Object, spec: Object) -> Finding:
        is_windows = (spec.get("os") or {}).get("name") == "windows"
        return None if is_windows else check(metadata, spec)

    return found


def _as_root_of_host(check: Check) -> Check:
    """Returns a check that skips pods in user namespaces (hostUsers: false)."""

    def found(metadata: Object, spec: Object) -> Finding:
        return None if spec.get("hostUsers") is False else check(metadata, spec)

    return found


def _both(check: Check, change: int, wrap: Callable[[Check], Check]) -> Iterable[Versioned]:
    return Versioned(check, until=change), Versioned(wrap(check), since=change)


def _baseline(minor: int) -> list[Versioned]:
    """Returns the checks of the level baseline, sorted by their upstream names.

    `minor`: the minor version of the release whose checks apply.
    """
    return [
        Versioned(profiles.app_armor),
        Versioned(_added_capabilities, but_restricted=22),
        Versioned(_host_namespaces),
        Versioned(_host_paths, but_restricted=0),
        Versioned(_host_ports),
        Versioned(_probe_hosts, since=34),
        Versioned(_privileged),
        Versioned(_proc_mounts, until=35),
        Versioned(_as_root_of_host(_proc_mounts), since=35, but_restricted=35),
        Versioned(profiles.se_linux(minor)),
        Versioned(profiles.annotated_seccomp, until=19),
        Versioned(profiles.seccomp, since=19, but_restricted=19),
        Versioned(_sysctls(minor)),
        Versioned(profiles.windows_host_process),
    ]


_RESTRICTED: list[Versioned] = [
    Versioned(_escalation, since=8, until=25),
    Versioned(_on_linux(_escalation), since=25),
    Versioned(_all_capabilities, since=22, until=25),
    Versioned(_on_linux(_all_capabilities), since=25),
    Versioned(_proc_mounts, since=35),
    Versioned(_restricted_volumes),
    *_both(profiles.not_root, 35, _as_root_of_host),
    Versioned(profiles.no_root_user, since=23, until=35),
    Versioned(_as_root_of_host(profiles.no_root_user), since=35),
    Versioned(profiles.required_seccomp, since=19, until=25),
    Versioned(_on_linux(profiles.required_seccomp), since=25),
]
