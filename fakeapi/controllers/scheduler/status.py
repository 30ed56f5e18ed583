"""Results and exceptions of scheduler plugins."""

import msgspec


class Unschedulable(msgspec.Struct, frozen=True):
    """States that a pod does not fit on a node.

    - `reasons`: why the pod does not fit. The message of the pod's condition counts the nodes for each
      reason.
    - `preemptible`: whether the pod might fit after other pods are deleted.
    """

    reasons: tuple[str, ...]
    preemptible: bool = False


class CannotSchedule(Exception):
    """Raised if the pod cannot be scheduled on any node. The message is the reason."""


class PluginError(Exception):
    """Raised if a scheduler plugin failed. The scheduling attempt then ends with an error."""

    def __init__(self, plugin: str, stage: str, reason: str) -> None:
        """Formats the message like kube-scheduler.

        - `plugin`: the name of the plugin.
        - `stage`: the extension point, spelled as in kube-scheduler's messages: "filter", "PreFilter" or
          "PreBind".
        - `reason`: the cause of the failure.
        """
        text = (
            f'running "{plugin}" {stage} plugin: {reason}'
            if stage == "filter"
            else f'running {stage} plugin "{plugin}": {reason}'
        )
        super().__init__(text)


def nodes_message(count: int, problem: str, reasons: dict[str, int]) -> str:
    """Returns the message `0/N nodes are available: …`.

    The message contains the problem that excludes all nodes. Without such a problem, it contains the number
    of nodes for each reason.

    - `count`: the number N of nodes.
    - `problem`: the problem that excludes all nodes, or "".
    - `reasons`: the number of nodes for each reason.
    """
    text = problem or ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"0/{count} nodes are available: {text}." if text else f"0/{count} nodes are available:"
