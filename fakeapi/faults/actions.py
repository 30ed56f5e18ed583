"""Actions: the effects of faults on requests and watches."""

import msgspec


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", tag_field="type"):
    """Base of the actions; the member `type` selects the class."""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause in the details of a Status."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Refuse(Action, frozen=True, tag="refuse"):
    """Answers with an error Status instead of carrying out the request.

    In the message, `{resource}`, `{name}` and `{kind}` stand for the resource, name and kind of the request.
    With `details` the Status contains them too. With `plain_text` the body is only the message, like
    responses of those filters of kube-apiserver that do not send a Status.
    """

    code: int
    reason: str = ""
    message: str = ""
    retry_after: int | None = None
    causes: tuple[Cause, ...] = ()
    details: bool = True
    plain_text: bool = False


class Wait(Action, frozen=True, tag="wait"):
    """Delays the request by `seconds` plus a random time up to `spread`, by the server's clock."""

    seconds: float
    spread: float = 0.0


class Drop(Action, frozen=True, tag="drop"):
    """Closes the connection without a response; with `after_commit`, the request is carried out first."""

    after_commit: bool = False


class Tear(Action, frozen=True, tag="tear"):
    """Carries out the request, sends the fraction `part` of the response, and closes the connection."""

    part: float = 0.5


class Stall(Action, frozen=True, tag="stall"):
    """Carries out the request, sends a part of the response's body, and sends the rest after `seconds`.

    `part` is the fraction that is sent at once. With `seconds` 0 the rest is never sent.
    """

    seconds: float = 0.0
    part: float = 0.5


class CompetingWrite(Action, frozen=True, tag="competingWrite"):
    """Changes the object just before the request, so that the request's resourceVersion is stale."""


class GoAway(Action, frozen=True, tag="goAway"):
    """Answers, and makes the client reconnect: GOAWAY in HTTP/2, `Connection: close` in HTTP/1.1."""


class EndWatch(Action, frozen=True, tag="endWatch"):
    """Ends a watch after `after` events, as if it had timed out."""

    after: int = 0


class CutWatch(Action, frozen=True, tag="cutWatch"):
    """Sends `after` events of a watch and a part of the next one, and closes the connection."""

    after: int = 0


class ExpireWatch(Action, frozen=True, tag="expireWatch"):
    """Ends a watch after `after` events with an ERROR event, 410 Expired."""

    after: int = 0


class HoldEvents(Action, frozen=True, tag="holdEvents"):
    """Holds back the events of a watch from the next one on, for `seconds`; 0 means until disarmed."""

    seconds: float = 0.0


class WithholdBookmarks(Action, frozen=True, tag="withholdBookmarks"):
    """Withholds bookmarks, including the one that ends the initial events."""


class Stale(Action, frozen=True, tag="stale"):
    """Shows an old state to lists and watches at resourceVersion 0: the state when the fault was armed.

    Watches also hold back their events. Both end after `seconds`; with 0, when the fault is disarmed.
    """

    seconds: float = 0.0


AnyAction = (
    Refuse
    | Wait
    | Drop
    | Tear
    | Stall
    | CompetingWrite
    | GoAway
    | EndWatch
    | CutWatch
    | ExpireWatch
    | HoldEvents
    | WithholdBookmarks
    | Stale
)
"""Every action; msgspec selects the class by `type`."""

OF_WATCHES = (EndWatch, CutWatch, ExpireWatch, HoldEvents, WithholdBookmarks)
"""Actions on event streams; they also affect watches that are already open when the fault is armed."""
