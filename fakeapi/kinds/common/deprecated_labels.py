"""Warnings about labels of nodes that other labels have replaced.

Follows k8s.io/kubernetes `pkg/api/node`.
"""

from typing import Any, Final

_USE: Final = 'deprecated since v{}; use "{}" instead'
DEPRECATED: Final = {
    "beta.kubernetes.io/arch": _USE.format("1.14", "kubernetes.io/arch"),
    "beta.kubernetes.io/os": _USE.format("1.14", "kubernetes.io/os"),
    "failure-domain.beta.kubernetes.io/region": _USE.format("1.17", "topology.kubernetes.io/region"),
    "failure-domain.beta.kubernetes.io/zone": _USE.format("1.17", "topology.kubernetes.io/zone"),
    "beta.kubernetes.io/instance-type": _USE.format("1.17", "node.kubernetes.io/instance-type"),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
"""What is said of each label."""


def deprecated_label_warnings(key: str, path: str) -> list[str]:
    """The text of a Warning header about a label's key at a path, if it is deprecated."""
    return [f"{path}: {DEPRECATED[key]}"] if key in DEPRECATED else []


def label_selector_warnings(selector: dict[str, Any] | None, path: str) -> list[str]:
    """Texts of Warning headers about a selector of nodes by their labels."""
    selector = selector or {}
    found = [
        f"{path}.matchExpressions[{index}].key: {each['key']} is {DEPRECATED[each['key']]}"
        for index, each in enumerate(selector.get("matchExpressions") or ())
        if each["key"] in DEPRECATED
    ]
    for key in selector.get("matchLabels") or ():
        found += deprecated_label_warnings(key, f"{path}.matchLabels.{key}")
    return found


def node_selector_warnings(selector: dict[str, Any] | None, path: str) -> list[str]:
    """Texts of Warning headers about a core/v1 NodeSelector; `path` is that of its terms' holder."""
    return [
        f"{path}[{index}].matchExpressions[{position}].key: {each['key']} is {DEPRECATED[each['key']]}"
        for index, term in enumerate((selector or {}).get("nodeSelectorTerms") or ())
        for position, each in enumerate(term.get("matchExpressions") or ())
        if each["key"] in DEPRECATED
    ]
