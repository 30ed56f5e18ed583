"""Converts pod specs to kube-apiserver's internal version, because errors of updates print this version.

Up to 1.36, the security context of the internal version contains the host namespaces. Some types have another
field order than in v1. Follows k8s.io/kubernetes `pkg/apis/core/types.go` and
`pkg/apis/core/v1/conversion.go`.
"""

from dataclasses import replace

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Field, List, Struct, kept_on_node
from fakeapi.releases.rules import ReleaseRules

_HOST = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_SPEC = tuple(
    """volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds
    activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName
    securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations
    hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead
    enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride
    workloadRef schedulingGroup""".split()  # noqa: SIM905 - a list would fill a page
)
_CONTEXT = tuple(
    """seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups
    supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile appArmorProfile
    seLinuxChangePolicy""".split()  # noqa: SIM905 - a list would fill a page
)


def internal_spec(spec: Object, rules: ReleaseRules) -> tuple[Object, Struct]:
    """Returns a pod spec in the internal version, and its schema."""
    struct = rules.schemas.struct("core/v1.PodSpec")
    if rules.quirks.pods.host_namespaces_are_of_the_spec:
        return spec, struct
    host = {name: spec[name] for name in _HOST if name in spec}
    inner = {name: value for name, value in spec.items() if name not in (*_HOST, "serviceAccount")}
    return {**inner, "securityContext": {**(spec.get("securityContext") or {}), **host}}, _internal(struct)


def internal_template(template: Object, rules: ReleaseRules) -> tuple[Object, Struct]:
    """Returns a pod template in the internal version, and its schema."""
    spec, struct = internal_spec(template["spec"], rules)
    whole = rules.schemas.struct("core/v1.PodTemplateSpec")
    fields = {**whole.fields, "spec": replace(whole.fields["spec"], node=struct)}
    return {**template, "spec": spec}, _like(whole, fields)


@kept_on_node
def _internal(spec: Struct) -> Struct:
    context, volumes = spec.fields["securityContext"].node, spec.fields["volumes"].node
    assert isinstance(context, Struct)
    assert isinstance(volumes, List)
    assert isinstance(volumes.items, Struct)
    fields = _in_order(spec.fields, _SPEC)
    host = {name: spec.fields[name] for name in _HOST if name in spec.fields}
    own = _like(context, {**host, **_in_order(context.fields, _CONTEXT)})
    fields["securityContext"] = Field("securityContext", own, pointer=True)
    listed = List(_like(volumes.items, _volume_fields(volumes.items)), volumes.go_type)
    fields["volumes"] = Field("volumes", listed)
    return _like(spec, fields)


def _in_order(fields: dict[str, Field], order: tuple[str, ...]) -> dict[str, Field]:
    return {name: fields[name] for name in order if name in fields}


def _volume_fields(volume: Struct) -> dict[str, Field]:
    """Returns the fields of a volume in the order of the internal version, where `quobyte` follows `rbd`."""
    fields: dict[str, Field] = {}
    for name, field in volume.fields.items():
        if name != "quobyte":
            fields[name] = field
        if name == "rbd":
            fields["quobyte"] = volume.fields["quobyte"]
    return fields


def _like(struct: Struct, fields: dict[str, Field]) -> Struct:
    return Struct(struct.go_type, fields, full_name=struct.full_name)
