"""Driver: calls a DRA driver that registered with a node. Uses gRPC, as the release's kubelet does."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import grpc
import grpc.aio

from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.messages import MESSAGES
from fakeapi.controllers.kubelet.socket_paths import connectable

CALL_SECONDS = 45.0
"""Timeout in seconds of each call to a DRA driver, as in the kubelet."""

NEW_SERVICES = {
    "v1.DRAPlugin": "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/",
    "v1beta1.DRAPlugin": "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/",
    "v1alpha4.Node": "/v1alpha3.Node/",
}
"""Prefix of the gRPC method names, by the service name that a DRA driver registers."""

PREPARED_DEVICES_MAX = 4096
"""Maximum number of devices, CDI devices and request names that a driver may return for one claim.

An allocation has at most 32 devices. The kubelet keeps what a driver returns until the driver unprepares the
claim, also after the driver has gone. A longer result is an error of the driver.
"""

OLD_BATCH = "/v1alpha3.Node/"
OLD_SINGLE = "/v1alpha2.Node/"


Reason: TypeAlias = Literal["call_failed", "claim_failed", "claims_left_out", "unknown_claim"]


class DriverError(Exception):
    """Raised if a call to a DRA driver fails, or if the driver returns an error.

    - `reason`: the name of the KubeletQuirks field with the template of the kubelet's error message.
    - `details`: the values for the template. Long values are shortened.
    """

    def __init__(self, reason: Reason, **details: str) -> None:
        self.reason: Reason = reason
        self.details = {name: shortened(text) for name, text in details.items()}
        super().__init__(f"{reason}: {self.details}")


@dataclass(frozen=True, slots=True)
class Claim:
    """A ResourceClaim in the form that DRA drivers receive.

    `handle` and `structured`: the data of the claim's resource handle; sent only in releases up to 1.30.
    """

    namespace: str
    uid: str
    name: str
    handle: str = ""
    structured: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedDevice:
    """A device that a DRA driver prepared. In releases up to 1.30, only `cdi_devices` is set."""

    cdi_devices: tuple[str, ...]
    requests: tuple[str, ...] = ()
    pool: str = ""
    device: str = ""
    share_id: str = ""


@dataclass(eq=False, slots=True)
class Driver:
    """A registered DRA driver.

    - `endpoint`: the path of the driver's Unix socket.
    - `service`: the name of the gRPC service to call; `OLD_BATCH` before 1.31.
    - `offered`: the gRPC services that the driver registered.
    """

    name: str
    endpoint: str
    service: str
    offered: tuple[str, ...] = ()

    async def prepare(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        """Calls the driver to prepare claims. Returns the prepared devices by the uid of the claim.

        Raises DriverError if the call fails, or if the driver returns an error or leaves out a claim.
        """
        if self.service == OLD_BATCH:
            return await self._prepare_old(claims)
        request = MESSAGES["PrepareRequest"](claims=[_claim(claim) for claim in claims])
        method = f"{NEW_SERVICES[self.service]}NodePrepareResources"
        answer = await self._call(method, request, "PrepareResponse", "NodePrepareResources")
        return {
            uid: [
                PreparedDevice(
                    tuple(device.cdi_device_ids),
                    tuple(device.request_names),
                    device.pool_name,
                    device.device_name,
                    device.share_id,
                )
                for device in result.devices
            ]
            for uid, result in _results(answer, claims, "NodePrepareResources").items()
        }

    async def unprepare(self, claims: Sequence[Claim]) -> None:
        """Calls the driver to unprepare claims.

        Raises DriverError if the call fails, or if the driver returns an error or leaves out a claim.
        """
        if self.service == OLD_BATCH:
            await self._unprepare_old(claims)
            return
        request = MESSAGES["UnprepareRequest"](claims=[_claim(claim) for claim in claims])
        method = f"{NEW_SERVICES[self.service]}NodeUnprepareResources"
        answer = await self._call(method, request, "UnprepareResponse", "NodeUnprepareResources")
        _results(answer, claims, "NodeUnprepareResources")

    async def _prepare_old(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        request = MESSAGES["OldPrepareRequest"](claims=[_old_claim(claim) for claim in claims])
        try:
            answer = await self._call(
                f"{OLD_BATCH}NodePrepareResources", request, "OldPrepareResponse", "NodePrepareResources"
            )
        except _Unimplemented:
            return {claim.uid: await self._prepare_one(claim) for claim in claims}
        results = _results(answer, claims, "NodePrepareResources")
        return {uid: [PreparedDevice(tuple(result.cdi_devices))] for uid, result in results.items()}

    async def _prepare_one(self, claim: Claim) -> list[PreparedDevice]:
        method = f"{OLD_SINGLE}NodePrepareResource"
        answer = await self._call(method, _one_claim(claim), "OnePrepared", "NodePrepareResource")
        _check_count("NodePrepareResource", claim, answer)
        return [PreparedDevice(tuple(answer.cdi_devices))]

    async def _unprepare_old(self, claims: Sequence[Claim]) -> None:
        request = MESSAGES["OldPrepareRequest"](claims=[_old_claim(claim) for claim in claims])
        try:
            answer = await self._call(
                f"{OLD_BATCH}NodeUnprepareResources", request, "UnprepareResponse", "NodeUnprepareResources"
            )
        except _Unimplemented:
            for claim in claims:
                method = f"{OLD_SINGLE}NodeUnprepareResource"
                await self._call(method, _one_claim(claim), "OneUnprepared", "NodeUnprepareResource")
            return
        _results(answer, claims, "NodeUnprepareResources")

    async def _call(self, method: str, request: Any, response: str, name: str) -> Any:
        try:
            return await call(self.endpoint, method, request, response, CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED and self.service == OLD_BATCH:
                raise _Unimplemented from None
            raise DriverError("call_failed", method=name, problem=_words(error)) from None


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

    Python's gRPC returns None for a message that it cannot decode. Go's client raises an error then.
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


def _results(answer: Any, claims: Sequence[Claim], name: str) -> dict[str, Any]:
    """Returns each claim's result in the driver's response, by the uid of the claim.

    `name`: the gRPC method, for error messages. Raises DriverError if the response has an error for a claim,
    lacks a claim, or has an unknown claim.
    """
    by_uid = {claim.uid: claim for claim in claims}
    results: dict[str, Any] = {}
    for entry in answer.claims:
        claim = by_uid.get(entry.key)
        if claim is None:
            raise DriverError("unknown_claim", method=name, uid=entry.key)
        if entry.value.error:
            raise _claim_failed(name, claim, entry.value.error)
        _check_count(name, claim, entry.value)
        results[entry.key] = entry.value
    skipped = len(claims) - len(results)
    if skipped:
        raise DriverError("claims_left_out", method=name, count=str(skipped))
    return results


def _claim_failed(method: str, claim: Claim, problem: str) -> DriverError:
    return DriverError(
        "claim_failed", method=method, namespace=claim.namespace, claim=claim.name, problem=problem
    )


def _check_count(method: str, claim: Claim, result: Any) -> None:
    """Raises DriverError if a driver returns more than PREPARED_DEVICES_MAX devices for a claim."""
    devices = getattr(result, "devices", ())
    count = len(devices) + len(getattr(result, "cdi_devices", ()))
    count += sum(len(device.cdi_device_ids) + len(device.request_names) for device in devices)
    if count > PREPARED_DEVICES_MAX:
        problem = (
            f"{count} devices, CDI devices and request names; fakeapi keeps {PREPARED_DEVICES_MAX} of a claim"
        )
        raise _claim_failed(method, claim, problem)


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
