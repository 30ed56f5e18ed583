"""Waiting: the methods of a client that wait for a change, without polling."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fakeapi.clients.errors import StatusError
from fakeapi.journal.entry import Entry
from fakeapi.journal.observer import HELPER
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.argument_errors import explains_arguments
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.insight import Insight, placed
from fakeapi.testing.sender import Sender
from fakeapi.testing.watching import WITHIN_SECONDS, WaitTimeout, Watch, WatchSource, selectors

if TYPE_CHECKING:
    from fakeapi.testing.until import Condition, Until

__tracebackhide__ = hides_expected_errors

T = TypeVar("T")

HEARTBEAT_SECONDS = 0.05
"""Maximum pause in seconds between two calls of the function of `eventually`.

A new request ends the pause. The function may also check state that changes without a request.
"""


class Waiting(Sender):
    """Methods that wait until something happens. Time limits are seconds of the machine's clock."""

    def _insight(self) -> Insight:
        """Returns the Insight that explains time-outs."""
        return Insight(self._wire(), None)

    @explains_arguments("fakeapi.watch")
    def watch(
        self,
        kind: str,
        *,
        name: str = "",
        namespace: str | None = None,
        api_version: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        count: int | None = None,
        within: float = WITHIN_SECONDS,
    ) -> Watch:
        """Returns the changes of a kind as an iterator: first existing objects as ADDED, then every change.

            for event in api.watch("ResourceClaim", namespace="team"):
                if "allocation" in event.object.get("status", {}):
                    break

        - `name`: follow only the object with this name.
        - `namespace`: None for all namespaces.
        - `label_selector`, `field_selector`: as for `kubectl get`.
        - `count`: end after this number of events.
        - `within`: the seconds in which all events must come.

        The watch is open when the method returns. It resumes after a broken connection, and lists again after
        410 Expired. Raises WaitTimeout, from the iteration, if the events do not come in time.
        """
        if name:
            own = f"metadata.name={name}"
            field_selector = f"{field_selector},{own}" if field_selector else own
        resource = self._resource(kind, api_version)
        source = WatchSource(
            self._wire(), resource, namespace or "", selectors(label_selector, field_selector)
        )
        return Watch(source, count=count, within=within)

    @explains_arguments("fakeapi.wait_for")
    def wait_for(
        self,
        kind: str,
        name: str,
        *,
        until: "Until" = None,
        gone: bool = False,
        within: float = WITHIN_SECONDS,
        namespace: str = "default",
        api_version: str | None = None,
    ) -> Object:
        """Waits until an object exists and satisfies a condition; returns the object.

            api.wait_for("Pod", "train", until="Ready")
            api.wait_for("ResourceClaim", "gpu", until=".status.allocation", within=10)
            api.wait_for("Pod", "train", until=lambda pod: pod["status"]["phase"] == "Running")
            api.wait_for("Pod", "train", gone=True)

        - `until`: the type of a condition ("Ready", "Ready=False"), a JSONPath (".status.phase=Running"), or
          a function of the object. For a function, LookupError and AssertionError mean "not yet".
        - `gone`: wait until the object does not exist. Returns its last state; {} if it did not exist.
        - `within`: the seconds to wait, by the machine's clock, even if the server's clock is frozen.

        The requests of this method are not in the journal, and no fault affects them. Raises WaitTimeout with
        the history and the events of the object, and the requests of the code under test. Raises ValueError
        for an unknown kind or an invalid condition.
        """
        if gone and until is not None:
            raise ValueError("until and gone cannot be used together")
        if not name:
            raise ValueError(f"the name of the {kind} is empty")
        from fakeapi.testing.until import condition_of  # noqa: PLC0415 - imports JSONPaths, loaded only when used

        condition = condition_of(until)
        insight = self._insight()
        resource = self._kinds.find(insight.wire, kind, api_version)
        source = WatchSource(
            insight.wire,
            resource,
            namespace if resource.namespaced else "",
            {"fieldSelector": f"metadata.name={name}"},
            observes=True,
        )
        with Watch(source, within=within) as watch:
            obj, is_done = _followed(watch, condition, gone=gone)
        if is_done:
            return obj
        place = placed(resource, namespace, name)
        wish = "it to be gone" if gone else condition.text
        state = _state(obj, source, name)
        if obj and (note := condition.note(obj)):
            state += f"\n{note}"
        explanation = insight.explanation(resource, namespace, name)
        raise WaitTimeout(f"{place}: waited {within:g} s for {wish}\nnow: {state}\n{explanation}".rstrip())

    @explains_arguments("fakeapi.eventually")
    def eventually(self, check: Callable[[], T], *, within: float = WITHIN_SECONDS) -> T:
        """Calls a function repeatedly until it returns a true value; returns this value.

            api.eventually(lambda: len(api.list("Pod")) == 3)

        - `check`: AssertionError, LookupError and StatusError mean "not yet", like a false value or None.
        - `within`: the seconds to wait, by the machine's clock.

        Calls the function after each request of other clients, and at least every 50 ms. Raises WaitTimeout
        with the last result, and with the requests of the code under test.
        """
        insight = self._insight()
        deadline = time.monotonic() + within
        wake = threading.Event()

        def note(entry: Entry) -> None:
            if entry.agent != HELPER:
                wake.set()

        with insight.notes(note):
            while True:
                outcome = _tried(check)
                if outcome.value:
                    return outcome.value
                rest = deadline - time.monotonic()
                if rest <= 0:
                    name = getattr(check, "__name__", "the function")
                    words = f"{name} {outcome.words}, for {within:g} s"
                    raise WaitTimeout(f"{words}\n{insight.around()}".rstrip()) from outcome.error
                wake.wait(min(rest, HEARTBEAT_SECONDS))
                wake.clear()


class _Outcome(Generic[T]):
    """The result of one call of a function: the value, and a text for error messages."""

    def __init__(self, value: T | None, words: str, error: BaseException | None = None) -> None:
        self.value, self.words, self.error = value, words, error


def _tried(check: Callable[[], T]) -> _Outcome[T]:
    try:
        value = check()
    except (AssertionError, LookupError, StatusError) as error:
        return _Outcome(None, f"raised {type(error).__name__}: {str(error).strip() or 'no message'}", error)
    hint = "; a function with asserts must return True at its end" if value is None else ""
    return _Outcome(value, f"returned {value!r:.200}{hint}")


def _followed(watch: Watch, condition: "Condition", *, gone: bool) -> tuple[Object, bool]:
    """Follows a watch until an object satisfies a condition, or is gone.

    Returns the last state of the object ({} if there was none), and whether the wait succeeded.
    """
    obj: Object = {}
    exists = False
    while True:
        if gone and not exists and not watch.has_pending:
            return obj, True
        event = watch.next_event()
        if event is None:
            return (obj if exists else {}), False
        obj, exists = event.object, event.type != "DELETED"
        if exists and not gone and condition.is_true(obj):
            return obj, True


def _state(obj: Object, source: WatchSource, name: str) -> str:
    """Returns the current state of an object as text, for the message of a time-out."""
    if obj:
        status = obj.get("status") or {}
        words = [f"{field} {status[field]}" for field in ("phase", "replicas") if field in status]
        words += [_condition_words(each) for each in status.get("conditions") or []]
        version = obj["metadata"]["resourceVersion"]
        return f"it exists in version {version}" + (
            f": {'; '.join(words)}" if words else ", without conditions"
        )
    everything = WatchSource(source.wire, source.resource, source.namespace, {}, observes=True)
    names = [str(each["metadata"]["name"]) for each in everything.items()[0]]
    return f"it does not exist{did_you_mean(name, names)}"


def _condition_words(condition: dict[str, Any]) -> str:
    reason, message = condition.get("reason", ""), condition.get("message", "")
    details = ": ".join(part for part in (reason, message) if part)
    return f"{condition.get('type')}={condition.get('status')}" + (f" ({details})" if details else "")
