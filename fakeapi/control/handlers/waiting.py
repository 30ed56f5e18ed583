"""Returns pods, claims and workloads that wait or need attention, in groups with the same cause."""

import asyncio
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from fakeapi.control.devices.attention import AttentionCount, read_attention
from fakeapi.control.devices.causes import Waiting, WaitingGroup, groups_of, groups_of_troubled, in_order
from fakeapi.control.devices.claim_states import ClaimState, ClaimView, PodView
from fakeapi.control.devices.troubled_pods import TroubledPods
from fakeapi.control.devices.workloads import WorkloadView
from fakeapi.control.errors import refused
from fakeapi.control.handlers.devices import CLAIM_BYTES, CLAIMS_MAX, matches
from fakeapi.control.route import Call, Route
from fakeapi.explaining.running_server import registered_drivers

GROUPS_MAX = 200
"""Maximum number of groups in one response; `more_groups` counts the omitted groups."""

ROWS_DEFAULT = 12
"""Default maximum number of pods, claims or workloads of each group in a response."""

View = TypeVar("View", ClaimView, PodView, WorkloadView)


class WaitingQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for groups of pods, claims and workloads that wait.

    - `cause`: the `cause` of a group; "" for all groups.
    - `namespace` and `search`: select pods, claims and workloads, as in the query for claims.
    - `limit`: the maximum number of pods, claims or workloads of each group to return.
    """

    cause: str = ""
    namespace: str = ""
    search: str = ""
    limit: int = ROWS_DEFAULT


class WaitingList(msgspec.Struct, rename="camel"):
    """Groups of pods, claims and workloads that wait.

    - `more_groups`: the number of omitted groups.
    - `count`: the numbers of all objects that wait, before the query's filters. Namespaces have no group.
    - `claims`: the number of claims without devices, before the query's filters.
    """

    groups: list[WaitingGroup]
    more_groups: int
    count: AttentionCount
    claims: int


async def waiting(call: Call) -> WaitingList:
    query: WaitingQuery = call.query
    if not 1 <= query.limit <= CLAIMS_MAX:
        raise refused(400, f"limit must be from 1 to {CLAIMS_MAX}")
    found = await read_attention(call.server.cluster)
    of_claims = Waiting(found.claims, found.pods)
    await asyncio.sleep(0)
    groups = in_order(
        [
            *groups_of(of_claims, _selected(query, of_claims.pods), _selected(query, of_claims.claims)),
            *groups_of_troubled(
                TroubledPods(*(_selected(query, views) for views in found.troubled)),
                _selected(query, found.workloads),
            ),
        ]
    )
    if query.cause:
        groups = [group for group in groups if group.cause == query.cause]
    runner = call.server.controllers()
    kubelets = {*registered_drivers(None if runner is None else runner.running_manager)}
    for group in groups:
        group.without_kubelet = sum(bool(pod.node) and pod.node not in kubelets for pod in group.pods)
        group.keep_first(query.limit)
    shown = groups[:GROUPS_MAX]
    rows = sum(len(group.pods) + len(group.claims) + len(group.workloads) for group in shown)
    async with call.room(CLAIM_BYTES * rows):
        return WaitingList(
            shown,
            len(groups) - len(shown),
            found.count(),
            sum(view.state is ClaimState.PENDING for view in of_claims.views),
        )


def _selected(query: WaitingQuery, views: Iterable[View]) -> list[View]:
    return [view for view in views if matches(view, query.namespace, query.search)]


ROUTES = (
    Route(
        "GET",
        "/waiting",
        waiting,
        "Pods, claims and workloads that wait, in groups with the same cause.",
        answer=WaitingList,
        query=WaitingQuery,
    ),
)
