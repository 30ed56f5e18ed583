"""Prints an Explanation as text for a terminal."""

from collections.abc import Iterator

from fakeapi.explaining.model import ExplanationFields, NodeResult, Reason
from fakeapi.machinery.printable import printable

REASONS_SHOWN = 3
"""Number of reasons in the short form."""

CHANGES_SHOWN = 3
"""Number of changes for each reason in the short form."""

NODES_SHOWN = 5
"""Number of nodes in a line of the short form."""


def text_of(explanation: ExplanationFields, *, everything: bool = False) -> str:
    """Returns the explanation as lines of text.

    `everything`: whether to print all reasons, changes and nodes.
    """
    return "\n".join(printable(line) for line in _lines(explanation, everything=everything)) + "\n"


def _lines(explanation: ExplanationFields, *, everything: bool) -> Iterator[str]:
    yield explanation.headline
    shown = explanation.reasons if everything else explanation.reasons[:REASONS_SHOWN]
    for reason in shown:
        yield ""
        yield from _reason(reason, explanation, everything=everything)
    more = len(explanation.reasons) - len(shown)
    if more > 0:
        yield ""
        yield f"{more} more reasons: --all"
    placed = explanation.verdict == "placed"
    nodes = explanation.nodes if everything or placed else []
    if nodes:
        yield ""
        yield from _nodes(nodes if everything else nodes[:NODES_SHOWN])
        if len(nodes) > NODES_SHOWN and not everything:
            yield f"  {len(nodes) - NODES_SHOWN} more nodes: --all"
    for note in explanation.notes:
        yield ""
        yield f"Note: {note}"


def _reason(reason: Reason, explanation: ExplanationFields, *, everything: bool) -> Iterator[str]:
    if reason.text != explanation.summary:
        yield reason.text
    where = f"{reason.path} of {reason.object}" if reason.object and reason.path else ""
    if where:
        yield f"  field: {where}"
    for detail in reason.details if everything else reason.details[:6]:
        yield f"  {detail}"
    if reason.node_count and (reason.node_count > 1 or everything):
        names = ", ".join(reason.nodes if everything else reason.nodes[:NODES_SHOWN])
        more = reason.node_count - len(names.split(", "))
        yield f"  nodes: {names}{f' and {more} more' if more > 0 else ''}"
    changes = reason.changes if everything else reason.changes[:CHANGES_SHOWN]
    for number, change in enumerate(changes):
        lead = "To change it:" if number == 0 else "          or:"
        doubt = "" if change.sufficient is not False else " (not enough by itself)"
        yield f"  {lead} {change.text}{doubt}"


def _nodes(nodes: list[NodeResult]) -> Iterator[str]:
    for node in nodes:
        if node.feasible:
            mark = " (chosen)" if node.chosen else ""
            yield f"  node {node.name}: feasible, score {node.score}{mark}"
            continue
        yield f"  node {node.name}: {node.reason or node.message}"
        for request in node.requests:
            counts = (
                f"{request.published} devices, {request.in_class} in class {request.device_class}, "
                f"{request.selected} selected, {request.usable} usable, {request.needed} needed"
            )
            yield f"    {request.claim} request {request.request}: {counts}"
            for dropped in request.dropped:
                yield f"      {dropped.devices}: {dropped.text}"
