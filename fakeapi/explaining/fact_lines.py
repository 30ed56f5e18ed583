"""Joins the facts about the nodes of a group into few lines."""

from collections.abc import Mapping, Sequence

from fakeapi.explaining.briefs import node_names
from fakeapi.explaining.model import NAMES_SHOWN, listed
from fakeapi.explaining.node_offers import Fact
from fakeapi.registry.offloading.turns import Turns

VALUES_SHOWN = 3
"""Maximum number of values of nodes for one requirement. Each value has a line if there are not more."""


async def fact_lines(names: Sequence[str], facts: Mapping[str, Sequence[Fact]]) -> list[str]:
    """Returns the facts behind the reason of a group of nodes, one line each.

    Nodes with the same value for a requirement share a line. The other lines are about the first NAMES_SHOWN
    nodes.
    """
    turns = Turns()
    values: dict[str, dict[str, list[str]]] = {}
    lines: dict[str, None] = {}
    for number, name in enumerate(names):
        await turns.give_turn_if_over()
        for fact in facts[name]:
            if fact.wants:
                values.setdefault(fact.wants, {}).setdefault(fact.has, []).append(name)
            if number < NAMES_SHOWN:
                lines |= dict.fromkeys(fact.lines or (() if fact.wants else (fact.text,)))
    return [*(line for wants, by_value in values.items() for line in _of_wants(wants, by_value)), *lines]


def _of_wants(wants: str, by_value: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns one line for each value; one line for all values if there are many.

    - `wants`: the requirement of the pod.
    - `by_value`: for each value, the nodes that have the value.
    """
    if len(by_value) > VALUES_SHOWN:
        count = sum(map(len, by_value.values()))
        return [f"{wants}, {count} nodes have {listed([*by_value], VALUES_SHOWN)}"]
    return [
        f"{wants}, {node_names(names)} {'has' if len(names) == 1 else 'have'} {value}"
        for value, names in by_value.items()
    ]


async def most_free(names: Sequence[str], facts: Mapping[str, Sequence[Fact]]) -> str:
    """Returns the shortage of the node with the most free, such as "200 requested, at most 8 free".

    Returns "" if the first fact about the nodes is not a shortage.
    """
    turns = Turns()
    most = facts[names[0]][0].shortage
    for name in names if most is not None else ():
        await turns.give_turn_if_over()
        own = facts[name][0].shortage
        if own is not None and most is not None and own.free > most.free:
            most = own
    return "" if most is None else most.text
