"""Faults: the failures that a test injects into its server."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from fakeapi.faults.armed import ArmedFault
from fakeapi.faults.reading import read_rules
from fakeapi.faults.ready import READY, make_rule
from fakeapi.faults.rules import Rule
from fakeapi.testing.running import RunningServer


class FaultsUnfired(AssertionError):
    """An armed fault never fired."""


class Fault:
    """An armed fault. As a context manager it is disarmed at the end of the block."""

    def __init__(self, server: RunningServer, armed: ArmedFault) -> None:
        self._server = server
        self._armed = armed

    @property
    def name(self) -> str:
        """The name of the fault, for `disarm` and in reports."""
        return self._armed.name

    @property
    def rule(self) -> Rule:
        """The rule of the fault."""
        return self._armed.rule

    @property
    def matched(self) -> int:
        """The number of requests that the rule matched."""
        return self._armed.matched

    @property
    def fired(self) -> int:
        """The number of requests and watches that the fault affected."""
        return self._armed.fired

    @property
    def is_armed(self) -> bool:
        """Whether the fault is still armed."""
        return self._armed.is_armed

    def disarm(self) -> None:
        """Disarms the fault and releases everything that it holds back.

        Does nothing if it is disarmed already.
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
    """The faults of a server. Each ready-made fault is a method that arms it and returns the Fault:
    `conflict`, `lose_reply`, `expire` and so on, see docs/faults.md.

    Every method that arms raises RuleError for an invalid rule, or for a rule that cannot match any served
    resource or verb; then nothing has changed.
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
        """Arms one rule, several rules, or the rules of a YAML file; see docs/faults.md."""
        return [Fault(self._server, armed) for armed in self._server.arm(read_rules(source))]

    def disarm(self, *names: str) -> None:
        """Disarms the named faults, or all faults without a name. Raises RuleError for an unknown name."""
        self._server.disarm(*names)

    def __iter__(self) -> Iterator[Fault]:
        """Yields the armed faults in the order of arming."""
        return iter([Fault(self._server, armed) for armed in self._server.armed_faults()])

    def __len__(self) -> int:
        """The number of armed faults."""
        return len(self._server.armed_faults())

    def unfired(self) -> list[str]:
        """Returns the names of the faults that never fired since the last reset, including disarmed ones."""
        return self._server.unfired_faults()

    def verify(self) -> None:
        """Raises FaultsUnfired if a fault never fired since the last reset."""
        names = self.unfired()
        if names:
            raise FaultsUnfired(f"faults that never fired: {', '.join(names)}")
