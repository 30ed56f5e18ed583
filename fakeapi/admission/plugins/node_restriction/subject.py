"""Subject: a write by a kubelet, for the checks of NodeRestriction."""

from dataclasses import dataclass

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.server import Server
from fakeapi.releases.node_quirks import NodeQuirks


@dataclass(frozen=True, slots=True)
class Subject:
    """A write by a kubelet. `node`: the name of the kubelet's cluster node. `attributes`: the write."""

    node: str
    attributes: Attributes
    server: Server
    quirks: NodeQuirks

    @property
    def operation(self) -> Operation:
        return self.attributes.operation

    @property
    def subresource(self) -> str:
        return self.attributes.subresource

    @property
    def new(self) -> Object:
        return self.attributes.new_object()

    @property
    def old(self) -> Object:
        """The stored object of an update or a delete. Raises AssertionError for a create."""
        assert self.attributes.old is not None, "there is an object to update or to delete"
        return self.attributes.old

    @property
    def quoted(self) -> str:
        return quote(self.node)

    def forbidden(self, why: str) -> ApiError:
        return self.attributes.forbidden(why)

    def unexpected(self) -> ApiError:
        return self.forbidden(f"unexpected operation {quote(self.operation.value)}")

    def has_gate(self, name: str) -> bool:
        return self.attributes.resource.release.gates.get(name, False)

    def get(self, resource: str, name: str, *, namespace: str = "", group: str = "") -> Object:
        """Returns a stored object. Raises ApiError 404 if the object does not exist.

        - `resource`: the plural name of the resource, such as "pods".
        - `namespace`: "" for a cluster-scoped resource.
        - `group`: the API group; "" for the core group.
        """
        obj = self.server.objects.get(group, resource, namespace, name)
        if obj is None:
            raise errors.not_found(Qualified(group, resource), name)
        return obj
