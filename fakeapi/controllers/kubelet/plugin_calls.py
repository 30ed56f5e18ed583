"""The gRPC calls that register a DRA driver at its registration socket. Needs the extra `node`."""

from pathlib import Path

import grpc.aio

from fakeapi.controllers.kubelet.driver import Driver, PluginInfo
from fakeapi.controllers.kubelet.grpc_driver import GRPCDriver, call
from fakeapi.controllers.kubelet.messages import MESSAGES
from fakeapi.controllers.kubelet.socket_paths import UnreachableSocket

REGISTER_SECONDS = 5.0
"""Timeout, in seconds, of each gRPC call that registers a driver."""

_GET_INFO = "/pluginregistration.Registration/GetInfo"
_NOTIFY = "/pluginregistration.Registration/NotifyRegistrationStatus"


class Unreachable(Exception):
    """Raised if gRPC cannot reach a socket because of its path. The message is the reason."""


class NoAnswer(Exception):
    """Raised if a registration call fails. The message is the driver's error."""


async def info_of(path: Path) -> PluginInfo:
    """Requests the PluginInfo of the plugin at a registration socket.

    Raises Unreachable if gRPC cannot reach the socket, and NoAnswer if the call fails. Raises
    UnicodeEncodeError for a path that is not UTF-8.
    """
    try:
        info = await call(str(path), _GET_INFO, MESSAGES["InfoRequest"](), "PluginInfo", REGISTER_SECONDS)
    except UnreachableSocket as error:
        raise Unreachable(error.problem) from None
    except grpc.aio.AioRpcError as error:
        raise NoAnswer(error.details()) from None
    return PluginInfo(info.type, info.name, info.endpoint, tuple(info.supported_versions))


async def notify(path: Path, problem: str) -> str:
    """Notifies the plugin at a registration socket whether the kubelet accepted it.

    `problem`: the reason for a rejection; "" if the kubelet accepted the plugin. Returns the error if the
    call failed; "" otherwise.
    """
    status = MESSAGES["RegistrationStatus"](plugin_registered=not problem, error=problem)
    try:
        await call(str(path), _NOTIFY, status, "RegistrationStatusResponse", REGISTER_SECONDS)
    except grpc.aio.AioRpcError as error:
        return str(error.details())
    return ""


def driver_at(endpoint: str, info: PluginInfo, service: str) -> Driver:
    """Returns the driver at a socket. `service`: the gRPC service to call."""
    return GRPCDriver(info.name, endpoint, service, info.versions)
