"""Pod Security checks of security contexts: seccomp, AppArmor, SELinux, users, HostProcess containers.

Follows k8s.io/pod-security-admission `policy`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from fakeapi.admission.plugins.pod_security.wording import (
    containers_of,
    named,
    quoted,
    setters,
    several,
)
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

_PROFILES = ("RuntimeDefault", "Localhost")
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_OF_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_SE_LINUX = {0: ("", "container_t", "container_init_t", "container_kvm_t"), 31: ("container_engine_t",)}

Finding: TypeAlias = tuple[str, str] | None


def _contexts(spec: Object, member: str) -> tuple[Any, dict[str, Any]]:
    """Returns the values of a securityContext field: (value in the pod, values by container name).

    The first item is None if the pod does not set the field. The second item omits containers that do not
    set the field. `member`: the name of the field.
    """
    of_pod = (spec.get("securityContext") or {}).get(member)
    by_container = {
        container["name"]: container["securityContext"][member]
        for container in containers_of(spec)
        if (container.get("securityContext") or {}).get(member) is not None
    }
    return of_pod, by_container


def app_armor(metadata: Object, spec: Object) -> Finding:
    of_pod, profiles = _contexts(spec, "appArmorProfile")
    bad = {
        name: profile.get("type", "")
        for name, profile in profiles.items()
        if profile.get("type") not in _PROFILES
    }
    pod_is_bad = of_pod is not None and of_pod.get("type") not in _PROFILES
    values = sorted({*bad.values(), *([of_pod.get("type", "")] if pod_is_bad and of_pod else [])})
    annotations = sorted(
        f"{name}={quote(value)}"
        for name, value in (metadata.get("annotations") or {}).items()
        if name.startswith(_APP_ARMOR)
        and value not in ("", "runtime/default")
        and not value.startswith("localhost/")
    )
    who = [setters(pod_is_bad, list(bad))] if pod_is_bad or bad else []
    if annotations:
        values += annotations
        who.append(several("annotation", "annotations", len(annotations)))
    if not who:
        return None
    reason = several("forbidden AppArmor profile", "forbidden AppArmor profiles", len(values))
    return reason, f"{' and '.join(who)} must not set AppArmor profile type to {quoted(values)}"


def se_linux(minor: int) -> Callable[[Object, Object], Finding]:
    allowed = {name for since, names in _SE_LINUX.items() if since <= minor for name in names}

    def is_bad(options: Object) -> bool:
        return bool(options.get("type", "") not in allowed or options.get("user") or options.get("role"))

    def check(metadata: Object, spec: Object) -> Finding:
        of_pod, by_container = _contexts(spec, "seLinuxOptions")
        pod_is_bad = of_pod is not None and is_bad(of_pod)
        bad = {name: options for name, options in by_container.items() if is_bad(options)}
        every = [*bad.values(), *([of_pod] if pod_is_bad and of_pod else [])]
        if not every:
            return None
        types = sorted({options["type"] for options in every if options.get("type", "") not in allowed})
        parts = [named("type", types)] if types else []
        parts += [
            f"{name} may not be set"
            for name in ("user", "role")
            if any(options.get(name) for options in every)
        ]
        who = setters(pod_is_bad, list(bad))
        return "seLinuxOptions", f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(parts)}"

    return check


def annotated_seccomp(metadata: Object, spec: Object) -> Finding:
    annotations = metadata.get("annotations") or {}
    names = {_SECCOMP_OF_POD, *(_SECCOMP + container["name"] for container in containers_of(spec))}
    bad = sorted(
        f"{name}={quote(annotations[name])}"
        for name in names & annotations.keys()
        if annotations[name] not in ("runtime/default", "docker/default")
        and not annotations[name].startswith("localhost/")
    )
    if not bad:
        return None
    return "seccompProfile", f"forbidden {several('annotation', 'annotations', len(bad))} {', '.join(bad)}"


def seccomp(metadata: Object, spec: Object) -> Finding:
    of_pod, profiles = _contexts(spec, "seccompProfile")
    bad = {
        name: profile.get("type", "")
        for name, profile in profiles.items()
        if profile.get("type") not in _PROFILES
    }
    pod_is_bad = of_pod is not None and of_pod.get("type") not in _PROFILES
    if not bad and not pod_is_bad:
        return None
    values = sorted({*bad.values(), *([of_pod.get("type", "")] if pod_is_bad and of_pod else [])})
    who = setters(pod_is_bad, list(bad))
    return "seccompProfile", f"{who} must not set securityContext.seccompProfile.type to {quoted(values)}"


def required_seccomp(metadata: Object, spec: Object) -> Finding:
    bad = seccomp(metadata, spec)
    of_pod, profiles = _contexts(spec, "seccompProfile")
    if bad is not None or (of_pod is not None and of_pod.get("type") in _PROFILES):
        return bad
    names = [container["name"] for container in containers_of(spec) if container["name"] not in profiles]
    if not names:
        return None
    must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return "seccompProfile", f"pod or {named('container', names)} {must}"


def not_root(metadata: Object, spec: Object) -> Finding:
    of_pod, by_container = _contexts(spec, "runAsNonRoot")
    bad = [name for name, value in by_container.items() if value is False]
    if of_pod is False or bad:
        who = setters(of_pod is False, bad)
        return "runAsNonRoot != true", f"{who} must not set securityContext.runAsNonRoot=false"
    names = [container["name"] for container in containers_of(spec) if container["name"] not in by_container]
    if of_pod or not names:
        return None
    must = "must set securityContext.runAsNonRoot=true"
    return "runAsNonRoot != true", f"pod or {named('container', names)} {must}"


def no_root_user(metadata: Object, spec: Object) -> Finding:
    of_pod, by_container = _contexts(spec, "runAsUser")
    bad = [name for name, value in by_container.items() if value == 0]
    pod_is_bad = of_pod is not None and of_pod == 0
    if not pod_is_bad and not bad:
        return None
    return "runAsUser=0", f"{setters(pod_is_bad, bad)} must not set runAsUser=0"


def windows_host_process(metadata: Object, spec: Object) -> Finding:
    of_pod, by_container = _contexts(spec, "windowsOptions")
    bad = [name for name, options in by_container.items() if options.get("hostProcess")]
    pod_is_bad = bool(of_pod and of_pod.get("hostProcess"))
    if not pod_is_bad and not bad:
        return None
    who = setters(pod_is_bad, bad)
    return "hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true"
