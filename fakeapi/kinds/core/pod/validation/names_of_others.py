"""Validates names of other objects in a pod's spec, such as the ServiceAccount, node and PriorityClass.

Follows `ValidatePodSpec` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import forbidden, invalid
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names


def name_errors(spec: Object, name: str, path: str) -> Errors:
    """Validates the object name in a field of the pod's spec, if the field is set.

    - `name`: the name of the field
    - `path`: the path of the spec
    """
    value = spec.get(name)
    if value:
        yield from each_invalid(f"{path}.{name}", value, names.name_is_dns_subdomain(value, False))


def service_account_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates `serviceAccountName`.

    From 1.37 on, the deprecated `serviceAccount` must have the same value.
    """
    yield from name_errors(spec, "serviceAccountName", path)
    name, old_field = spec.get("serviceAccountName", ""), spec.get("serviceAccount", "")
    if checks.quirks.host_namespaces_are_of_the_spec and name != old_field:
        rule = f"must be the same as serviceAccountName: {quote(name)}"
        yield invalid(f"{path}.deprecatedServiceAccount", old_field, rule)


def runtime_class_errors(spec: Object, path: str) -> Errors:
    value = spec.get("runtimeClassName")
    if value is not None:
        messages = names.name_is_dns_subdomain(value, False)
        yield from each_invalid(f"{path}.runtimeClassName", value, messages)


def group_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the references to the Workload or PodGroup with which the pod is scheduled."""
    workload = spec.get("workloadRef")
    if workload is not None:
        place, value = f"{path}.workloadRef", workload.get("name", "")
        yield from each_invalid(f"{place}.name", value, names.name_is_dns_subdomain(value, False))
        for name in ("podGroup", "podGroupReplicaKey"):
            value = workload.get(name, "")
            if value or name == "podGroup":
                yield from each_invalid(f"{place}.{name}", value, names.name_is_dns_label(value, False))
    group = spec.get("schedulingGroup")
    if group is None:
        return
    place, name = f"{path}.schedulingGroup.podGroupName", group.get("podGroupName")
    if name is None:
        yield invalid(place, printed_plain(None, checks.wording), "must specify one of: `podGroupName`")
    else:
        yield from each_invalid(place, name, names.name_is_dns_subdomain(name, False))
    if spec.get("evictionResponders"):
        rule = "may not be set when evictionResponders is set"
        yield forbidden(f"{path}.schedulingGroup", rule)
