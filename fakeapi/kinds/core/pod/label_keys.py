"""Label keys of affinity terms and spread constraints, which a new pod's labels turn into selectors.

Follows mutatePodAffinity and mutateTopologySpreadConstraints of k8s.io/kubernetes
`pkg/registry/core/pod/strategy.go`.
"""

from collections.abc import Iterator, Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.releases import Gates


def apply_label_keys(pod: Object, gates: Gates) -> None:
    """Adds a requirement to a selector for each of its label keys that the pod has, in place."""
    labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
    spec: Object = pod["spec"]
    if gates.enabled("MatchLabelKeysInPodAffinity"):
        for term in _terms(spec.get("affinity") or {}):
            _add(term, "matchLabelKeys", "In", labels)
            _add(term, "mismatchLabelKeys", "NotIn", labels)
    if gates.enabled("MatchLabelKeysInPodTopologySpread") and gates.enabled(
        "MatchLabelKeysInPodTopologySpreadSelectorMerge"
    ):
        for constraint in spec.get("topologySpreadConstraints") or ():
            _add(constraint, "matchLabelKeys", "In", labels)


def _terms(affinity: Object) -> Iterator[Object]:
    for kind in ("podAffinity", "podAntiAffinity"):
        found = affinity.get(kind) or {}
        for weighted in found.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted["podAffinityTerm"]
        yield from found.get("requiredDuringSchedulingIgnoredDuringExecution") or ()


def _add(holder: Object, keys: str, operator: str, labels: Mapping[str, str]) -> None:
    selector = holder.get("labelSelector")
    if selector is None:  # which selects nothing
        return
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for key in holder.get(keys) or ()
        if key in labels
    ]
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]
