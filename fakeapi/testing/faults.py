"""Faults: the failures that a test injects into its server."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from fakeapi.faults.armed import ArmedFault
from fakeapi.faults.reading import read_rules
from fakeapi.faults.ready import READY, make_rule
from fakeapi.faults.rules import Rule
from fakeapi.testing.running import RunningServer


class FaultsUnfired(AssertionError):
    """Raised by `Faults.verify` if a fault never fired. The message lists the names of these faults."""


class Fault:
    """An armed fault of a server. Used as a context manager, it disarms itself at the end of the block."""

    def __init__(self, server: RunningServer, armed: ArmedFault) -> None:
        self._server = server
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
    def matched(self) -> int:
        """The number of requests so far that matched the rule."""
        return self._armed.matched

    @property
    def fired(self) -> int:
        """The number of requests and watches that the fault has affected so far."""
        return self._armed.fired

    @property
    def is_armed(self) -> bool:
        """Whether the fault is still armed; a reset disarms all faults."""
        return self._armed.is_armed

    def disarm(self) -> None:
        """Disarms the fault; does nothing if it is disarmed already.

        Watches then send the events that the fault held back.
        """
        if self._armed.is_armed:
            self._server.disarm(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.disarm()

    def __repr__(self) -> str:
        return f"<Fault {self.name}: matched {self.matched}, fired {self.fired}>"


class Faults:
    """The faults of a server. The methods arm, disarm, list and verify faults.

    Each ready-made fault is a method, such as `conflict`, `lose_reply` and `expire`; docs/faults.md lists
    them. The method arms the fault and returns a Fault.

    Every method that arms faults raises RuleError for an invalid rule, and for a rule that cannot match any
    served resource or verb. If a method raises an error, it arms no faults.
    """

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    def __getattr__(self, kind: str) -> Callable[..., Fault]:
        if kind not in READY:
            raise AttributeError(f"no ready-made fault {kind!r}; there are {', '.join(READY)}")

        def arm(target: str = "", **members: Any) -> Fault:
            return self.arm(make_rule(kind, target, **members))[0]

        arm.__name__ = kind
        arm.__doc__ = READY[kind][0].__doc__
        return arm

    def __repr__(self) -> str:
        return f"<Faults: {', '.join(fault.name for fault in self) or 'nothing armed'}>"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *READY]

    def arm(self, source: Any) -> list[Fault]:
        """Arms the faults of a source; returns them in order.

        `source`: a rule, the path of a YAML file with rules, or an iterable of rules and paths. See
        docs/faults.md.

        Raises RuleError for an invalid rule, and for a rule that cannot match any served resource or verb.
        """
        return [Fault(self._server, armed) for armed in self._server.arm(read_rules(source))]

    def disarm(self, *names: str) -> None:
        """Disarms faults by name, or all faults if called without names.

        Raises RuleError for an unknown name. After an error, no fault has been disarmed.
        """
        self._server.disarm(*names)

    def __iter__(self) -> Iterator[Fault]:
        """Yields the armed faults in the order of arming."""
        return iter([Fault(self._server, armed) for armed in self._server.armed_faults()])

    def __len__(self) -> int:
        """Returns the number of armed faults."""
        return len(self._server.armed_faults())

    def unfired(self) -> list[str]:
        """Returns the names of the faults that never fired, including faults that are disarmed now.

        `FakeAPI.reset` and `FakeAPI.return_to` clear the list.
        """
        return self._server.unfired_faults()

    def verify(self) -> None:
        """Raises FaultsUnfired if a fault never fired, even if it is disarmed now."""
        names = self.unfired()
        if names:
            raise FaultsUnfired(f"faults that never fired: {', '.join(names)}")
