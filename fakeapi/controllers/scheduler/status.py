"""The result of a scheduler plugin for a pod, on all nodes or on one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """The pod does not fit. `reasons` are counted over nodes. `preemptible`: without other pods it might
    fit.
    """

    reasons: tuple[str, ...]
    preemptible: bool = False


class CannotSchedule(Exception):
    """The pod fits on no node, for the reason that the text says."""


class PluginError(Exception):
    """A plugin cannot say whether the pod fits, so the attempt ends."""

    def __init__(self, plugin: str, stage: str, reason: str) -> None:
        """`stage` is the extension point, as the message names it: "filter", "PreFilter", "PreBind"."""
        text = (
            f'running "{plugin}" {stage} plugin: {reason}'
            if stage == "filter"
            else f'running {stage} plugin "{plugin}": {reason}'
        )
        super().__init__(text)


def nodes_message(count: int, problem: str, reasons: dict[str, int]) -> str:
    """`0/N nodes are available: …`: one problem of all nodes, or what single nodes lack, counted."""
    text = problem or ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"0/{count} nodes are available: {text}." if text else f"0/{count} nodes are available:"
