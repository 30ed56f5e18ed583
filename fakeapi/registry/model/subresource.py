"""ServedSubresource: a subresource with its kind, its verbs and what answers it."""

from dataclasses import dataclass
from typing import Any

from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.definition import Connection, SubresourceAction


@dataclass(frozen=True, slots=True)
class ServedSubresource:
    """A served subresource with its own kind.

    `verbs` are sorted. `action` answers a POST, `connection` answers any method.
    """

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...]
    body_type: BodyType
    action: SubresourceAction[Any, Any] | None
    connection: Connection[Any, Any] | None
