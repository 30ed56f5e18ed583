"""Driver: the interface of registered DRA drivers for the kubelet, with the types of its arguments and
results.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.health import HealthReport

CALL_SECONDS = 45.0
"""Timeout in seconds of each call to a DRA driver, as in the kubelet."""

PREPARED_DEVICES_MAX = 4096
"""Maximum number of devices, CDI devices and request names that a driver may return for one claim.

An allocation has at most 32 devices. The kubelet keeps the result until the driver unprepares the claim, even
if the driver unregisters. A larger result is an error of the driver.
"""

PREPARE, UNPREPARE = "NodePrepareResources", "NodeUnprepareResources"
"""The names of the prepare and unprepare calls in the kubelet's error messages."""

Reason: TypeAlias = Literal["call_failed", "claim_failed", "claims_left_out", "unknown_claim"]

Stop: TypeAlias = Callable[[], None]
"""Function that stops a watch of a driver, such as `Driver.watch_health`."""


class DriverError(Exception):
    """Raised if a call to a DRA driver fails, or if the driver returns an error.

    - `reason`: the name of the KubeletQuirks field with the template of the kubelet's error message.
    - `details`: the values for the template. Long values are shortened.
    """

    def __init__(self, reason: Reason, **details: str) -> None:
        self.reason: Reason = reason
        self.details = {name: shortened(text) for name, text in details.items()}
        super().__init__(f"{reason}: {self.details}")

    @property
    def text(self) -> str:
        """The error of the driver, or else the reason with its details."""
        return self.details.get("problem") or str(self)


class Claim(msgspec.Struct, frozen=True):
    """A ResourceClaim in the form that DRA drivers receive.

    `handle` and `structured`: the data of the claim's resource handle; sent only in releases up to 1.30.
    """

    namespace: str
    uid: str
    name: str
    handle: str = ""
    structured: tuple[bytes, ...] = ()


class PreparedDevice(msgspec.Struct, frozen=True):
    """A device that a DRA driver prepared. In releases up to 1.30, only `cdi_devices` is set."""

    cdi_devices: tuple[str, ...]
    requests: tuple[str, ...] = ()
    pool: str = ""
    device: str = ""
    share_id: str = ""


class ClaimResult(msgspec.Struct, frozen=True):
    """The result for one claim in a driver's response. `error`: "" if the driver succeeded."""

    devices: Sequence[PreparedDevice] = msgspec.field(default_factory=tuple)
    error: str = ""


class PluginInfo(msgspec.Struct, frozen=True):
    """The PluginInfo of a registering plugin. `versions`: the gRPC services that the plugin supports."""

    type: str
    name: str
    endpoint: str
    versions: tuple[str, ...]


class Driver(ABC):
    """A DRA driver that is registered with a kubelet.

    - `name`: the name of the driver.
    - `offered`: the services that the driver registered.
    """

    name: str
    offered: tuple[str, ...]

    @property
    @abstractmethod
    def description(self) -> str:
        """The path of the driver's socket, or "simulated"."""

    @abstractmethod
    async def prepare(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        """Calls the driver to prepare claims. Returns the prepared devices by the uid of the claim.

        Raises DriverError if the call fails, if the driver returns an error, or if a claim is missing in the
        response.
        """

    @abstractmethod
    async def unprepare(self, claims: Sequence[Claim]) -> None:
        """Calls the driver to unprepare claims.

        Raises DriverError if the call fails, if the driver returns an error, or if a claim is missing in the
        response.
        """

    @abstractmethod
    def watch_health(
        self,
        service: str,
        report: Callable[[Sequence[HealthReport]], None],
        forget: Callable[[], None],
        *,
        is_optional: bool,
    ) -> Stop:
        """Starts reading the health of the driver's devices. Returns a function that stops the reading.

        - `service`: the health service of the release's kubelet.
        - `report`: receives each report of the driver.
        - `forget`: called when the driver ends the stream. The health of its devices is then unknown.
        - `is_optional`: whether the kubelet stops trying if the driver does not implement the service.
        """

    @abstractmethod
    def watch_resources(self, report: Callable[[Sequence[bytes]], None]) -> Stop:
        """Starts reading the node's resources from a driver of 1.30. Returns a function that stops the
        reading.

        `report`: receives each list of resource models, encoded as protobuf. The kubelet publishes these
        models as ResourceSlices.
        """


def checked_results(
    results: Iterable[tuple[str, ClaimResult]], claims: Sequence[Claim], method: str
) -> Mapping[str, ClaimResult]:
    """Returns the results of a driver's response, by the uid of the claim.

    `method`: the call, for error messages. Raises DriverError if the response has an error for a claim, lacks
    a claim or has an unknown claim. Also raises DriverError for more than PREPARED_DEVICES_MAX devices in a
    claim.
    """
    by_uid = {claim.uid: claim for claim in claims}
    known: dict[str, ClaimResult] = {}
    for uid, result in results:
        claim = by_uid.get(uid)
        if claim is None:
            raise DriverError("unknown_claim", method=method, uid=uid)
        if result.error:
            raise claim_failed(method, claim, result.error)
        check_count(method, claim, result.devices)
        known[uid] = result
    skipped = len(claims) - len(known)
    if skipped:
        raise DriverError("claims_left_out", method=method, count=str(skipped))
    return known


def prepared_devices(
    results: Iterable[tuple[str, ClaimResult]], claims: Sequence[Claim]
) -> dict[str, list[PreparedDevice]]:
    """Returns the devices in a driver's response, by the uid of the claim.

    Raises DriverError if `checked_results` rejects the response.
    """
    return {uid: list(result.devices) for uid, result in checked_results(results, claims, PREPARE).items()}


def claim_failed(method: str, claim: Claim, problem: str) -> DriverError:
    return DriverError(
        "claim_failed", method=method, namespace=claim.namespace, claim=claim.name, problem=problem
    )


def check_count(method: str, claim: Claim, devices: Sequence[PreparedDevice]) -> None:
    """Raises DriverError if a driver returns more than PREPARED_DEVICES_MAX devices for a claim."""
    count = sum(1 + len(device.cdi_devices) + len(device.requests) for device in devices)
    if count > PREPARED_DEVICES_MAX:
        problem = (
            f"{count} devices, CDI devices and request names; fakeapi keeps {PREPARED_DEVICES_MAX} of a claim"
        )
        raise claim_failed(method, claim, problem)
