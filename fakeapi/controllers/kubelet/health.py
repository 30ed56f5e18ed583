"""HealthCache: the health of devices as the DRA drivers of a node report it.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/healthinfo.go`.
"""

from collections.abc import Iterable
from math import inf

import msgspec

from fakeapi.controllers.kubelet.driver_texts import shortened

HEALTHY, UNHEALTHY, UNKNOWN = "Healthy", "Unhealthy", "Unknown"
_STATES = {1: HEALTHY, 2: UNHEALTHY}

STALE_SECONDS = 30.0
"""Default seconds until a health report expires. Since 1.35, drivers may set a timeout for each device."""
MESSAGE_MAX = 1024
"""Maximum size of a device's health message in bytes; a longer message is cut and ends with "..."."""
DEVICES_MAX = 16384
"""Maximum number of devices per driver whose health is stored. Reports about further devices are ignored."""

Device = tuple[str, str]
"""A device of a DRA driver: the name of its pool and its own name."""


class Health(msgspec.Struct, frozen=True):
    """The health of a device. `state` is Healthy, Unhealthy or Unknown.

    `stale`: the number of seconds between a health report and its expiry.
    """

    state: str = UNKNOWN
    message: str = ""
    stale: float = STALE_SECONDS


class HealthReport(msgspec.Struct, frozen=True):
    """The health of one device, as reported by its driver.

    - `state`: 1 is Healthy, 2 is Unhealthy; any other number is Unknown.
    - `seconds`: the seconds for which the report is valid; 0 for the default.
    - `lasts`: whether the report is valid until the next report, independently of `seconds`.
    """

    pool: str
    device: str
    state: int
    message: str = ""
    seconds: float = 0.0
    lasts: bool = False


class HealthCache:
    """The health of devices, by DRA driver and device. All times are seconds of one monotonic clock."""

    def __init__(self, *, timeouts_are_given: bool) -> None:
        """Creates an empty cache.

        `timeouts_are_given`: whether drivers report a timeout for the health of each device. If false, the
        health of a device expires after STALE_SECONDS.
        """
        self._timeouts_are_given = timeouts_are_given
        self._drivers: dict[str, dict[Device, tuple[Health, float]]] = {}

    def get(self, driver: str, device: Device, now: float) -> Health:
        known = self._drivers.get(driver, {}).get(device)
        if known is None or now - known[1] > known[0].stale:
            return Health()
        return known[0]

    def update(self, driver: str, reported: Iterable[HealthReport], now: float) -> set[Device]:
        """Stores a driver's report about its devices; returns the devices whose health changed.

        - `reported`: the reports of one message. A missing device keeps its health until that health expires.
        - `now`: the time of the report.
        """
        known = self._drivers.setdefault(driver, {})
        changed, named = set(), set()
        for report in reported:
            device = report.pool, report.device
            named.add(device)
            if device not in known and len(known) >= DEVICES_MAX:
                continue
            health = self._health(report)
            if device not in known or known[device][0] != health:
                changed.add(device)
            known[device] = health, now
        for device in known.keys() - named:
            health, since = known[device]
            if now - since > health.stale:
                del known[device]
                if health.state != UNKNOWN:
                    changed.add(device)
        return changed

    def forget(self, driver: str) -> None:
        """Drops the health of a driver's devices; the health of these devices is then Unknown."""
        self._drivers.pop(driver, None)

    def _health(self, report: HealthReport) -> Health:
        seconds = report.seconds if self._timeouts_are_given and report.seconds > 0 else STALE_SECONDS
        return Health(
            _STATES.get(report.state, UNKNOWN),
            shortened(report.message, MESSAGE_MAX),
            inf if report.lasts else seconds,
        )
