"""Faults: the failures that a test injects into its server."""

from collections.abc import Iterator

from fakeapi.faults.reading import Source, read_rules
from fakeapi.faults.rules import Rule, RuleError
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.testing.armed_fault import Fault
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.ready_faults import ReadyFaults
from fakeapi.testing.server_faults import ServerFaults

__tracebackhide__ = hides_expected_errors

__all__ = ["Fault", "Faults", "FaultsUnfired"]


class FaultsUnfired(FakeAPIError, AssertionError):
    """Raised by `Faults.verify` if faults never fired. The message lists the names of these faults."""


class Faults(ReadyFaults):
    """The faults of a server. The methods arm, disarm, list and verify faults.

    Each ready-made fault is a method, such as `conflict`, `lose_reply` and `expire`. The method arms the
    fault and returns a Fault.

    Every method that arms faults raises RuleError for an invalid rule, and for a rule that cannot match any
    served resource or verb. If a method raises an error, it arms no faults.
    """

    def __init__(self, faults: ServerFaults) -> None:
        self._faults = faults

    def _arm_rule(self, rule: Rule) -> Fault:
        return self.arm(rule)[0]

    def __repr__(self) -> str:
        return f"<Faults: {', '.join(fault.name for fault in self) or 'nothing armed'}>"

    def arm(self, source: Source) -> list[Fault]:
        """Arms the faults of a source; returns them in order.

        `source`: a rule, the path of a YAML file with rules, or an iterable of rules and paths. See
        docs/faults.md.

        Raises RuleError for an invalid rule, and for a rule that cannot match any served resource or verb.
        """
        try:
            armed = self._faults.arm(read_rules(source))
        except RuleError as error:
            raise error.with_traceback(None) from None
        return [Fault(self._faults, each) for each in armed]

    def disarm(self, *names: str) -> None:
        """Disarms faults by name, or all faults if called without names.

        Raises RuleError for an unknown name. After an error, no fault has been disarmed.
        """
        self._faults.disarm(*names)

    def __iter__(self) -> Iterator[Fault]:
        """Yields the armed faults in the order of arming."""
        return iter([Fault(self._faults, armed) for armed in self._faults.armed()])

    def __len__(self) -> int:
        """Returns the number of armed faults."""
        return len(self._faults.armed())

    def unfired(self) -> list[str]:
        """Returns the names of the faults that never fired, including faults that are disarmed now.

        `FakeAPI.reset` and `FakeAPI.return_to` clear the list.
        """
        return self._faults.unfired()

    def verify(self) -> None:
        """Raises FaultsUnfired if a fault never fired, even if the fault is disarmed now."""
        names = self.unfired()
        if names:
            raise FaultsUnfired(f"faults that never fired: {', '.join(names)}")
