"""LimitRanger: sets default resource requests and limits, and checks bounds, from a namespace's LimitRanges.

Follows k8s.io/kubernetes `plugin/pkg/admission/limitranger`. The plugin checks LimitRanges and their
resources sorted by name; upstream's order is random.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_UP, Decimal

from fakeapi.admission.field_order import set_annotation
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.kinds.common.pod_resources import Resources, pod_totals
from fakeapi.machinery.golang.aggregates import aggregate
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes, Operation

ANNOTATION = "kubernetes.io/limit-ranger"
_MILLI_MAX = (1 << 63) // 1000

Bound = Callable[[str, str, str, Resources, Resources], str]
"""A function that checks requests and limits against a bound. Returns the error message; "" without an error.

Its arguments are the type of the LimitRangeItem, the resource name, the bound, the requests and the limits.
"""


class LimitRanger(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> None:
        """Sets missing requests and limits in the containers of a new or resized pod."""
        if attributes.resource.kind.resource == "pods" and _is_asked(attributes):
            for limit_range in self._limit_ranges(attributes):
                _set_defaults(attributes.new_object(), limit_range)

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the object violates a LimitRange.

        If the object violates several LimitRanges, the message lists only the errors of the first LimitRange.
        """
        if not _is_asked(attributes):
            return
        check = _pod_problems if attributes.resource.kind.resource == "pods" else _claim_problems
        pod_level = attributes.resource.release.gates.enabled("PodLevelResources")
        for limit_range in self._limit_ranges(attributes):
            problems: list[str] = []
            for limit in limit_range["spec"].get("limits") or ():
                problems += check(attributes.new_object(), limit, pod_level=pod_level)
            if problems:
                raise attributes.forbidden(aggregate(problems))

    def _limit_ranges(self, attributes: Attributes) -> Iterator[Object]:
        return self.objects.list("", "limitranges", attributes.namespace)


def _is_asked(attributes: Attributes) -> bool:
    """Whether LimitRanges apply to a write.

    LimitRanges do not apply to objects that are being deleted. For pods, LimitRanges apply only to creates
    and to the subresource `resize`, because other updates cannot change resources.
    """
    is_pod, is_update = attributes.resource.kind.resource == "pods", attributes.operation is Operation.UPDATE
    if is_pod and is_update != (attributes.subresource == "resize"):
        return False
    return attributes.old is None or attributes.old["metadata"].get("deletionTimestamp") is None


def _set_defaults(pod: Object, limit_range: Object) -> None:
    limits, requests = Resources(), Resources()
    for limit in limit_range["spec"].get("limits") or ():
        if limit.get("type") == "Container":
            limits |= limit.get("default") or {}
            requests |= limit.get("defaultRequest") or {}
    notes: list[str] = []
    for field, called in (("containers", "container"), ("initContainers", "init container")):
        for container in pod["spec"].get(field) or ():
            for member, defaults in (("requests", requests), ("limits", limits)):
                notes += _fill_in(container, member, defaults, called)
    if notes:
        set_annotation(pod, ANNOTATION, "LimitRanger plugin set: " + "; ".join(notes))


def _fill_in(container: Object, member: str, defaults: Resources, called: str) -> list[str]:
    resources = container.get("resources") or {}
    present: Resources = resources.get(member) or {}
    missing = sorted(name for name in defaults if name not in present)
    if not missing:
        return []
    filled = dict(sorted({**{name: defaults[name] for name in missing}, **present}.items()))
    members = {**resources, member: filled}
    order = ("limits", "requests", "claims")
    container["resources"] = {name: members[name] for name in order if name in members}
    return [f"{', '.join(missing)} {member.removesuffix('s')} for {called} {container.get('name', '')}"]


def _pod_problems(pod: Object, limit: Object, *, pod_level: bool) -> list[str]:
    if limit.get("type") == "Container":
        spec = pod["spec"]
        containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
        resources = [container.get("resources") or {} for container in containers]
        return [
            problem
            for requirements in resources
            for problem in _problems(
                limit, requirements.get("requests") or {}, requirements.get("limits") or {}
            )
        ]
    if limit.get("type") == "Pod":
        requests = pod_totals(pod["spec"], "requests", pod_level=pod_level)
        return _problems(limit, requests, pod_totals(pod["spec"], "limits", pod_level=pod_level))
    return []


def _claim_problems(claim: Object, limit: Object, *, pod_level: bool) -> list[str]:
    if limit.get("type") != "PersistentVolumeClaim":
        return []
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return [
        *_each("PersistentVolumeClaim", limit.get("min"), _minimum, requests, {}),
        *_each("PersistentVolumeClaim", limit.get("max"), _maximum_request, requests, {}),
    ]


def _problems(limit: Object, requests: Resources, limits: Resources) -> list[str]:
    kind = limit["type"]
    return [
        *_each(kind, limit.get("min"), _minimum, requests, limits),
        *_each(kind, limit.get("max"), _maximum, requests, limits),
        *_each(kind, limit.get("maxLimitRequestRatio"), _ratio, requests, limits),
    ]


def _each(
    kind: str, enforced: Mapping[str, str] | None, bound: Bound, requests: Resources, limits: Resources
) -> Iterator[str]:
    for name, value in sorted((enforced or {}).items()):
        problem = bound(kind, name, value, requests, limits)
        if problem:
            yield problem


def _minimum(kind: str, name: str, enforced: str, requests: Resources, limits: Resources) -> str:
    start = f"minimum {name} usage per {kind} is {enforced}"
    if name not in requests:
        return f"{start}.  No request is specified"
    if _is_less(requests[name], enforced):
        return f"{start}, but request is {requests[name]}"
    if name in limits and _is_less(limits[name], enforced):
        return f"{start}, but limit is {limits[name]}"
    return ""


def _maximum_request(kind: str, name: str, enforced: str, requests: Resources, limits: Resources) -> str:
    start = f"maximum {name} usage per {kind} is {enforced}"
    if name not in requests:
        return f"{start}.  No request is specified"
    return f"{start}, but request is {requests[name]}" if _is_less(enforced, requests[name]) else ""


def _maximum(kind: str, name: str, enforced: str, requests: Resources, limits: Resources) -> str:
    start = f"maximum {name} usage per {kind} is {enforced}"
    if name not in limits:
        return f"{start}.  No limit is specified"
    if _is_less(enforced, limits[name]):
        return f"{start}, but limit is {limits[name]}"
    if name in requests and _is_less(enforced, requests[name]):
        return f"{start}, but request is {requests[name]}"
    return ""


def _ratio(kind: str, name: str, enforced: str, requests: Resources, limits: Resources) -> str:
    start = f"{name} max limit to request ratio per {kind} is {enforced}, but "
    request, limit = (_value(amounts.get(name, "0"), enforced) for amounts in (requests, limits))
    if not request:
        return f"{start}no request is specified or request is 0"
    if not limit:
        return f"{start}no limit is specified or limit is 0"
    ratio = float(limit) / float(request)
    return f"{start}provided ratio is {ratio:f}" if ratio > float(quantity.parse(enforced).amount) else ""


def _is_less(one: str, other: str) -> bool:
    return _value(one, other) < _value(other, one)


def _value(text: str, beside: str) -> Decimal:
    """Returns the quantity `text` as a number, rounded up to thousandths.

    Rounds up to an integer if `text` or `beside` has too many thousandths for an int64. `beside`: the
    quantity with which the caller compares `text`.
    """
    amount = quantity.parse(text).amount
    exact = max(amount, quantity.parse(beside).amount) <= _MILLI_MAX
    return amount.quantize(Decimal("0.001"), ROUND_UP) if exact else amount.to_integral_value(ROUND_UP)
