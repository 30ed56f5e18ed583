"""Adds the requirements of matchLabelKeys and mismatchLabelKeys to the label selectors of new pods.

Follows mutatePodAffinity and mutateTopologySpreadConstraints of k8s.io/kubernetes
`pkg/registry/core/pod/strategy.go`.
"""

from collections.abc import Iterator, Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.releases import Gates


def apply_label_keys(pod: Object, gates: Gates) -> None:
    """Merges matchLabelKeys and mismatchLabelKeys into the label selectors of a pod, in place.

    Adds one requirement for each key that the pod has as a label. Covers pod affinity terms, and topology
    spread constraints (only matchLabelKeys), while their feature gates are on.
    """
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
        terms = affinity.get(kind) or {}
        for weighted in terms.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted["podAffinityTerm"]
        yield from terms.get("requiredDuringSchedulingIgnoredDuringExecution") or ()


def _add(holder: Object, keys: str, operator: str, labels: Mapping[str, str]) -> None:
    selector = holder.get("labelSelector")
    if selector is None:  # A term without a selector selects nothing.
        return
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for key in holder.get(keys) or ()
        if key in labels
    ]
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]
