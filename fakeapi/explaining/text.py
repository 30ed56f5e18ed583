"""Prints an Explanation as text for a terminal."""

from collections.abc import Iterator

from fakeapi.explaining.model import (
    NAMES_SHOWN,
    ExplanationFields,
    NodeResult,
    Reason,
    RequestOnNode,
    devices_text,
    listed,
)
from fakeapi.machinery.printable import printable

REASONS_SHOWN = 3
"""Maximum number of reasons in the short form; a last line has the number of further reasons."""

CHANGES_SHOWN = 3
"""Maximum number of changes for each reason in the short form."""

DETAILS_SHOWN = 20
"""Maximum number of facts about an object in the short form."""

RECREATE = "delete claim "
"""Begins the text of a change that creates a claim again."""

NODES_SHOWN = 5
"""Maximum number of nodes that one line or list of the short form names."""


def text_of(explanation: ExplanationFields, *, everything: bool = False) -> str:
    """Returns the explanation as lines of text.

    Omits insufficient changes, unless they name the further changes that are needed.

    `everything`: whether to print all reasons, changes and nodes.
    """
    return "\n".join(printable(line) for line in _lines(explanation, everything=everything)) + "\n"


def _lines(explanation: ExplanationFields, *, everything: bool) -> Iterator[str]:
    yield explanation.headline
    if explanation.details:
        yield ""
        yield from _details(explanation.details, everything=everything)
    minor = [] if everything else _minor(explanation.reasons)
    reasons = [reason for reason in explanation.reasons if not any(reason is one for one in minor)]
    shown = reasons if everything else reasons[:REASONS_SHOWN]
    for number, reason in enumerate(shown):
        lines = [*_reason(reason, everything=everything)]
        if reason.text != explanation.summary:
            lines.insert(0, f"{'Also: ' if number else ''}{reason.text}")
        yield from ["", *lines] if lines else []
    more = len(reasons) - len(shown)
    if more > 0:
        yield ""
        yield f"{more} more {'reason' if more == 1 else 'reasons'}: --all"
    if minor:
        yield ""
        yield "Also, but no change of these is enough by itself (--all):"
        yield from (f"  {reason.text}" for reason in minor)
    placed = explanation.verdict == "placed"
    nodes = explanation.nodes if everything or placed else []
    if nodes:
        yield ""
        if everything and any(request.dropped for node in nodes for request in node.requests):
            yield "  Devices are written driver/pool/device."
        fits = "feasible" if placed else "would be feasible"
        yield from _nodes(nodes if everything else nodes[:NODES_SHOWN], fits, everything=everything)
        if len(nodes) > NODES_SHOWN and not everything:
            more = len(nodes) - NODES_SHOWN
            yield f"  {more} more {'node' if more == 1 else 'nodes'}: --all"
    for note in explanation.notes:
        yield ""
        yield f"Note: {note}"


def _details(details: list[str], *, everything: bool) -> Iterator[str]:
    """Yields facts about the object, one line each. Without `everything`, at most DETAILS_SHOWN facts."""
    shown = details if everything else details[:DETAILS_SHOWN]
    yield from (f"  {detail}" for detail in shown)
    more = len(details) - len(shown)
    if more > 0:
        yield f"  {more} more {'line' if more == 1 else 'lines'}: --all"


def _minor(reasons: list[Reason]) -> list[Reason]:
    """Returns the reasons that no single change removes, without the most important reason.

    Returns [] if no change of any reason is sufficient: then each of the reasons must be removed.
    """
    if not any(change.sufficient for reason in reasons for change in reason.changes):
        return []
    return [
        reason
        for reason in reasons[1:]
        if reason.changes and all(change.sufficient is False for change in reason.changes)
    ]


def _reason(reason: Reason, *, everything: bool) -> Iterator[str]:
    where = f"{reason.path} of {reason.object}" if reason.object and reason.path else ""
    if where:
        yield f"  field: {where}"
    for detail in reason.details if everything else reason.details[:6]:
        yield f"  {detail}"
    if reason.node_count and (reason.node_count > 1 or everything):
        shown = len(reason.nodes) if everything else NODES_SHOWN
        yield f"  nodes: {listed(reason.nodes, shown, reason.node_count)}"
    changes = [change for change in reason.changes if change.needs or change.sufficient is not False]
    offered = changes if everything else changes[:CHANGES_SHOWN]
    for number, change in enumerate(offered):
        lead = "To change it:" if number == 0 else "          or:"
        needs = f" (not enough by itself: {change.needs})" if change.needs else ""
        harm = f" (disruptive: {change.harm})" if change.harm else ""
        relaxes = " (asks for less)" if change.relaxes else ""
        yield f"  {lead} {change.text}{relaxes}{harm}{needs}"
    if any(change.text.startswith(RECREATE) for change in offered):
        yield "  Keep the pods that wait for the claim: they use the new claim of the same name."
    more = len(changes) - len(offered)
    if more > 0:
        yield f"  {more} more {'change' if more == 1 else 'changes'}: --all"


def _nodes(nodes: list[NodeResult], fits: str, *, everything: bool) -> Iterator[str]:
    """Yields the lines of nodes. `fits`: the word for a node that suits the pod."""
    plugins = _deciding_plugins(nodes)
    for node in nodes:
        if node.feasible:
            mark = " (chosen)" if node.chosen and fits == "feasible" else ""
            yield f"  node {node.name}: {fits}{_score(node, plugins, everything=everything)}{mark}"
            continue
        yield f"  node {node.name}: {node.reason or node.message}"
        if not everything:
            continue
        for request in node.requests:
            yield f"    {request.claim} request {request.request}: {_counts(request)}"
            for dropped in request.dropped:
                if dropped.is_by_driver:
                    continue
                names = listed(dropped.names, len(dropped.names), dropped.devices)
                yield f"      {dropped.devices}: {dropped.text}: {names}"


def _counts(request: RequestOnNode) -> str:
    """Returns the numbers of published, matching, free and needed devices as text.

    Leaves out the numbers of selected and free devices if they must be 0.
    """
    of = f" of {listed(request.drivers, NAMES_SHOWN)}" if request.drivers else ""
    counts = f"{devices_text(request.published)}{of}; {request.in_class} match class {request.device_class}"
    if request.in_class:
        counts += f", {request.selected} match the request's selectors"
    if request.selected:
        counts += f", {request.usable} free"
    return f"{counts}, {request.needed} needed"


def _score(node: NodeResult, plugins: set[str], *, everything: bool) -> str:
    """Returns the score of a node with its parts; "" for the only feasible node, which has no score.

    `plugins`: the plugins to name. Without `everything`, the scores of the other plugins appear as one sum.
    """
    if not node.scores:
        return f", score {node.score}" if node.score else ""
    parts = [
        f"{name} {part}" for name, part in node.scores.items() if name in plugins or (everything and part)
    ]
    rest = 0 if everything else sum(part for name, part in node.scores.items() if name not in plugins)
    if rest and not parts:
        return f", score {node.score}"  # the nodes do not differ, so the parts say nothing more
    if rest:
        parts.append(f"other plugins {rest}")
    return f", score {node.score} = {' + '.join(parts)}"


def _deciding_plugins(nodes: list[NodeResult]) -> set[str]:
    """Returns the scheduler plugins whose scores differ between the feasible nodes."""
    values: dict[str, set[int]] = {}
    for node in nodes:
        for name, score in node.scores.items():
            values.setdefault(name, set()).add(score)
    return {name for name, scores in values.items() if len(scores) > 1}
