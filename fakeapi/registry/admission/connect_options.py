"""Creates the options of CONNECT requests, such as PodExecOptions, which admission plugins receive.

Follows k8s.io/api `core/v1` and the conversion of query parameters in k8s.io/apimachinery `pkg/runtime`.
"""

from typing import Protocol

from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.json_types import Object

_STREAMS = ("stdin", "stdout", "stderr", "tty")
_KINDS = frozenset(
    (
        "PodExecOptions",
        "PodAttachOptions",
        "PodPortForwardOptions",
        "PodProxyOptions",
        "ServiceProxyOptions",
        "NodeProxyOptions",
    )
)


class Parameters(Protocol):
    """The query parameters of a request."""

    def all(self, name: str) -> list[str]:
        """Returns all values of a query parameter; [] if the request does not have the parameter."""
        ...


def connect_options(kind: str, parameters: Parameters, tail: str) -> Object | None:
    """Returns the options object of a CONNECT request; None if `kind` is not a kind of CONNECT options.

    - `kind`: the kind of the options, for example PodExecOptions.
    - `tail`: the rest of the URL path after `/proxy`.
    """
    if kind not in _KINDS:
        return None
    options: Object = {"kind": kind, "apiVersion": "v1"}
    if kind in ("PodExecOptions", "PodAttachOptions"):
        options |= {name: True for name in _STREAMS if _flag(parameters.all(name))}
        if container := "".join(parameters.all("container")[:1]):
            options["container"] = container
    if kind == "PodExecOptions":
        options["command"] = parameters.all("command") or None
    if kind == "PodPortForwardOptions" and (ports := _ports(parameters.all("ports"))):
        options["ports"] = ports
    if kind.endswith("ProxyOptions") and tail:
        options["path"] = f"/{tail.lstrip('/')}"
    return options


def _flag(values: list[str]) -> bool:
    return bool(values) and values[0] != "0" and values[0].lower() != "false"


def _ports(values: list[str]) -> list[int]:
    """Returns the port numbers in the values of the `ports` parameter; skips texts that are not numbers."""
    ports = []
    for text in ",".join(values).split(","):
        try:
            ports.append(parse_int(text))
        except ValueError:
            continue
    return ports
