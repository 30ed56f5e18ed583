"""Runs the handlers of probes and hooks that use the network: httpGet, tcpSocket and grpc."""

import asyncio
import ssl
from contextlib import suppress

from fakeapi.controllers.kubelet.containers.runtime import ProbeResult
from fakeapi.controllers.kubelet.processes.networks import HOST, Network
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.protobuf_wire import encode_varint

OUTPUT_BYTES_MAX = 10 * 1024
"""Maximum number of bytes of a probe's output, as in k8s.io/kubernetes `pkg/probe`."""
_SERVING = 1


def port_of(port: object, container: Object) -> int | None:
    """Returns a port's number; None for an unknown name. `port`: a number, or the name of a container
    port.
    """
    if isinstance(port, int):
        return port
    numbers = {entry.get("name"): entry["containerPort"] for entry in container.get("ports") or ()}
    text = str(port)
    number = numbers.get(text)
    return int(text) if number is None and text.isdecimal() else number


async def probe_network(handler: Object, container: Object, network: Network) -> ProbeResult:
    """Runs a probe's or hook's network handler once and returns the result.

    Follows k8s.io/kubernetes `pkg/probe`.
    """
    for kind, run in (("httpGet", _get), ("tcpSocket", _connect), ("grpc", _check_health)):
        if kind in handler:
            port = port_of(handler[kind]["port"], container)
            if port is None:
                return ProbeResult(is_success=False, output=f"couldn't find port: {handler[kind]['port']}")
            return await run(handler[kind], port, network)
    return ProbeResult(is_success=False, output="missing probe handler")


async def _connect(handler: Object, port: int, network: Network) -> ProbeResult:
    try:
        _, writer = await _dial(handler, port, network)
    except OSError as error:
        return ProbeResult(is_success=False, output=f"dial tcp {HOST}:{port}: {error.strerror or error}")
    writer.close()
    return ProbeResult(is_success=True)


async def _get(handler: Object, port: int, network: Network) -> ProbeResult:
    scheme, path = handler.get("scheme", "HTTP"), handler.get("path") or "/"
    host = handler.get("host") or HOST
    url = f"{scheme.lower()}://{host}:{port}{path}"
    headers = {"Host": f"{host}:{port}", "User-Agent": "kube-probe/1", "Accept": "*/*", "Connection": "close"}
    headers |= {entry["name"]: entry["value"] for entry in handler.get("httpHeaders") or ()}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
    try:
        tls = _any_certificate() if scheme == "HTTPS" else None
        reader, writer = await _dial(handler, port, network, tls)
    except (OSError, ssl.SSLError) as error:
        return ProbeResult(is_success=False, output=f'Get "{url}": {error}')
    try:
        writer.write("\r\n".join(lines).encode("utf-8", "replace"))
        answer = (await reader.read(OUTPUT_BYTES_MAX)).decode("latin-1")
    except (OSError, ssl.SSLError) as error:
        return ProbeResult(is_success=False, output=f'Get "{url}": {error}')
    finally:
        with suppress(OSError):
            writer.close()
    words = answer.split(maxsplit=2)
    code = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 0
    if 200 <= code < 400:
        return ProbeResult(is_success=True)
    return ProbeResult(is_success=False, output=f"HTTP probe failed with statuscode: {code}")


async def _dial(
    handler: Object, port: int, network: Network, tls: ssl.SSLContext | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to the handler's host, or to the container if the handler has no host.

    Raises OSError if the connection fails.
    """
    if handler.get("host"):
        return await asyncio.open_connection(handler["host"], port, ssl=tls)
    return await network.connect(port, tls)


def _any_certificate() -> ssl.SSLContext:
    """Returns a TLS context that accepts every certificate.

    Kubernetes does not verify certificates in probes.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def _check_health(handler: Object, port: int, network: Network) -> ProbeResult:
    """Runs a grpc probe: calls grpc.health.v1.Health/Check and returns the result."""
    try:
        import grpc.aio  # noqa: PLC0415 - only for grpc probes
    except ImportError:
        return ProbeResult(is_success=False, output="grpc probes need the extra `node` (grpcio)")
    service = (handler.get("service") or "").encode()
    request = b"\x0a" + encode_varint(len(service)) + service if service else b""
    async with grpc.aio.insecure_channel(f"{HOST}:{network.local_port(port)}") as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        try:
            answer: bytes = await check(request)
        except grpc.aio.AioRpcError as error:
            return ProbeResult(is_success=False, output=f"service unhealthy: {error.details()}")
    is_serving = answer[:2] == bytes((0x08, _SERVING))
    return ProbeResult(
        is_success=is_serving, output="" if is_serving else 'service unhealthy (responded with "NOT_SERVING")'
    )
