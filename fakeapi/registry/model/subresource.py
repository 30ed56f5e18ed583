"""ServedSubresource: a subresource with its kind, its verbs and its request handlers."""

from typing import Any

import msgspec

from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.definition import Connection, SubresourceAction


class ServedSubresource(msgspec.Struct, frozen=True):
    """A served subresource, and the kind of its objects.

    - `verbs`: the allowed verbs, sorted.
    - `action`: handles a POST; None if the subresource has no action.
    - `connection`: handles requests with any HTTP method; None if the subresource does not connect to a node
      or container.
    """

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...]
    body_type: BodyType
    action: SubresourceAction[Any, Any] | None
    connection: Connection[Any, Any] | None
