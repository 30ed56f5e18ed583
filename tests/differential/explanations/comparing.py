"""Compares an explanation of a pod with the decision of kube-scheduler, node by node."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fakeapi.controllers.scheduler.status import nodes_message
from fakeapi.explaining.explanation import Explanation

OF_REFUSED_NODES = "0/"
"""The start of kube-scheduler's message if no node is feasible."""


AFTER_FILTERS = "running PreBind plugin"
"""The start of kube-scheduler's message if a node was feasible, but the claims could not be written."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of kube-scheduler about a pod.

    - `node`: the node of the pod; "" if the scheduler could not place the pod.
    - `feasible`: the nodes that passed the filters.
    - `message`: the message of the condition PodScheduled; "" if the pod has a node.
    """

    node: str = ""
    feasible: frozenset[str] = frozenset()
    message: str = ""


def differences(decision: Decision, why: Explanation, nodes: Sequence[str]) -> list[str]:
    """Returns a line for each difference between a decision and the explanation of the same pod.

    `nodes`: all nodes of the cluster. The explanation may name no node, if one reason concerns all of them.
    """
    verdicts = {"placed", "starting"} if decision.node else {"pending"}
    if why.verdict not in verdicts:
        return [f"the verdict is {why.verdict!r}, and the scheduler {_outcome(decision)}"]
    if decision.message.startswith(AFTER_FILTERS):
        return _of_error(decision, why)
    own = {node.name for node in why.nodes if node.feasible}
    lines = [_line(name, own, decision) for name in nodes if (name in own) != (name in decision.feasible)]
    if not lines and not decision.node:
        lines = _of_reasons(decision, why)
    return lines


def _of_error(decision: Decision, why: Explanation) -> list[str]:
    """Compares an error after the filters: nodes are feasible, and the explanation must show the error."""
    texts = [text for reason in why.reasons for text in (reason.text, *reason.details)]
    if any(decision.message in text for text in texts):
        return []
    return [f"the scheduler says {decision.message!r}, and the explanation does not"]


def _outcome(decision: Decision) -> str:
    return f"chose node {decision.node}" if decision.node else f"says {decision.message!r}"


def _line(name: str, own: set[str], decision: Decision) -> str:
    here = "feasible" if name in own else "not feasible"
    there = "feasible" if name in decision.feasible else "not feasible"
    return f"node {name} is {here} here, {there} for the scheduler, which {_outcome(decision)}"


def _of_reasons(decision: Decision, why: Explanation) -> list[str]:
    """Compares the numbers of nodes by reason with the counts in the scheduler's message."""
    if not why.reasons:
        return ["the explanation has no reason"]
    if not decision.message.startswith(OF_REFUSED_NODES) or not why.nodes:
        return []
    reasons = Counter(text for node in why.nodes for text in node.message.split(", "))
    expected = nodes_message(len(why.nodes), "", dict(reasons)).removesuffix(".")
    if decision.message.startswith(expected):
        return []
    return [f"the scheduler says {decision.message!r}, and the explanation would say {expected!r}"]
