"""The results that scheduler plugins return or raise for a pod."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """A pod does not fit on a node.

    `reasons`: why not. The message of the pod's condition counts the nodes for each reason.
    `preemptible`: whether the pod might fit after other pods are deleted.
    """

    reasons: tuple[str, ...]
    preemptible: bool = False


class CannotSchedule(Exception):
    """The pod fits on no node. The message is the reason."""


class PluginError(Exception):
    """A scheduler plugin failed, which ends the scheduling attempt with an error."""

    def __init__(self, plugin: str, stage: str, reason: str) -> None:
        """Formats the message like upstream.

        `stage`: the extension point, spelled as in messages: "filter", "PreFilter" or "PreBind".
        """
        text = (
            f'running "{plugin}" {stage} plugin: {reason}'
            if stage == "filter"
            else f'running {stage} plugin "{plugin}": {reason}'
        )
        super().__init__(text)


def nodes_message(count: int, problem: str, reasons: dict[str, int]) -> str:
    """Returns `0/N nodes are available: …` with a problem of all nodes, or with the counted reasons.

    `count`: the number N of nodes.
    `problem`: the problem of all nodes, or "".
    `reasons`: the number of nodes for each reason.
    """
    text = problem or ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"0/{count} nodes are available: {text}." if text else f"0/{count} nodes are available:"
