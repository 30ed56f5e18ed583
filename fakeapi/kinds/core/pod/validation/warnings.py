"""Warns about deprecated, hidden, ambiguous and ineffective fields of pods and pod templates.

Follows k8s.io/kubernetes `pkg/api/pod/warnings.go`, including the order of warnings.
"""

from collections.abc import Iterator

from fakeapi.kinds.common.addresses import ip_warnings
from fakeapi.kinds.common.deprecated_labels import DEPRECATED
from fakeapi.kinds.core.persistent_volume_claim.definition import claim_spec_warnings
from fakeapi.kinds.core.pod.validation import app_armor, seccomp
from fakeapi.kinds.core.pod.validation.affinity import PREFERRED, REQUIRED
from fakeapi.kinds.core.pod.validation.checks import containers_at
from fakeapi.kinds.core.pod.validation.path_overlaps import overlap_warnings
from fakeapi.kinds.core.pod.validation.port_warnings import port_warnings
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity
from fakeapi.releases.rules import ReleaseRules

Warnings = Iterator[str]

_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_NULL_SELECTOR = "a null labelSelector results in matching no pod"
_GIT_REPO = "deprecated in v1.11"
_VOLUMES = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": _GIT_REPO,
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "ephemeral": "",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_PLACES = {"storageos": "storageOS"}
_BYTES = ("memory", "ephemeral-storage")


def pod_warnings(pod: Object, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers for a created or updated pod.

    The pod must be in canonical form and have defaults.
    """
    return list(_warnings(pod["spec"], pod.get("metadata") or {}, "", rules))


def pod_template_warnings(template: Object, path: str, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers for a pod template. `path`: the path of the template.

    The template must be in canonical form and have defaults.
    """
    metadata = template.get("metadata") or {}
    return list(_warnings(template.get("spec") or {}, metadata, f"{path}.", rules))


def _warnings(spec: Object, metadata: Object, prefix: str, rules: ReleaseRules) -> Warnings:
    """Yields warnings about a pod or a pod template.

    `prefix`: the path of the template and a dot; "" for a pod.
    """
    path, annotations = f"{prefix}spec", metadata.get("annotations") or {}
    of_annotations = f"{prefix}metadata.annotations"
    yield from _label_warnings(spec, path, rules)
    for key, problem in _ANNOTATIONS.items():
        if key in annotations:
            yield f"{of_annotations}[{key}]: {problem}"
    yield from _volume_warnings(spec, path, rules)
    if rules.quirks.pods.overlapping_paths_are_warned_of:
        yield from overlap_warnings(spec)
    yield from _repeated(spec, "hostAliases", "ip", path)
    yield from _repeated(spec, "imagePullSecrets", "name", path)
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if not secret.get("name"):
            yield f'{path}.imagePullSecrets[{index}].name: invalid empty name ""'
    if rules.quirks.pods.repeated_volumes_are_warned_of:
        yield from _repeated(spec, "volumes", "name", path)
    for name in _BYTES:
        yield from _fraction_warnings(spec.get("overhead") or {}, name, f"{path}.overhead")
    context = spec.get("securityContext") or {}
    if seccomp.POD_ANNOTATION in annotations and "seccompProfile" not in context:
        yield f"{of_annotations}[{seccomp.POD_ANNOTATION}]: {_SECCOMP}"
    for place, container in containers_at(spec, path):
        yield from _annotated_warnings(container, spec, annotations, prefix, rules)
        yield from _container_warnings(container, place, rules)
    yield from port_warnings(spec, path, rules)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        rule = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{path}.terminationGracePeriodSeconds: {rule}"
    if rules.quirks.pods.null_selectors_are_warned_of:
        yield from _affinity_warnings(spec, path)
    yield from _address_warnings(spec, path, rules)


def _label_warnings(spec: Object, path: str, rules: ReleaseRules) -> Warnings:
    for key in sorted(spec.get("nodeSelector") or ()):
        if key in DEPRECATED:
            yield f"{path}.nodeSelector[{key}]: {DEPRECATED[key]}"
    nodes = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    place = f"{path}.affinity.nodeAffinity"
    for index, term in enumerate((nodes.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        yield from _term_warnings(term, f"{place}.{REQUIRED}.nodeSelectorTerms[{index}]", checks_values=False)
    checks_values = rules.quirks.pods.node_affinity_values_are_checked
    for index, term in enumerate(nodes.get(PREFERRED) or ()):
        here = f"{place}.{PREFERRED}[{index}].preference"
        yield from _term_warnings(term.get("preference") or {}, here, checks_values=checks_values)
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        here, key = f"{path}.topologySpreadConstraints[{index}]", constraint.get("topologyKey", "")
        if key in DEPRECATED:
            yield f"{here}.topologyKey: {key} is {DEPRECATED[key]}"
        if "labelSelector" not in constraint and rules.quirks.pods.null_selectors_are_warned_of:
            yield f"{here}.labelSelector: {_NULL_SELECTOR}"


def _term_warnings(term: Object, path: str, *, checks_values: bool) -> Warnings:
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        place, key = f"{path}.matchExpressions[{index}]", expression.get("key", "")
        if key in DEPRECATED:
            yield f"{place}.key: {key} is {DEPRECATED[key]}"
        for position, value in enumerate(expression.get("values") or ()):
            for problem in names.is_valid_label_value(value) if checks_values else ():
                yield f"{place}.values[{position}]: {value} is invalid, {problem}"


def _volume_warnings(spec: Object, path: str, rules: ReleaseRules) -> Warnings:
    for index, volume in enumerate(spec.get("volumes") or ()):
        for kind, problem in _VOLUMES.items():
            if kind not in volume:
                continue
            place = f"{path}.volumes[{index}].{_PLACES.get(kind, kind)}"
            if kind == "ephemeral":
                claim = (volume[kind].get("volumeClaimTemplate") or {}).get("spec") or {}
                yield from claim_spec_warnings(claim, f"{place}.volumeClaimTemplate.spec")
            elif kind in ("cephfs", "rbd") and not rules.quirks.pods.ceph_volumes_are_deprecated:
                continue
            else:
                off = kind == "gitRepo" and rules.drops("GitRepoVolumeDriver")
                yield f"{place}: {problem}{', and disabled by default in v1.33+' if off else ''}"


def _repeated(spec: Object, name: str, key: str, path: str) -> Warnings:
    seen: set[str] = set()
    for index, item in enumerate(spec.get(name) or ()):
        value = item.get(key, "")
        if value in seen:
            yield f"{path}.{name}[{index}].{key}: duplicate {key} {quote(value)}"
        seen.add(value)


def _fraction_warnings(amounts: dict[str, str], name: str, path: str) -> Warnings:
    if name in amounts and quantity.parse(amounts[name]).amount % 1:
        printed = quote(amounts[name])
        yield f"{path}[{name}]: fractional byte value {printed} is invalid, must be an integer"


def _annotated_warnings(
    container: Object, spec: Object, annotations: dict[str, str], prefix: str, rules: ReleaseRules
) -> Warnings:
    context, name = container.get("securityContext") or {}, container.get("name", "")
    key = seccomp.CONTAINER_ANNOTATION + name
    if key in annotations and "seccompProfile" not in context:
        yield f"{prefix}metadata.annotations[{key}]: {_SECCOMP}"
    key = app_armor.ANNOTATION + name
    if not prefix or key not in annotations or "appArmorProfile" in context:
        return  # For pods, `profile_warnings` returns this warning.
    if not rules.gates.enabled("AppArmorFields"):
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    same = of_pod is not None
    if rules.quirks.pods.app_armor_annotations_are_compared:
        same = same and of_pod == app_armor.profile_of(annotations[key])
    if not same:
        yield f"{prefix}metadata.annotations[{key}]: {_APP_ARMOR}"


def _container_warnings(container: Object, path: str, rules: ReleaseRules) -> Warnings:
    resources = container.get("resources") or {}
    for name in _BYTES:
        for kind in ("limits", "requests"):
            yield from _fraction_warnings(resources.get(kind) or {}, name, f"{path}.resources.{kind}")
    seen: set[str] = set()
    for index, variable in enumerate(container.get("env") or ()):
        name, value = variable.get("name", ""), variable.get("value", "")
        if name in seen:
            reference = f"$({name})"
            keeps = "valueFrom" not in variable and reference in value and value != reference
            if not rules.quirks.pods.hidden_variables_are_warned_of:
                yield f"{path}.env[{index}].name: duplicate name {quote(name)}"
            elif not keeps:
                hint = rules.quirks.pods.hidden_variable_hint
                yield f"{path}.env[{index}]: hides previous definition of {quote(name)}{hint}"
        seen.add(name)


def _affinity_warnings(spec: Object, path: str) -> Warnings:
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = (spec.get("affinity") or {}).get(kind) or {}
        place = f"{path}.affinity.{kind}"
        for index, term in enumerate(pods.get(REQUIRED) or ()):
            if "labelSelector" not in term:
                yield f"{place}.{REQUIRED}[{index}].labelSelector: {_NULL_SELECTOR}"
        for index, weighted in enumerate(pods.get(PREFERRED) or ()):
            if "labelSelector" not in (weighted.get("podAffinityTerm") or {}):
                yield f"{place}.{PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NULL_SELECTOR}"


def _address_warnings(spec: Object, path: str, rules: ReleaseRules) -> Warnings:
    if not rules.quirks.pods.addresses_are_warned_of:
        return
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        yield from ip_warnings(server, f"{path}.dnsConfig.nameservers[{index}]", rules)
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from ip_warnings(alias.get("ip", ""), f"{path}.hostAliases[{index}].ip", rules)
