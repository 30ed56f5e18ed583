"""Which object, or which collection, a recorded request is about."""

from typing import NamedTuple
from urllib.parse import parse_qsl

from fakeapi.traces.model import Request

NAMESPACES = "namespaces"

_VERBS = {
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
    "GET": "get",
    "HEAD": "get",
}
_OF_A_NAMESPACE = frozenset({"status", "finalize"})


class Address(NamedTuple):
    """A path below /api or /apis, taken apart; `resource` is "" for any other path, and for discovery."""

    group: str = ""
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def kind(self) -> tuple[str, str]:
        """The same for every version of a resource."""
        return self.group, self.resource

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The same for every version, and every subresource, of an object."""
        return self.group, self.resource, self.namespace, self.name

    @property
    def collection(self) -> str:
        """The path that lists and creates."""
        scope = f"/namespaces/{self.namespace}" if self.namespace else ""
        return f"{self.root}{scope}/{self.resource}"

    @property
    def root(self) -> str:
        """The path of the version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def __str__(self) -> str:
        """As people name it: "resourceclaims ns/name"."""
        inside = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.resource} {inside}".strip()


NOWHERE = Address()


def locate(target: str) -> Address:
    """What the path of a target is about; NOWHERE for what is no resource."""
    parts = target.partition("?")[0].strip("/").split("/")
    if parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    elif parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    else:
        return NOWHERE
    if rest[0] == "watch" and len(rest) > 1:
        rest = rest[1:]
    namespace = ""
    if len(rest) > 2 and rest[0] == NAMESPACES and not (len(rest) == 3 and rest[2] in _OF_A_NAMESPACE):
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    return Address(group, version, rest[0], namespace, name, "/".join(rest[2:]))


def query_of(target: str) -> dict[str, str]:
    """The parameters; of repeated ones the first, as Kubernetes takes them."""
    return dict(reversed(parse_qsl(target.partition("?")[2], keep_blank_values=True)))


def verb_of(request: Request, address: Address, *, watch: bool) -> str:
    """As Kubernetes names it: get, list, watch, create, update, patch, delete, deletecollection."""
    if watch:
        return "watch"
    verb = _VERBS.get(request.method, request.method.lower())
    if not address.name and address.resource:
        return {"get": "list", "delete": "deletecollection"}.get(verb, verb)
    return verb
