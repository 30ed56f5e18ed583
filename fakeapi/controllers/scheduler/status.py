"""Results of scheduler plugins for a pod, on one node or on all nodes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """A pod does not fit on a node. `preemptible`: it might fit without other pods.

    The message of the pod's condition counts the nodes with each of the `reasons`.
    """

    reasons: tuple[str, ...]
    preemptible: bool = False


class CannotSchedule(Exception):
    """The pod fits on no node; the message says why."""


class PluginError(Exception):
    """A plugin failed, which ends the scheduling attempt with an error."""

    def __init__(self, plugin: str, stage: str, reason: str) -> None:
        """Takes the extension point as `stage`, spelled as in messages: "filter", "PreFilter", "PreBind"."""
        text = (
            f'running "{plugin}" {stage} plugin: {reason}'
            if stage == "filter"
            else f'running {stage} plugin "{plugin}": {reason}'
        )
        super().__init__(text)


def nodes_message(count: int, problem: str, reasons: dict[str, int]) -> str:
    """Returns `0/N nodes are available: …` with the problem of all nodes, or with the counted reasons."""
    text = problem or ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"0/{count} nodes are available: {text}." if text else f"0/{count} nodes are available:"
