"""Responses of the subresources that connect a client to a container: log, exec, attach and portforward."""

from fakeapi.http.connections import tunnel
from fakeapi.http.connections.logs import respond_log
from fakeapi.http.connections.port_forward import PortForwardResponse
from fakeapi.http.connections.remote_command import RemoteCommandResponse
from fakeapi.http.connections.sockets import chosen_protocol
from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse
from fakeapi.registry.node_connections import Connected, ConnectedLog


def respond_connected(ctx: RequestContext, connected: Connected | ConnectedLog) -> AnyResponse:
    """Returns the response that connects the client to a container.

    Raises ApiError 400 for a container without a log and for invalid options. Except for a log, raises
    ApiError 400 or 501 if the request does not open a WebSocket.
    """
    if isinstance(connected, ConnectedLog):
        return respond_log(connected)
    websocket = ctx.request.websocket
    if ctx.object.subresource == "portforward":
        if websocket is not None and tunnel.PROTOCOL in websocket.protocols:
            return tunnel.TunnelResponse.of(ctx, connected)
        return PortForwardResponse.of(ctx, connected)
    return RemoteCommandResponse.of(ctx, connected)


__all__ = ["chosen_protocol", "respond_connected"]
