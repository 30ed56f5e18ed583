"""Opens connections to the endpoints of webhooks and of aggregated API servers.

The error messages for failed connections equal the messages of Go's net/http.
"""

import asyncio
import os
import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fakeapi.outbound.certificates import handshake_problem, name_problem
from fakeapi.registry.webhooks.transport import Endpoint, Unreachable

_PORTS = {"https": 443, "http": 80}
_RESOLVER = Path("/etc/resolv.conf")


@dataclass(frozen=True, slots=True)
class Place:
    """The address of an endpoint and the CA certificates that verify it.

    - `host`, `port`: the address to connect to.
    - `server_name`: the name that the server's certificate must contain.
    - `authority`: the CA certificates in PEM; b"" for the CA certificates of the system.
    """

    scheme: str
    host: str
    port: int
    server_name: str
    authority: bytes


def place_of(endpoint: Endpoint) -> tuple[Place, str]:
    """Returns the address of an endpoint, and the value of the header Host."""
    parts = urlsplit(endpoint.url)
    name = parts.hostname or ""
    scheme, host, port = endpoint.dial or (parts.scheme, name, parts.port or _PORTS.get(parts.scheme, 0))
    return Place(scheme, host, port, name, endpoint.authority), parts.netloc


async def connected(
    place: Place, context: ssl.SSLContext | None, *, verify: bool = True
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Opens a connection, with TLS if `context` is not None.

    - `context`: decides whether the chain of the server's certificate must be valid.
    - `verify`: whether the certificate must be valid for the name of the server.

    Raises Unreachable if the server cannot be reached or its certificate is not trusted.
    """
    try:
        reader, writer = await asyncio.open_connection(
            place.host, place.port, ssl=context, server_hostname=place.server_name if context else None
        )
    except ssl.SSLError as error:
        raise Unreachable(handshake_problem(error)) from error
    except socket.gaierror as error:
        raise Unreachable(f"dial tcp: lookup {place.host}{_resolver()}: no such host") from error
    except ConnectionResetError as error:
        raise Unreachable("EOF") from error
    except OSError as error:
        raise Unreachable(_dial_problem(place, error)) from error
    if context is not None and verify:
        certificate = writer.get_extra_info("ssl_object").getpeercert()
        problem = name_problem(certificate, place.server_name)
        if problem:
            writer.transport.abort()
            raise Unreachable(problem)
    return reader, writer


def _dial_problem(place: Place, error: OSError) -> str:
    host = f"[{place.host}]" if ":" in place.host else place.host
    number = error.errno or next(iter(_errors_in(error)), 0)
    why = os.strerror(number).lower() if number else str(error)
    return f"dial tcp {host}:{place.port}: connect: {why}"


def _errors_in(error: OSError) -> list[int]:
    """Returns the errno values in the message of an OSError, in order.

    If a connection to several addresses fails, asyncio joins their errors: "[Errno 111] …, [Errno 113] …".
    """
    return [int(number) for number in re.findall(r"\[Errno (\d+)\]", str(error))]


def _resolver() -> str:
    """Returns the part of Go's error message about the DNS server, such as " on 10.0.0.2:53".

    This is the first name server in /etc/resolv.conf. Returns "" without a name server.
    """
    try:
        lines = _RESOLVER.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    servers = (line.split()[1] for line in lines if line.startswith("nameserver") and len(line.split()) > 1)
    server = next(servers, "")
    return f" on {server}:53" if server else ""
