"""Holds the network namespace of a pod, and opens sockets in it for the server."""

import fcntl
import json
import socket
import struct
from typing import Any

from fakeapi.controllers.kubelet.processes.launcher.supervisor import Control

CONNECT_SECONDS = 5.0
"""Maximum seconds to connect to a program of the pod."""
_HOST = "127.0.0.1"
_SIOCSIFADDR, _SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8916, 0x8913, 0x8914
_IFF_UP = 1


def hold(control: Control, spec: dict[str, Any], pid: int) -> None:
    """Prepares the network namespace of this process, and serves the server's requests until the server
    closes the socket.

    The first answer contains a socket that listens at `spec["port"]`. For each request, the answer contains a
    socket connected to a port of the pod. Raises OSError if the namespace cannot be prepared.
    """
    _bring_up(spec["pod_ip"])
    with socket.create_server((_HOST, spec["port"]), backlog=128) as listener:
        _send(control, listener, {"started": pid})
    while (message := control.read()) is not None:
        try:
            with socket.create_connection((_HOST, message["connect"]), CONNECT_SECONDS) as connection:
                connection.settimeout(None)
                _send(control, connection, {"connected": True})
        except OSError as error:
            control.send(error=error.strerror or str(error))


def _bring_up(pod_ip: str) -> None:
    """Brings the loopback interface up, and adds the pod's IP address to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(handle, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(handle, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | _IFF_UP, b""))
        try:
            packed = socket.inet_aton(pod_ip)
        except OSError:  # the pod IP is IPv6 or empty
            return
        address = struct.pack("16sHH4s8s", b"lo:1", socket.AF_INET, 0, packed, b"")
        fcntl.ioctl(handle, _SIOCSIFADDR, address)


def _send(control: Control, opened: socket.socket, message: dict[str, Any]) -> None:
    socket.send_fds(control.connection, [json.dumps(message).encode() + b"\n"], [opened.fileno()])
