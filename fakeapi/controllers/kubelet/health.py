"""HealthCache: the health of devices, as the drivers of a node report it.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/healthinfo.go`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fakeapi.controllers.kubelet.driver_texts import shortened

HEALTHY, UNHEALTHY, UNKNOWN = "Healthy", "Unhealthy", "Unknown"
_STATES = {1: HEALTHY, 2: UNHEALTHY}

STALE_SECONDS = 30.0
"""Seconds after which a report about a device's health expires, unless its driver gives another timeout."""
MESSAGE_MAX = 1024
"""Maximum bytes of a message about a device; a longer message is shortened and ends with three dots."""
DEVICES_MAX = 16384
"""Maximum number of devices per driver whose health is kept; other devices are ignored."""

Device = tuple[str, str]
"""The pool and name of a device."""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a device. `stale` is the number of seconds for which it is valid."""

    state: str = UNKNOWN
    message: str = ""
    stale: float = STALE_SECONDS


class HealthCache:
    """The health of devices by driver; all times are seconds of one monotonic clock."""

    def __init__(self, *, timeouts_are_given: bool) -> None:
        """Takes `timeouts_are_given`: whether drivers report how long each device's health is valid."""
        self._timeouts_are_given = timeouts_are_given
        self._drivers: dict[str, dict[Device, tuple[Health, float]]] = {}

    def get(self, driver: str, device: Device, now: float) -> Health:
        known = self._drivers.get(driver, {}).get(device)
        if known is None or now - known[1] > known[0].stale:
            return Health()
        return known[0]

    def update(self, driver: str, reported: Iterable[Any], now: float) -> set[Device]:
        """Stores a driver's report (`DeviceHealth` messages) about all its devices; returns the changed ones.

        A device that is missing in the report is forgotten when its health expires.
        """
        known = self._drivers.setdefault(driver, {})
        changed, named = set(), set()
        for report in reported:
            device = report.device.pool_name, report.device.device_name
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
        """Forgets the health of a driver's devices, so that it is unknown."""
        self._drivers.pop(driver, None)

    def _health(self, message: Any) -> Health:
        seconds = float(message.health_check_timeout_seconds) if self._timeouts_are_given else 0.0
        return Health(
            _STATES.get(message.health, UNKNOWN),
            shortened(message.message, MESSAGE_MAX),
            seconds if seconds > 0 else STALE_SECONDS,
        )
