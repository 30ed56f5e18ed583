"""The result of a scheduler plugin for a pod, on all nodes or on one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """A pod does not fit on a node. `preemptible`: it might fit without other pods.

    `reasons` are counted over all nodes in the pod's condition.
    """

    reasons: tuple[str, ...]
    preemptible: bool = False


class CannotSchedule(Exception):
    """The pod fits on no node; the text says why."""


class PluginError(Exception):
    """A plugin failed, which ends the scheduling attempt with an error."""

    def __init__(self, plugin: str, stage: str, reason: str) -> None:
        """`stage` is the extension point, as the message names it: "filter", "PreFilter", "PreBind"."""
        text = (
            f'running "{plugin}" {stage} plugin: {reason}'
            if stage == "filter"
            else f'running {stage} plugin "{plugin}": {reason}'
        )
        super().__init__(text)


def nodes_message(count: int, problem: str, reasons: dict[str, int]) -> str:
    """The message `0/N nodes are available: …`, with one problem of all nodes or the counted reasons."""
    text = problem or ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"0/{count} nodes are available: {text}." if text else f"0/{count} nodes are available:"
