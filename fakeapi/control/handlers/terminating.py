"""Returns the namespaces that are being deleted, with the reason why they still exist."""

import msgspec

from fakeapi.control.devices.attention import deleted_namespaces
from fakeapi.control.devices.claim_states import waits_for
from fakeapi.control.devices.objects import Namespace
from fakeapi.control.route import Call, Route

NAMESPACES_MAX = 200
"""Maximum number of namespaces in one response; `total` counts all of them."""


class TerminatingView(msgspec.Struct, rename="camel"):
    """A namespace that is being deleted.

    - `deleted`: the deletionTimestamp, in RFC 3339.
    - `reason`: the messages of the conditions that the namespace controller sets, which count the remaining
      objects and their finalizers. Without such conditions, the finalizers of the namespace.
    """

    name: str
    resource_version: str
    created: str
    deleted: str
    reason: str


class TerminatingList(msgspec.Struct, rename="camel"):
    """The namespaces that are being deleted. The namespaces that wait longest come first."""

    namespaces: list[TerminatingView]
    total: int


async def terminating(call: Call) -> TerminatingList:
    views = [*map(terminating_view, await deleted_namespaces(call.server.cluster))]
    views.sort(key=lambda view: (view.deleted, view.name))
    return TerminatingList(views[:NAMESPACES_MAX], len(views))


def terminating_view(namespace: Namespace) -> TerminatingView:
    """Returns a namespace that is being deleted, with the reason why it still exists."""
    metadata = namespace.metadata
    return TerminatingView(
        metadata.name,
        metadata.resource_version,
        metadata.creation_timestamp or "",
        metadata.deletion_timestamp or "",
        _reason(namespace),
    )


def _reason(namespace: Namespace) -> str:
    conditions = namespace.status.conditions or ()
    messages = [each.message for each in conditions if each.status == "True" and each.message]
    finalizers = [*(namespace.metadata.finalizers or ()), *(namespace.spec.finalizers or ())]
    return "; ".join(messages) or waits_for(finalizers)


ROUTES = (
    Route(
        "GET",
        "/terminating",
        terminating,
        "The namespaces that are being deleted, with the reason why they still exist.",
        answer=TerminatingList,
    ),
)
