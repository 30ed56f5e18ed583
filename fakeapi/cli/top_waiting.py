"""Renders the objects that wait or need attention, for a frame of `fakeapi top`."""

from typing import Any

from rich.table import Table
from rich.text import Text

from fakeapi.machinery.printable import counted


def waiting_table(figures: dict[str, Any], shown: int) -> Table:
    """Renders a table of the groups of the view Pending with their reasons.

    `shown`: the maximum number of rows.
    """
    table = Table("PENDING", box=None, pad_edge=False)
    table.add_column("REASON", overflow="fold")
    waiting = figures["waiting"]
    for each in waiting[:shown]:
        table.add_row(
            Text(_group_text(each), no_wrap=True),
            Text(each["reason"] or "no reason is written yet"),
        )
    omitted = sum(each["number"] for each in waiting[shown:]) + figures["waitingMore"]
    if omitted:
        table.add_row(f"and {omitted} more", "")
    return table


def _group_text(group: dict[str, Any]) -> str:
    """Returns a group as text: its only object, or the number of its objects and the first of them."""
    what = "claim" if group["what"] == "ResourceClaim" else group["what"]
    what = what.lower() if group["kind"] != "workload" else what
    state = _STATES.get(group["kind"], "")
    place = "/".join(part for part in (group["namespace"], group["name"]) if part)
    if group["number"] == 1:
        return f"{state}{what} {place}"
    return f"{group['number']} {state}{what}s, such as {place}"


_STATES = {
    "crashing": "crashing ",
    "deletingPod": "deleted ",
    "deleting": "deleted ",
    "namespace": "deleted ",
}
"""The word before the kind of the objects in a group. Pending pods and claims have no such word."""


def attention_text(count: dict[str, Any]) -> str:
    """Returns the numbers of objects that wait or need attention, such as "6 pods are pending".

    The live page describes these numbers with the same words.
    """
    pods, crashing = count["pods"], count["crashing"]
    unused = count["unusedClaims"]
    parts = [
        pods and f"{counted(pods, 'pod')} {_be(pods)} pending",
        crashing and f"{counted(crashing, 'pod')} {'crashes' if crashing == 1 else 'crash'}",
        *(
            f"{counted(number, kind)} {'lacks' if number == 1 else 'lack'} pods"
            for kind, number in count["workloads"].items()
        ),
        unused and f"{counted(unused, 'claim')} without a pod {_be(unused)} pending",
        *(
            number and f"{counted(number, noun)} {_be(number)} being deleted"
            for noun, number in (
                ("pod", count["deletingPods"]),
                ("claim", count["deletingClaims"]),
                ("namespace", count["deletingNamespaces"]),
            )
        ),
    ]
    return ", ".join(part for part in parts if part)


def _be(number: int) -> str:
    return "is" if number == 1 else "are"
