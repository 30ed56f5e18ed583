"""Attributes: the description of a write that an admission step receives."""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Cause
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.reinvocation import Reinvocation
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.scale import SCALE
from fakeapi.registry.requests.options import DeleteOptions, ObjectReference, Warnings, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource


class Operation(Enum):
    """The operation of a write, with the names that webhooks and policies use."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


@dataclass(slots=True)
class Attributes:
    """A write before it is stored.

    `obj` is None for a delete, `old` is None for a create; both are canonical. For mutating steps both are in
    the version of the request, and a step may change or replace `obj`. For validating steps both are in the
    hub, and must not be changed. For an action of a subresource, `obj` is the body, in the subresource's own
    kind; for the subresource `scale`, both are Scales. `reinvocation` is the state for a second round of
    mutating steps; None until a step may ask for one.
    """

    operation: Operation
    resource: "Resource"
    target: ObjectReference
    obj: Object | None
    old: Object | None
    options: WriteOptions | DeleteOptions
    warnings: Warnings = field(default_factory=Warnings)
    reinvocation: Reinvocation | None = None

    @classmethod
    def of(
        cls,
        request: "WriteRequest[Any, Resource]",
        operation: Operation,
        obj: Object | None,
        old: Object | None,
    ) -> "Attributes":
        """Returns the attributes of a create or an update."""
        return cls(operation, request.resource, request.target, obj, old, request.options, request.warnings)

    @property
    def subresource(self) -> str:
        return self.target.subresource

    @property
    def is_of_scales(self) -> bool:
        """Whether `obj` and `old` are Scales."""
        return self.subresource == SCALE

    @property
    def namespace(self) -> str:
        return self.target.namespace

    @property
    def name(self) -> str:
        """The name of the object; empty until the server generates one."""
        if self.target.name or self.obj is None:
            return self.target.name
        name: str = self.obj["metadata"].get("name", "")
        return name

    @property
    def user(self) -> User:
        return self.options.user

    @property
    def dry_run(self) -> bool:
        return self.options.dry_run

    def new_object(self) -> Object:
        """Returns `obj`, the new object of a create or an update."""
        assert self.obj is not None, "a delete has no new object"
        return self.obj

    def forbidden(self, why: str, *causes: Cause) -> ApiError:
        """Returns the ApiError 403 that refuses the write, as `NewForbidden` of upstream's admission."""
        return errors.forbidden(self.resource.qualified, self.name or self._generated_name(), why, *causes)

    def _generated_name(self) -> str:
        meta = (self.obj or {}).get("metadata", {})
        return meta.get("generateName") or "Unknown"
