"""ReadyFaults: one method for each ready-made fault, with its own signature."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from fakeapi.faults.ready import READY, make_rule
from fakeapi.faults.rules import Rule, RuleError
from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.armed_fault import Fault
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors


class FaultOptions(TypedDict, total=False):
    """The keyword arguments that every ready-made fault accepts.

    - `times`: how often the fault fires. Without `times`, the fault fires until it is disarmed. A fault that
      fires once by default is the exception; its method says so.
    - `called`: the name of the fault.
    - `verb`, `group`, `resource`, `namespace`, `name`, `user` and `agent`: select requests, as in Match.
    - `labels`: a label selector for the object.
    - `body`: values by JSONPath in the request's body.
    - `first`, `last`, `every`, `probability`, `seed` and `until`: select some of these requests, as in When.
    """

    times: int
    called: str
    verb: str
    group: str
    resource: str
    namespace: str
    name: str
    user: str
    agent: str
    labels: str
    body: Mapping[str, Any]
    first: int
    last: int
    every: int
    probability: float
    seed: int
    until: datetime | str


class ReadyFaults(ABC):
    """The ready-made faults. Each method arms one fault and returns it.

    `target`: a resource as in a role, such as `resourceclaims/status`; or a pattern with verb and object,
    such as `update resourceclaims/status default/gpu`; "" selects all requests.
    `options`: see FaultOptions.

    Every method raises RuleError for an unknown or invalid argument, and for a target that is not served.
    """

    @abstractmethod
    def _arm_rule(self, rule: Rule) -> Fault:
        """Arms a rule. Raises RuleError if the rule cannot match any served resource or verb."""

    def _arm(self, kind: str, target: str, options: FaultOptions, **action: Any) -> Fault:
        try:
            rule = make_rule(kind, target, **options, **action)
        except RuleError as error:
            raise error.with_traceback(None) from None
        return self._arm_rule(rule)

    def conflict(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects writes with 409 Conflict, as if another client had changed the object."""
        return self._arm("conflict", target, options)

    def already_exists(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects creations with 409 AlreadyExists."""
        return self._arm("already_exists", target, options)

    def not_found(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects requests for one object with 404 NotFound."""
        return self._arm("not_found", target, options)

    def forbidden(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects requests with 403 Forbidden."""
        return self._arm("forbidden", target, options)

    def gone(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects lists and watches with 410 Expired."""
        return self._arm("gone", target, options)

    def invalid(
        self,
        target: str = "",
        *,
        field: str = "spec",
        value: str = "",
        message: str = "refused by a fault",
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Rejects writes with 422 Invalid for one field, with this value and message."""
        return self._arm("invalid", target, options, field=field, value=value, message=message)

    def throttle(self, target: str = "", *, retry_after: int = 1, **options: Unpack[FaultOptions]) -> Fault:
        """Rejects requests with 429 and the header Retry-After, like API Priority and Fairness."""
        return self._arm("throttle", target, options, retry_after=retry_after)

    def internal_error(
        self,
        target: str = "",
        *,
        message: str = "etcdserver: request timed out",
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Rejects requests with 500, by default with a message of etcd."""
        return self._arm("internal_error", target, options, message=message)

    def unavailable(
        self, target: str = "", *, retry_after: int | None = None, **options: Unpack[FaultOptions]
    ) -> Fault:
        """Rejects requests with 503 ServiceUnavailable. `retry_after`: the seconds of Retry-After."""
        return self._arm("unavailable", target, options, retry_after=retry_after)

    def timeout(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Rejects requests with 504 Timeout."""
        return self._arm("timeout", target, options)

    def webhook_timeout(
        self,
        target: str = "",
        *,
        webhook: str = "webhook.example.com",
        url: str = "https://webhook.default.svc:443/validate?timeout=10s",
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Rejects writes with 500, as if an admission webhook with failurePolicy Fail did not answer."""
        return self._arm("webhook_timeout", target, options, webhook=webhook, url=url)

    def refuse(
        self,
        target: str = "",
        *,
        code: int,
        reason: str = "",
        message: str = "refused by a fault",
        retry_after: int | None = None,
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Rejects requests with an error Status of this code, reason and message."""
        action = {"code": code, "reason": reason, "message": message, "retry_after": retry_after}
        return self._arm("refuse", target, options, **action)

    def wait(
        self, target: str = "", *, seconds: float, spread: float = 0.0, **options: Unpack[FaultOptions]
    ) -> Fault:
        """Delays requests by `seconds`, plus a random time of up to `spread` seconds, on the server's
        clock.
        """
        return self._arm("wait", target, options, seconds=seconds, spread=spread)

    def drop(self, target: str = "", *, after_commit: bool = False, **options: Unpack[FaultOptions]) -> Fault:
        """Closes the connection without a response. `after_commit`: whether to run the request first."""
        return self._arm("drop", target, options, after_commit=after_commit)

    def lose_reply(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Runs writes, and closes the connection without a response."""
        return self._arm("lose_reply", target, options)

    def tear(self, target: str = "", *, part: float = 0.5, **options: Unpack[FaultOptions]) -> Fault:
        """Runs requests, sends only the fraction `part` of the response, and closes the connection."""
        return self._arm("tear", target, options, part=part)

    def stall(
        self, target: str = "", *, seconds: float = 0.0, part: float = 0.5, **options: Unpack[FaultOptions]
    ) -> Fault:
        """Sends the fraction `part` of the response at once, and the rest after `seconds`; 0 never sends the
        rest.
        """
        return self._arm("stall", target, options, seconds=seconds, part=part)

    def competing_write(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Changes the object just before a write, so that the write has a stale resourceVersion."""
        return self._arm("competing_write", target, options)

    def go_away(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Runs requests and asks the client to reconnect: GOAWAY, or `Connection: close` in HTTP/1.1."""
        return self._arm("go_away", target, options)

    def end_watch(self, target: str = "", *, after: int = 0, **options: Unpack[FaultOptions]) -> Fault:
        """Ends watches after `after` events, as if their timeout had passed; by default one watch."""
        return self._arm("end_watch", target, options, after=after)

    def cut_watch(self, target: str = "", *, after: int = 0, **options: Unpack[FaultOptions]) -> Fault:
        """Cuts watches within the event that follows `after` events; by default one watch."""
        return self._arm("cut_watch", target, options, after=after)

    def expire(self, target: str = "", *, after: int = 0, **options: Unpack[FaultOptions]) -> Fault:
        """Ends watches after `after` events with the ERROR event 410 Expired; by default one watch."""
        return self._arm("expire", target, options, after=after)

    def refuse_watch(
        self,
        target: str = "",
        *,
        code: int,
        reason: str = "",
        message: str = "refused by a fault",
        retry_after: int | None = None,
        **options: Unpack[FaultOptions],
    ) -> Fault:
        """Rejects the opening of watches with an error Status of this code, reason and message."""
        action = {"code": code, "reason": reason, "message": message, "retry_after": retry_after}
        return self._arm("refuse_watch", target, options, **action)

    def hold_events(
        self, target: str = "", *, seconds: float = 0.0, **options: Unpack[FaultOptions]
    ) -> Fault:
        """Delays the events of watches for `seconds`; 0 delays them until the fault is disarmed."""
        return self._arm("hold_events", target, options, seconds=seconds)

    def withhold_bookmarks(self, target: str = "", **options: Unpack[FaultOptions]) -> Fault:
        """Drops all bookmarks of watches, including the bookmark that ends the initial events."""
        return self._arm("withhold_bookmarks", target, options)

    def stale(self, target: str = "", *, seconds: float = 0.0, **options: Unpack[FaultOptions]) -> Fault:
        """Answers lists and watches at resourceVersion 0 with the objects at the time of arming.

        `seconds`: the duration of the effect; 0 lasts until the fault is disarmed.
        """
        return self._arm("stale", target, options, seconds=seconds)

    if not TYPE_CHECKING:  # type checkers and editors see only the methods above

        def __getattr__(self, name: str) -> Any:
            hint = did_you_mean(name, READY) or f"; there are {', '.join(READY)}"
            raise AttributeError(f"no ready-made fault {name!r}{hint}", name=name, obj=self)
