"""Fault: an armed fault of a test's server."""

from typing import Self

from fakeapi.faults.armed import ArmedFault
from fakeapi.faults.rules import Rule
from fakeapi.testing.server_faults import ServerFaults


class Fault:
    """An armed fault of a server. As a context manager, disarms the fault at the end of the block."""

    def __init__(self, faults: ServerFaults, armed: ArmedFault) -> None:
        self._faults = faults
        self._armed = armed

    @property
    def name(self) -> str:
        """The name of the fault, for `Faults.disarm` and in reports."""
        return self._armed.name

    @property
    def rule(self) -> Rule:
        """The rule that says which requests the fault affects, when and how."""
        return self._armed.rule

    @property
    def target(self) -> str:
        """The requests that the rule selects, such as "update,patch,delete resourceclaims/status"."""
        return str(self._armed.rule.match.pattern())

    @property
    def matched(self) -> int:
        """The number of requests that have matched the rule."""
        return self._armed.matched

    @property
    def fired(self) -> int:
        """The number of requests and watches that the fault has affected."""
        return self._armed.fired

    @property
    def is_armed(self) -> bool:
        """Whether the fault is still armed; a reset disarms all faults."""
        return self._armed.is_armed

    def disarm(self) -> None:
        """Disarms the fault. Does nothing if the fault is disarmed already.

        Watches then send the events that the fault delayed.
        """
        if self._armed.is_armed:
            self._faults.disarm(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.disarm()

    def __repr__(self) -> str:
        return f"<Fault {self.name}: matched {self.matched}, fired {self.fired}>"
