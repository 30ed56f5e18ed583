"""Attributes: the description of a write that admission plugins receive."""

from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec

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
    """The operation of a write. The values are the names in the rules of webhooks and policies."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


class Attributes(msgspec.Struct):
    """A write as admission steps receive it, before it is stored.

    For mutating steps, objects are in the API version of the request. For validating steps, objects are in
    the internal version.

    - `obj`: the new object in canonical form; None for a delete. Only mutating steps may change `obj`.
    - `old`: the stored object in canonical form; None for a create or a CONNECT.
    - `created_name`: the name in the body of a create. It stays if a webhook renames the object.
    - `reinvocation`: data for the second round of mutating steps; None until a step creates it.

    For a subresource such as `binding`, `obj` is the request body. For `scale`, `obj` and `old` are Scales.
    For a CONNECT, `obj` is the options object, such as PodExecOptions.
    """

    operation: Operation
    resource: "Resource"
    target: ObjectReference
    obj: Object | None
    old: Object | None
    options: WriteOptions | DeleteOptions
    warnings: Warnings = msgspec.field(default_factory=Warnings)
    reinvocation: Reinvocation | None = None
    created_name: str = ""

    @classmethod
    def of(
        cls,
        request: "WriteRequest[Any, Resource]",
        operation: Operation,
        obj: Object | None,
        old: Object | None,
    ) -> "Attributes":
        """Returns the attributes of a create or an update.

        `request`: contains the resource, target, options and warnings.
        """
        return cls(
            operation,
            request.resource,
            request.target,
            obj,
            old,
            request.options,
            request.warnings,
            created_name=request.created_name,
        )

    @property
    def subresource(self) -> str:
        return self.target.subresource

    @property
    def is_of_scales(self) -> bool:
        """Whether `obj` and `old` are Scales, because the write is to the subresource scale."""
        return self.subresource == SCALE

    @property
    def namespace(self) -> str:
        return self.target.namespace

    @property
    def name(self) -> str:
        """The name of the object; "" if the server has not generated it yet, or if the request deletes a
        collection.
        """
        name = self.requested_name
        if name or self.obj is None:
            return name
        generated: str = self.obj["metadata"].get("name", "")
        return generated

    @property
    def requested_name(self) -> str:
        """The name in the path or in the body of the request; "" for a create with generateName."""
        return self.target.name or self.created_name

    @property
    def user(self) -> User:
        return self.options.user

    @property
    def dry_run(self) -> bool:
        return self.options.dry_run

    def new_object(self) -> Object:
        """Returns `obj`, the new object of a write. Raises AssertionError for a delete."""
        assert self.obj is not None, "a delete has no new object"
        return self.obj

    def forbidden(self, why: str, *causes: Cause) -> ApiError:
        """Returns ApiError 403 for the write, like `NewForbidden` of k8s.io/apiserver `pkg/admission`."""
        return errors.forbidden(self.resource.qualified, self.name or self._generated_name(), why, *causes)

    def _generated_name(self) -> str:
        meta = (self.obj or {}).get("metadata", {})
        return meta.get("generateName") or "Unknown"
