"""BackOff: the delay before a container is started again.

Follows flowcontrol.Backoff of k8s.io/client-go, as the kubelet uses it (doBackOff in `pkg/kubelet`).
"""

import msgspec

from fakeapi.controllers.controller import ControllerContext

INITIAL_SECONDS = 10.0
MAX_SECONDS = 300.0
REDUCED_GATE = "ReduceDefaultCrashLoopBackOffDecay"
REDUCED_INITIAL_SECONDS = 1.0
REDUCED_MAX_SECONDS = 60.0


class BackOffLimits(msgspec.Struct, frozen=True):
    initial: float = INITIAL_SECONDS
    maximum: float = MAX_SECONDS

    @staticmethod
    def of(context: ControllerContext) -> "BackOffLimits":
        """Returns the limits of the release.

        The limits are lower with the gate ReduceDefaultCrashLoopBackOffDecay.
        """
        if context.rules.gates.get(REDUCED_GATE, False):
            return BackOffLimits(REDUCED_INITIAL_SECONDS, REDUCED_MAX_SECONDS)
        return BackOffLimits()


class BackOff(msgspec.Struct):
    """The back-off of one container. All times are seconds of one clock."""

    limits: BackOffLimits
    seconds: float = 0.0
    _updated: float = 0.0

    def left(self, ended: float, now: float) -> float:
        """Returns the seconds until the container may start again; 0 if it may start now.

        `ended`: the time of the last run's end.
        """
        if not self.seconds or self._is_expired(ended):
            return 0.0
        return max(ended + self.seconds - now, 0.0)

    def increase(self, ended: float, now: float) -> None:
        """Doubles the delay before the next start, up to the maximum.

        The first delay, and the delay after a long run, is the initial delay.
        """
        if not self.seconds or self._is_expired(ended):
            self.seconds = self.limits.initial
        else:
            self.seconds = min(self.seconds * 2, self.limits.maximum)
        self._updated = now

    def _is_expired(self, ended: float) -> bool:
        return ended - self._updated > 2 * self.limits.maximum


def go_duration(seconds: float) -> str:
    """Formats whole seconds like Go's time.Duration, such as 10s, 1m20s and 5m0s."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
