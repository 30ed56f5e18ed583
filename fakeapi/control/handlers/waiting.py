"""Returns pods, claims and workloads that wait or need attention, in groups with the same cause."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from fakeapi.control.devices.causes import Waiting, WaitingGroup, groups_of, groups_of_troubled, in_order
from fakeapi.control.devices.claim_states import ClaimState, ClaimView, PodView
from fakeapi.control.devices.reading import read_claims_and_pods
from fakeapi.control.devices.troubled_pods import TroubledPods, troubled_pods
from fakeapi.control.devices.workloads import WorkloadView, short_workloads
from fakeapi.control.errors import refused
from fakeapi.control.handlers.devices import CLAIM_BYTES, CLAIMS_MAX, matches
from fakeapi.control.route import Call, Route

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

    All numbers except `more_groups` are before the query's filters.

    - `more_groups`: the number of omitted groups.
    - `pods`: the number of pending pods.
    - `claims`: the number of claims without devices.
    - `unused`: the number of those claims that no pod uses.
    - `deleting`: the number of claims that are being deleted.
    - `crashing`: the number of pods that crash.
    - `deleting_pods`: the number of pods that are being deleted and wait for finalizers, without pending
      pods.
    - `workloads`: the number of workloads of each kind that lack pods.
    """

    groups: list[WaitingGroup]
    more_groups: int
    pods: int
    claims: int
    unused: int
    deleting: int
    crashing: int
    deleting_pods: int
    workloads: dict[str, int]


async def waiting(call: Call) -> WaitingList:
    query: WaitingQuery = call.query
    if not 1 <= query.limit <= CLAIMS_MAX:
        raise refused(400, f"limit must be from 1 to {CLAIMS_MAX}")
    cluster = call.server.cluster
    claims, pods = await read_claims_and_pods(cluster)
    workloads = await short_workloads(cluster)
    found = Waiting(claims, pods)
    await asyncio.sleep(0)
    troubled = troubled_pods(pods, cluster.clock.now())
    selected = TroubledPods(*(_selected(query, views) for views in troubled))
    groups = in_order(
        [
            *groups_of(found, _selected(query, found.pods), _selected(query, found.claims)),
            *groups_of_troubled(selected, _selected(query, workloads)),
        ]
    )
    if query.cause:
        groups = [group for group in groups if group.cause == query.cause]
    for group in groups:
        for views in (group.pods, group.claims, group.workloads):
            del views[query.limit :]
    shown = groups[:GROUPS_MAX]
    deleting = sum(claim.state is ClaimState.DELETING for claim in found.claims)
    rows = sum(len(group.pods) + len(group.claims) + len(group.workloads) for group in shown)
    async with call.room(CLAIM_BYTES * rows):
        return WaitingList(
            shown,
            len(groups) - len(shown),
            len(found.pods),
            sum(view.state is ClaimState.PENDING for view in found.views),
            len(found.claims) - deleting,
            deleting,
            len(troubled.crashing),
            len(troubled.deleting),
            Counter(view.kind for view in workloads),
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
