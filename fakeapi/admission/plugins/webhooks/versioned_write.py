"""VersionedWrite: a write whose objects are available in the API version of a webhook or policy.

Follows k8s.io/apiserver `pkg/admission/conversion.go`.
"""

from fakeapi.admission.admission_request import before_creation
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.empty_values import without_omitted_lists
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import complete


class VersionedWrite:
    """The objects of a write. Mutating webhooks and policies may replace the new object.

    `in_hub`: True if the objects are in the internal version, as in validating admission; False if they are
    in the API version of the request.
    """

    def __init__(self, attributes: Attributes, *, in_hub: bool) -> None:
        self.attributes = attributes
        self._in_hub = in_hub
        self._resource = attributes.resource

    @property
    def has_own_type(self) -> bool:
        """Whether the objects are of another kind than the resource, such as Scale or Eviction."""
        attributes = self.attributes
        return attributes.is_of_scales or attributes.subresource in self._resource.definition.actions

    def new_in(self, resource: Resource) -> Object | None:
        """Returns the new object in the API version of `resource`; None for a delete."""
        obj = self.attributes.obj
        if obj is None:
            return None
        versioned = self._shown(obj, resource)
        is_new = self.attributes.operation is Operation.CREATE and not self._in_hub
        return before_creation(versioned, resource.schema) if is_new and not self.has_own_type else versioned

    def old_in(self, resource: Resource) -> Object | None:
        """Returns the stored object in the API version of `resource`; None for a create."""
        old = self.attributes.old
        return None if old is None else self._shown(old, resource)

    def _shown(self, obj: Object, resource: Resource) -> Object:
        if self.has_own_type or "metadata" not in obj:
            return obj
        # In a delete, the object is the stored object, which has the internal version.
        own = self._resource
        is_hub = self._in_hub or self.attributes.operation is Operation.DELETE
        if resource.kind.unstructured:  # Custom objects have no internal version.
            obj = _converted(obj, own, resource)
        elif is_hub or resource is not own:
            obj = resource.from_hub(obj if is_hub else own.to_hub(obj))
        obj = without_omitted_lists(obj, resource.schema)
        typed = {"kind": resource.kind.kind, "apiVersion": resource.api_version}
        return {**typed, **obj, **typed}

    def schema(self, resource: Resource) -> Struct:
        """Returns the schema of the write's objects in the API version of `resource`."""
        return self._body_type(resource).kind.schema

    def document(self, obj: Object, resource: Resource) -> Object:
        """Returns the object with its RawExtension values as compact JSON, like Go's encoding/json.

        `resource`: the resource in the API version of the object.
        """
        if self.attributes.operation is Operation.CONNECT:
            return obj
        document: Object = raw_extension.mapped(obj, self.schema(resource), raw_extension.compact)
        return document

    def replace(self, document: Object, resource: Resource) -> None:
        """Replaces the new object of the write with a patched document in the API version of `resource`.

        Raises DecodeError if the document is not a valid object. Raises Rerun if the server must call a
        conversion webhook first.
        """
        self.put(self.read(document, resource), resource)

    def read(self, document: Object, resource: Resource) -> Object:
        """Decodes a patched document in the API version of `resource`, and sets its defaults.

        Raises DecodeError if the document is not a valid object.
        """
        if self.attributes.operation is Operation.CONNECT:
            return document
        body = self._body_type(resource)
        obj, _ = decode(document, body.kind.schema)
        obj = raw_extension.mapped(obj, body.kind.schema, raw_extension.marshalled)
        return complete(body, obj, document)

    def put(self, obj: Object, resource: Resource) -> None:
        """Replaces the new object of the write with `obj`, an object in the API version of `resource`.

        Converts `obj` to the API version of the request if the versions differ. Does not convert objects of
        subresources with their own type, such as Scale. Raises Rerun if the server must call a conversion
        webhook first.
        """
        if not self.has_own_type and self.attributes.operation is not Operation.CONNECT:
            if resource.kind.unstructured:
                obj = _converted(obj, resource, self._resource)
            elif resource is not self._resource:
                obj = self._resource.from_hub(resource.to_hub(obj))
        self.attributes.obj = obj

    def _body_type(self, resource: Resource) -> BodyType:
        attributes = self.attributes
        if attributes.is_of_scales:
            return resource.scales.body_type
        if self.has_own_type:
            return resource.subresources[attributes.subresource].body_type
        return resource.body_type


def _converted(obj: Object, source: Resource, target: Resource) -> Object:
    """Converts a custom object from the API version of `source` to the API version of `target`.

    Raises Rerun if the server must call the conversion webhook first.
    """
    result = source.versions.convert(obj, target.api_version)
    return obj if result is None else result[0]


def plain(obj: Object | None) -> Object | None:
    """Returns a copy of an object in which all values are plain JSON types; None for None.

    Encodes the object to JSON and decodes it again.
    """
    if obj is None:
        return None
    decoded: Object = codec.decode(codec.encode(obj))
    return decoded
