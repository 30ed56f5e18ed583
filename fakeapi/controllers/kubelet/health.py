"""HealthCache: what the drivers of a node say about the health of their devices.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/healthinfo.go`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fakeapi.controllers.kubelet.driver_texts import shortened

HEALTHY, UNHEALTHY, UNKNOWN = "Healthy", "Unhealthy", "Unknown"
_STATES = {1: HEALTHY, 2: UNHEALTHY}

STALE_SECONDS = 30.0
"""Time after which the health of a device is unknown whose driver has not named another one."""
MESSAGE_MAX = 1024
"""Bytes of a message about a device; of a longer one the first are kept, with three dots at the end."""
DEVICES_MAX = 16384
"""Devices of a driver whose health is kept; others are left out."""

Device = tuple[str, str]
"""Pool and name of a device."""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a device. `stale` is how many seconds it holds."""

    state: str = UNKNOWN
    message: str = ""
    stale: float = STALE_SECONDS


class HealthCache:
    """The health of devices by driver; times are seconds of one clock."""

    def __init__(self, *, timeouts_are_given: bool) -> None:
        """`timeouts_are_given`: drivers say for each device how long its health holds."""
        self._timeouts_are_given = timeouts_are_given
        self._drivers: dict[str, dict[Device, tuple[Health, float]]] = {}

    def get(self, driver: str, device: Device, now: float) -> Health:
        known = self._drivers.get(driver, {}).get(device)
        if known is None or now - known[1] > known[0].stale:
            return Health()
        return known[0]

    def update(self, driver: str, reported: Iterable[Any], now: float) -> set[Device]:
        """Takes a report (`DeviceHealth` messages) of all devices of a driver; returns those that changed.

        A device that it does not name is forgotten when its health has become stale.
        """
        known = self._drivers.setdefault(driver, {})
        changed, named = set(), set()
        for each in reported:
            device = each.device.pool_name, each.device.device_name
            named.add(device)
            if device not in known and len(known) >= DEVICES_MAX:
                continue
            health = self._health(each)
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
        """The health of a driver's devices is unknown from now on."""
        self._drivers.pop(driver, None)

    def _health(self, message: Any) -> Health:
        seconds = float(message.health_check_timeout_seconds) if self._timeouts_are_given else 0.0
        return Health(
            _STATES.get(message.health, UNKNOWN),
            shortened(message.message, MESSAGE_MAX),
            seconds if seconds > 0 else STALE_SECONDS,
        )
