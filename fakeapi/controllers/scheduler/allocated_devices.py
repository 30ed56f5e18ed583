"""AllocatedDevices: tracks the devices in use, and updates them after each change of a claim."""

from collections import Counter

from fakeapi.controllers.allocation import capacity
from fakeapi.controllers.allocation.model import AllocatedState, DeviceID, PoolID
from fakeapi.controllers.allocation.pool_changes import PoolChanges
from fakeapi.controllers.scheduler.allocated import Use, uses_of
from fakeapi.machinery.json_types import Object


class AllocatedDevices:
    """The devices that ResourceClaims have allocated.

    - `state`: the devices in use, as `allocated_state` computes for all claims. The method `change` modifies
      this object.
    - `changes`: the pools whose devices in use have changed.
    """

    def __init__(self, *, shares: bool, admin_counts: bool) -> None:
        """Starts without claims. `shares`, `admin_counts`: see `allocated_state`."""
        self.state = AllocatedState()
        self.changes = PoolChanges()
        self._shares = shares
        self._admin_counts = admin_counts
        self._uses: dict[str, list[Use]] = {}
        self._users: Counter[DeviceID] = Counter()
        self._shared: dict[DeviceID, dict[str, None]] = {}
        """The keys of the claims that use each shared device."""

    def change(self, key: str, claim: Object | None) -> None:
        """Records the current allocation of a claim. `claim` is None if the claim was deleted.

        `key`: NAMESPACE/NAME of the claim. Capacities are added in the order of the keys.
        """
        before = self._uses.pop(key, [])
        after = []
        if claim is not None:
            after = list(uses_of(claim, shares=self._shares, admin_counts=self._admin_counts))
        if after:
            self._uses[key] = after
        if before == after:
            return
        self._remove(key, before)
        self._add(key, after)
        devices = {use.device for use in (*before, *after)}
        for device in devices & self._shared.keys():
            self._sum(device)
        self.changes.add({PoolID(device.driver, device.pool) for device in devices})

    def _remove(self, key: str, uses: list[Use]) -> None:
        for use in uses:
            if use.consumed is None:
                self._users[use.device] -= 1
                if not self._users[use.device]:
                    del self._users[use.device]
                    self.state.devices.discard(use.device)
                continue
            keys = self._shared.get(use.device, {})
            keys.pop(key, None)
            if not keys and self._shared.pop(use.device, None) is not None:
                del self.state.shared[use.device]

    def _add(self, key: str, uses: list[Use]) -> None:
        for use in uses:
            if use.consumed is None:
                self._users[use.device] += 1
                self.state.devices.add(use.device)
            else:
                self._shared.setdefault(use.device, {})[key] = None
                self.state.shared.setdefault(use.device, {})

    def _sum(self, device: DeviceID) -> None:
        """Recalculates the consumed capacity of a shared device, in the order of the claims."""
        total: dict[str, str] = {}
        for key in sorted(self._shared[device]):
            for use in self._uses[key]:
                if use.device == device and use.consumed is not None:
                    total = capacity.total(total, use.consumed)
        self.state.shared[device] = total
