"""Explains why none of the subrequests of a request with firstAvailable can be allocated."""

from collections.abc import Sequence
from itertools import zip_longest

from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason
from fakeapi.explaining.selector_text import SUMMARY_LENGTH


def first_available(parts: Sequence[Reason], name: str, briefs: Sequence[str]) -> Reason:
    """Returns the reason why none of the subrequests of a request can be allocated.

    - `parts`: the reason of each subrequest, in the order of the request.
    - `name`: the request, such as "request gpu".
    - `briefs`: a short reason for each subrequest.
    """
    short = f"{name}: no subrequest fits: {'; '.join(briefs)}"
    if len(short) > SUMMARY_LENGTH:
        short = f"{name} (firstAvailable): none of its {len(parts)} subrequests fits"
    counts = [part.node_count for part in parts]
    return Reason(
        "FirstAvailableImpossible",
        short,
        [line for part in parts for line in _lines(part)],
        parts[0].claim,
        claim=parts[0].claim,
        nodes=sorted({name for part in parts for name in part.nodes})[:NAMES_SHOWN],
        node_count=max(len({name for part in parts for name in part.nodes}), *counts),
        blame=list(dict.fromkeys(one for part in parts for one in part.blame)),
        changes=_alternating([part.changes for part in parts]),
    )


def _without_name(part: Reason) -> str:
    """Returns the text of a reason without the name of its request."""
    return part.text.removeprefix(f"request {part.request}").lstrip(": ")


def _lines(part: Reason) -> list[str]:
    """Returns the text of a subrequest's reason, and the details that name users of devices."""
    name = f"subrequest {part.request.rpartition('/')[2]}"
    users = [line for line in part.details if " in use by " in line or ", wanted " in line]
    return [f"{name}: {_without_name(part)}", *(f"{name}: {line}" for line in users)]


def _alternating(changes: Sequence[Sequence[Change]]) -> list[Change]:
    """Merges the changes of subrequests in turn: the first of each, then the second.

    Sufficient changes come first.
    """
    ordered = [one for row in zip_longest(*changes) for one in row if one is not None]
    return sorted(ordered, key=lambda change: change.rank)
