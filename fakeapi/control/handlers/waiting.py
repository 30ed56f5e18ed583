"""Returns pods and claims that wait, in groups with the same cause."""

import asyncio
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from fakeapi.control.devices.causes import Waiting, WaitingGroup, groups_of
from fakeapi.control.devices.claim_states import ClaimState, ClaimView, PodView
from fakeapi.control.devices.reading import read_claims_and_pods
from fakeapi.control.errors import refused
from fakeapi.control.handlers.devices import CLAIM_BYTES, CLAIMS_MAX, matches
from fakeapi.control.route import Call, Route

GROUPS_MAX = 200
"""Maximum number of groups in one response; `more_groups` counts the omitted groups."""

ROWS_DEFAULT = 12
"""Default maximum number of pods or claims of each group in a response."""

View = TypeVar("View", ClaimView, PodView)


class WaitingQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for groups of pods and claims that wait.

    - `cause`: the `cause` of a group; "" for all groups.
    - `namespace` and `search`: select pods and claims, as in the query for claims.
    - `limit`: the maximum number of pods or claims of each group to return.
    """

    cause: str = ""
    namespace: str = ""
    search: str = ""
    limit: int = ROWS_DEFAULT


class WaitingList(msgspec.Struct, rename="camel"):
    """Groups of pods and claims that wait.

    - `more_groups`: the number of omitted groups.
    - `pods`: the number of pending pods, before the query's filters.
    - `claims`: the number of claims without devices, before the query's filters.
    - `unused`: the number of those claims that no pod uses.
    - `deleting`: the number of claims that are being deleted, before the query's filters.
    """

    groups: list[WaitingGroup]
    more_groups: int
    pods: int
    claims: int
    unused: int
    deleting: int


async def waiting(call: Call) -> WaitingList:
    query: WaitingQuery = call.query
    if not 1 <= query.limit <= CLAIMS_MAX:
        raise refused(400, f"limit must be from 1 to {CLAIMS_MAX}")
    found = Waiting(*await read_claims_and_pods(call.server.cluster))
    await asyncio.sleep(0)
    groups = groups_of(found, _selected(query, found.pods), _selected(query, found.claims))
    if query.cause:
        groups = [group for group in groups if group.cause == query.cause]
    for group in groups:
        group.pods, group.claims = group.pods[: query.limit], group.claims[: query.limit]
    shown = groups[:GROUPS_MAX]
    deleting = sum(claim.state is ClaimState.DELETING for claim in found.claims)
    async with call.room(CLAIM_BYTES * sum(len(group.pods) + len(group.claims) for group in shown)):
        return WaitingList(
            shown,
            len(groups) - len(shown),
            len(found.pods),
            sum(view.state is ClaimState.PENDING for view in found.views),
            len(found.claims) - deleting,
            deleting,
        )


def _selected(query: WaitingQuery, views: Iterable[View]) -> list[View]:
    return [view for view in views if matches(view, query.namespace, query.search)]


ROUTES = (
    Route(
        "GET",
        "/waiting",
        waiting,
        "Pods and claims that wait, in groups with the same cause.",
        answer=WaitingList,
        query=WaitingQuery,
    ),
)
