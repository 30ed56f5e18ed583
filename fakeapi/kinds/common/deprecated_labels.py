"""Returns warnings about deprecated labels of nodes.

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
"""Maps deprecated labels and annotations to the text of their warning, without the field path."""


def deprecated_label_warnings(key: str, path: str) -> list[str]:
    """Returns the text of a Warning header if a label key is deprecated; otherwise an empty list."""
    return [f"{path}: {DEPRECATED[key]}"] if key in DEPRECATED else []


def label_selector_warnings(selector: dict[str, Any] | None, path: str) -> list[str]:
    """Returns the texts of Warning headers about deprecated keys in a label selector of nodes."""
    selector = selector or {}
    warnings = [
        f"{path}.matchExpressions[{index}].key: {expression['key']} is {DEPRECATED[expression['key']]}"
        for index, expression in enumerate(selector.get("matchExpressions") or ())
        if expression["key"] in DEPRECATED
    ]
    for key in selector.get("matchLabels") or ():
        warnings += deprecated_label_warnings(key, f"{path}.matchLabels.{key}")
    return warnings


def node_selector_warnings(selector: dict[str, Any] | None, path: str) -> list[str]:
    """Returns the texts of Warning headers about deprecated keys in a core/v1 NodeSelector.

    `selector`: None causes no warnings
    `path`: the path of `nodeSelectorTerms`
    """
    return [
        f"{path}[{index}].matchExpressions[{position}].key: {entry['key']} is {DEPRECATED[entry['key']]}"
        for index, term in enumerate((selector or {}).get("nodeSelectorTerms") or ())
        for position, entry in enumerate(term.get("matchExpressions") or ())
        if entry["key"] in DEPRECATED
    ]
