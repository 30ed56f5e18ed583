"""Subresources that connect to a kubelet, a container or an endpoint: log, exec, attach, portforward, proxy.

The checks before the connection follow k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`,
`pkg/registry/core/node/strategy.go` and `pkg/registry/core/service/storage`. The kubelets of the server
handle log, exec, attach and portforward. Other requests that pass the checks get 501.
"""

import ipaddress
from collections.abc import Iterator, Mapping

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.golang import times
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import Connection
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.node_connections import Connected, ConnectedLog, LogOptions, PodConnections
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.server import Server
from fakeapi.registry.stored import form as stored_form

_SCHEMES = ("", "http", "https")
_CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


async def log(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> ConnectedLog | None:
    """Handles `pods/log`. Returns the log of the container; None for a pod without a node.

    Raises ApiError:

    - 400: the container name is invalid
    - 400 or 422: the options are invalid
    - 404: the pod or its node does not exist
    - 501: no kubelet of this server runs the pod
    """
    wanted = _log_options(options, server.store.clock.now())
    problems = list(_log_errors(options))
    if problems:
        raise errors.invalid(Qualified("", "PodLogOptions"), target.name, problems)
    pod = _pod(server, resource, target)
    name = options.get("container", "")
    _check_container(pod, name)
    if not pod["spec"].get("nodeName"):
        return None
    kubelet = _kubelet(server, pod, f"log of pod {quote(target.name)}")
    return ConnectedLog(kubelet, name or pod["spec"]["containers"][0]["name"], wanted)


async def execute(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> Connected:
    """Handles `pods/exec` and `pods/attach`. Returns the containers of the pod. Raises ApiError:

    - 400: the pod has no node, or the container name is invalid
    - 404: the pod or its node does not exist
    - 501: no kubelet of this server runs the pod
    """
    pod = _pod(server, resource, target)
    name = options.get("container", "")
    _check_container(pod, name)
    kubelet = _kubelet_on_node(server, pod, target)
    return Connected(kubelet, name or pod["spec"]["containers"][0]["name"])


async def forward_ports(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> Connected:
    """Handles `pods/portforward`. Returns the containers of the pod. Raises ApiError:

    - 400: the pod has no node
    - 404: the pod or its node does not exist
    - 501: no kubelet of this server runs the pod
    """
    return Connected(_kubelet_on_node(server, _pod(server, resource, target), target))


async def proxy_pod(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> None:
    """Handles `pods/proxy`. Always raises ApiError:

    - 400: the name is invalid, or the pod has no globally routable IP address
    - 404: the pod does not exist
    - 501: any other pod
    """
    name, _ = _name_and_port(target.name, "pod")
    pod = _pod(server, resource, ObjectReference(target.namespace, name))
    addresses = pod["status"].get("podIPs") or [{}]
    if not _is_global_unicast(addresses[0].get("ip", "")):
        raise errors.bad_request("address not allowed")
    raise _unreachable(f"pod {quote(name)}")


async def proxy_node(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> None:
    """Handles `nodes/proxy`. Always raises ApiError:

    - 400: the name is invalid
    - 404: the node does not exist
    - 501: any other node
    """
    name, _ = _name_and_port(target.name, "node")
    server.store.get(resource, ObjectReference(name=name))
    raise _unreachable(f"node {quote(name)}")


async def proxy_service(
    server: Server, resource: Resource, target: ObjectReference, options: Mapping[str, str]
) -> None:
    """Handles `services/proxy`. Always raises ApiError:

    - 400: the name is invalid
    - 404: the Service or its Endpoints do not exist
    - 503: the Service lacks the port, or has no endpoints
    - 501: any other Service
    """
    name, port = _name_and_port(target.name, "service")
    if port.isdecimal():
        reference = ObjectReference(target.namespace, name)
        service = stored_form.decode(server.store.get(resource, reference), resource.hub_schema)
        ports = service["spec"].get("ports") or ()
        if all(service_port["port"] != int(port) for service_port in ports):
            raise _unavailable(f"no service port {int(port)} found for service {quote(name)}")
    endpoints = server.find("", "v1", "endpoints")
    stored = None
    if endpoints is not None:
        entry = server.store.get(endpoints, ObjectReference(target.namespace, name))
        stored = stored_form.decode(entry, endpoints.hub_schema)
    if stored is None or not any(subset.get("addresses") for subset in stored.get("subsets") or ()):
        raise _unavailable(f"no endpoints available for service {quote(name)}")
    raise _unreachable(f"service {quote(name)}")


POD_CONNECTIONS: Mapping[str, Connection[Server, Resource]] = {
    "log": log,
    "exec": execute,
    "attach": execute,
    "portforward": forward_ports,
    "proxy": proxy_pod,
}


def _pod(server: Server, resource: Resource, target: ObjectReference) -> Object:
    reference = ObjectReference(target.namespace, target.name)
    return stored_form.decode(server.store.get(resource, reference), resource.hub_schema)


def _check_container(pod: Object, name: str) -> None:
    """Raises ApiError 400 if the pod does not have a container with this name.

    `name`: the name of the container. "" is valid only for a pod with one container.
    """
    pod_name, containers = pod["metadata"]["name"], pod["spec"]["containers"]
    names = [container["name"] for key in _CONTAINER_LISTS for container in pod["spec"].get(key) or ()]
    if name:
        if name not in names:
            raise errors.bad_request(f"container {name} is not valid for pod {pod_name}")
    elif len(containers) > 1:
        raise errors.bad_request(
            f"a container name must be specified for pod {pod_name}, choose one of: [{' '.join(names)}]"
        )


def _log_errors(options: Mapping[str, str]) -> Iterator[FieldError]:
    for name, least, why in (
        ("tailLines", 0, "must be greater than or equal to 0"),
        ("limitBytes", 1, "must be greater than 0"),
    ):
        number = _number(options, name)
        if number is not None and number < least:
            yield invalid(name, number, why)
    since = _number(options, "sinceSeconds")
    if since is not None and options.get("sinceTime"):
        yield forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")
    elif since is not None and since < 1:
        yield invalid("sinceSeconds", since, "must be greater than 0")


def _number(options: Mapping[str, str], name: str) -> int | None:
    text = options.get(name, "")
    try:
        return parse_int(text) if text else None
    except ValueError as error:
        raise errors.bad_request(str(error)) from None


def _log_options(options: Mapping[str, str], now: float) -> LogOptions:
    """Returns the options of a log. Raises ApiError 400 if a number or a time is invalid."""
    seconds, since = _number(options, "sinceSeconds"), None
    if seconds is not None:
        since = now - seconds
    elif options.get("sinceTime"):
        try:
            text = times.canonical(options["sinceTime"])
        except ValueError as error:
            raise errors.bad_request(str(error)) from None
        since = None if text is None else times.seconds_of(text)
    flags = {name: options.get(name, "").lower() not in {"", "0", "false"} for name in _LOG_FLAGS}
    return LogOptions(
        **flags,
        since=since,
        tail=_number(options, "tailLines"),
        limit=_number(options, "limitBytes"),
        stream=options.get("stream") or "All",
    )


_LOG_FLAGS = ("follow", "previous", "timestamps")


def _kubelet_on_node(server: Server, pod: Object, target: ObjectReference) -> PodConnections:
    if not pod["spec"].get("nodeName"):
        raise errors.bad_request(f"pod {target.name} does not have a host assigned")
    return _kubelet(server, pod, f"{target.subresource} of pod {quote(target.name)}")


def _kubelet(server: Server, pod: Object, what: str) -> PodConnections:
    """Returns the containers of a pod, from the kubelet of its node.

    Raises ApiError 404 if the pod's node does not exist, and ApiError 501 if this server does not run the
    kubelet of this node. `what`: the requested connection, for the error message, such as `log of pod "a"`
    """
    connections = None if server.kubelets is None else server.kubelets.connections(pod)
    if connections is not None:
        return connections
    nodes = server.find("", "v1", "nodes")
    if nodes is not None:
        server.store.get(nodes, ObjectReference(name=pod["spec"]["nodeName"]))
    raise _unreachable(what)


def _unreachable(what: str) -> ApiError:
    return ApiError(501, "NotImplemented", f"this API server has no kubelet to connect to: {what}")


def _unavailable(message: str) -> ApiError:
    return ApiError(503, "ServiceUnavailable", message)


def _name_and_port(text: str, what: str) -> tuple[str, str]:
    """Splits `name`, `name:port` or `scheme:name:port` into name and port. A missing port is "".

    `what`: the kind of the object, for the error message. Raises ApiError 400 for any other text.
    """
    parts = text.split(":")
    scheme = parts[0] if len(parts) == 3 else ""
    name, port = (*(parts[1:] if len(parts) == 3 else parts), "")[:2]
    if len(parts) > 3 or not name or scheme not in _SCHEMES:
        raise errors.bad_request(f"invalid {what} request {quote(text)}")
    return name, port


def _is_global_unicast(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    is_broadcast = str(address) == "255.255.255.255"
    return not (
        is_broadcast
        or address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )
