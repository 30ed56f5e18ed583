"""ServedSubresource: a subresource with its kind, its verbs and its request handlers."""

from dataclasses import dataclass
from typing import Any

from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.definition import Connection, SubresourceAction


@dataclass(frozen=True, slots=True)
class ServedSubresource:
    """A served subresource, and the kind of its objects.

    `verbs`: the verbs in sorted order.
    `action`: handles a POST; None if the subresource has no action.
    `connection`: handles requests with any method; None for subresources that do not connect.
    """

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...]
    body_type: BodyType
    action: SubresourceAction[Any, Any] | None
    connection: Connection[Any, Any] | None
