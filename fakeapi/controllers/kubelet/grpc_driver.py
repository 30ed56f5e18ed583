"""GRPCDriver: calls a DRA driver at a Unix socket over gRPC, as the release's kubelet does.

Imports grpc and protobuf, which the extra `node` installs.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from fakeapi.controllers.kubelet.driver import (
    CALL_SECONDS,
    PREPARE,
    UNPREPARE,
    Claim,
    ClaimResult,
    Driver,
    DriverError,
    PreparedDevice,
    Stop,
    check_count,
    checked_results,
    prepared_devices,
)
from fakeapi.controllers.kubelet.health import HealthReport
from fakeapi.controllers.kubelet.messages import MESSAGES
from fakeapi.controllers.kubelet.services import NEW_SERVICES, OLD_BATCH, OLD_SINGLE
from fakeapi.controllers.kubelet.socket_paths import connectable
from fakeapi.machinery.schema import protobuf

RETRY_SECONDS = 5.0
"""Delay in seconds before the kubelet reopens an ended stream. Counts real time, not the server's clock."""


@dataclass(eq=False, slots=True)
class GRPCDriver(Driver):
    """A DRA driver at a Unix socket.

    - `endpoint`: the path of the driver's Unix socket.
    - `service`: the name of the gRPC service to call; `OLD_BATCH` before 1.31.
    - `offered`: the gRPC services that the driver registered.
    """

    name: str
    endpoint: str
    service: str
    offered: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return self.endpoint

    async def prepare(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        if self.service == OLD_BATCH:
            return await self._prepare_old(claims)
        request = MESSAGES["PrepareRequest"](claims=[_claim(claim) for claim in claims])
        method = f"{NEW_SERVICES[self.service]}{PREPARE}"
        answer = await self._call(method, request, "PrepareResponse", PREPARE)
        return prepared_devices(_results(answer), claims)

    async def unprepare(self, claims: Sequence[Claim]) -> None:
        if self.service == OLD_BATCH:
            await self._unprepare_old(claims)
            return
        request = MESSAGES["UnprepareRequest"](claims=[_claim(claim) for claim in claims])
        method = f"{NEW_SERVICES[self.service]}{UNPREPARE}"
        answer = await self._call(method, request, "UnprepareResponse", UNPREPARE)
        checked_results(_results(answer), claims, UNPREPARE)

    async def _prepare_old(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        request = MESSAGES["OldPrepareRequest"](claims=[_old_claim(claim) for claim in claims])
        try:
            answer = await self._call(f"{OLD_BATCH}{PREPARE}", request, "OldPrepareResponse", PREPARE)
        except _Unimplemented:
            return {claim.uid: await self._prepare_one(claim) for claim in claims}
        return prepared_devices(_results(answer), claims)

    async def _prepare_one(self, claim: Claim) -> list[PreparedDevice]:
        method = f"{OLD_SINGLE}NodePrepareResource"
        answer = await self._call(method, _one_claim(claim), "OnePrepared", "NodePrepareResource")
        devices = [PreparedDevice(tuple(answer.cdi_devices))]
        check_count("NodePrepareResource", claim, devices)
        return devices

    async def _unprepare_old(self, claims: Sequence[Claim]) -> None:
        request = MESSAGES["OldPrepareRequest"](claims=[_old_claim(claim) for claim in claims])
        try:
            answer = await self._call(f"{OLD_BATCH}{UNPREPARE}", request, "UnprepareResponse", UNPREPARE)
        except _Unimplemented:
            for claim in claims:
                method = f"{OLD_SINGLE}NodeUnprepareResource"
                await self._call(method, _one_claim(claim), "OneUnprepared", "NodeUnprepareResource")
            return
        checked_results(_results(answer), claims, UNPREPARE)

    async def _call(self, method: str, request: Any, response: str, name: str) -> Any:
        try:
            return await call(self.endpoint, method, request, response, CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED and self.service == OLD_BATCH:
                raise _Unimplemented from None
            raise DriverError("call_failed", method=name, problem=_words(error)) from None

    def watch_health(
        self,
        service: str,
        report: Callable[[Sequence[HealthReport]], None],
        forget: Callable[[], None],
        *,
        is_optional: bool,
    ) -> Stop:
        method = f"/{service}/NodeWatchResources"

        async def follow() -> None:
            while True:
                try:
                    request = MESSAGES["HealthRequest"]()
                    async for answer in stream(self.endpoint, method, request, "HealthResponse"):
                        report([_health(device) for device in answer.devices])
                except grpc.aio.AioRpcError as error:
                    if error.code() is grpc.StatusCode.UNIMPLEMENTED and is_optional:
                        return
                forget()
                await asyncio.sleep(RETRY_SECONDS)

        return _cancel(asyncio.ensure_future(follow()))

    def watch_resources(self, report: Callable[[Sequence[bytes]], None]) -> Stop:
        method = f"{OLD_BATCH}NodeListAndWatchResources"

        async def follow() -> None:
            while True:
                try:
                    request = MESSAGES["ResourcesRequest"]()
                    async for answer in stream(self.endpoint, method, request, "ResourcesResponse"):
                        report(list(answer.resources))
                except grpc.aio.AioRpcError as error:
                    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                        return
                except protobuf.ProtobufError:
                    pass
                else:
                    return
                await asyncio.sleep(RETRY_SECONDS)

        return _cancel(asyncio.ensure_future(follow()))


class _Unimplemented(Exception):
    """Raised if a driver for 1.30 or older does not implement a gRPC method."""


async def call(endpoint: str, method: str, request: Any, response: str, seconds: float) -> Any:
    """Calls a unary gRPC method at a Unix socket, with a timeout in seconds. Returns the response message.

    `response`: the name of the response's message class in MESSAGES. Raises grpc.aio.AioRpcError if the call
    fails.
    """
    async with _channel(endpoint) as channel:
        invoke = channel.unary_unary(
            method,
            request_serializer=type(request).SerializeToString,
            response_deserializer=MESSAGES[response].FromString,
        )
        return _readable(await invoke(request, timeout=seconds))


async def stream(endpoint: str, method: str, request: Any, response: str) -> AsyncIterator[Any]:
    """Yields the messages of a gRPC stream at a Unix socket until the driver ends the stream.

    `response`: the name of the messages' class in MESSAGES. Raises grpc.aio.AioRpcError if the call fails.
    """
    async with _channel(endpoint) as channel:
        invoke = channel.unary_stream(
            method,
            request_serializer=type(request).SerializeToString,
            response_deserializer=MESSAGES[response].FromString,
        )
        async for message in invoke(request):
            yield _readable(message)


@asynccontextmanager
async def _channel(endpoint: str) -> AsyncIterator[grpc.aio.Channel]:
    """Opens a gRPC channel to a Unix socket.

    Raises UnreachableSocket, a grpc.aio.AioRpcError, if the path is too long and cannot be replaced by a
    link.
    """
    with connectable(endpoint) as path:
        async with grpc.aio.insecure_channel(f"unix:{path}", options=_OPTIONS) as channel:
            yield channel


def _readable(message: Any) -> Any:
    """Returns a gRPC message unchanged. Raises grpc.aio.AioRpcError for None.

    Python's gRPC returns None for an undecodable message. Go's client reports an error instead.
    """
    if message is None:
        none = grpc.aio.Metadata()
        raise grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, none, none, details=_UNREADABLE)
    return message


_UNREADABLE = "grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data"

_OPTIONS = (("grpc.default_authority", "localhost"), ("grpc.use_local_subchannel_pool", 1))
"""Options of gRPC channels.

Go servers reject a socket path as authority, so the authority is localhost. A local subchannel pool keeps
tests from sharing connections.
"""


def _words(error: grpc.aio.AioRpcError) -> str:
    code = error.code().name.title().replace("_", "")
    return f"rpc error: code = {code} desc = {error.details()}"


def _results(answer: Any) -> Iterator[tuple[str, ClaimResult]]:
    """Yields the uid of the claim and the result of each entry in a response."""
    for entry in answer.claims:
        result = entry.value
        devices = [
            PreparedDevice(
                tuple(device.cdi_device_ids),
                tuple(device.request_names),
                device.pool_name,
                device.device_name,
                device.share_id,
            )
            for device in getattr(result, "devices", ())
        ]
        if hasattr(result, "cdi_devices"):  # Responses up to 1.30 have this field.
            devices.append(PreparedDevice(tuple(result.cdi_devices)))
        yield entry.key, ClaimResult(devices, result.error)


def _health(message: Any) -> HealthReport:
    return HealthReport(
        message.device.pool_name,
        message.device.device_name,
        message.health,
        message.message,
        float(message.health_check_timeout_seconds),
    )


def _cancel(task: "asyncio.Task[None]") -> Stop:
    def stop() -> None:
        task.cancel()

    return stop


def _claim(claim: Claim) -> Any:
    return MESSAGES["Claim"](namespace=claim.namespace, uid=claim.uid, name=claim.name)


def _old_claim(claim: Claim) -> Any:
    return MESSAGES["OldClaim"](
        namespace=claim.namespace,
        uid=claim.uid,
        name=claim.name,
        resource_handle=claim.handle,
        structured_resource_handle=claim.structured,
    )


def _one_claim(claim: Claim) -> Any:
    return MESSAGES["OneClaim"](
        namespace=claim.namespace,
        claim_uid=claim.uid,
        claim_name=claim.name,
        resource_handle=claim.handle,
    )
