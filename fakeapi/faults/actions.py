"""Actions: what a fault does to a request or a watch."""

import msgspec


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", tag_field="type"):
    """One of the classes below, told apart by `type`."""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the causes in the details of a Status."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Refuse(Action, frozen=True, tag="refuse"):
    """Answers with a Status instead of doing what was asked.

    `{resource}` and `{name}` in the message stand for those of the request, `{kind}` for its kind.
    `details` says whether they are in the Status too; `plain_text` that the message alone is the body, as
    filters of kube-apiserver answer that know no Status.
    """

    code: int
    reason: str = ""
    message: str = ""
    retry_after: int | None = None
    causes: tuple[Cause, ...] = ()
    details: bool = True
    plain_text: bool = False


class Wait(Action, frozen=True, tag="wait"):
    """Waits before the request goes on, by the server's clock: so many seconds, and up to `spread` more."""

    seconds: float
    spread: float = 0.0


class Drop(Action, frozen=True, tag="drop"):
    """Closes the connection without an answer; `after_commit`: the request was carried out before."""

    after_commit: bool = False


class Tear(Action, frozen=True, tag="tear"):
    """Carries the request out, sends this part of the answer's body, and closes the connection."""

    part: float = 0.5


class Stall(Action, frozen=True, tag="stall"):
    """Carries the request out, sends a part of the answer's body, and the rest after so many seconds; 0 for
    never.
    """

    seconds: float = 0.0
    part: float = 0.5


class CompetingWrite(Action, frozen=True, tag="competingWrite"):
    """Changes the object just before the request does, so that the resourceVersion it names is stale."""


class GoAway(Action, frozen=True, tag="goAway"):
    """Answers, and tells the client to connect anew: GOAWAY in HTTP/2, `Connection: close` in HTTP/1.1."""


class EndWatch(Action, frozen=True, tag="endWatch"):
    """Ends a watch after so many events, as if its time had come."""

    after: int = 0


class CutWatch(Action, frozen=True, tag="cutWatch"):
    """Closes the connection of a watch in the middle of the event after so many."""

    after: int = 0


class ExpireWatch(Action, frozen=True, tag="expireWatch"):
    """Ends a watch after so many events with the event ERROR, 410 Expired."""

    after: int = 0


class HoldEvents(Action, frozen=True, tag="holdEvents"):
    """Holds the events of a watch back for so many seconds from the next one on; 0 until the fault is
    disarmed.
    """

    seconds: float = 0.0


class WithholdBookmarks(Action, frozen=True, tag="withholdBookmarks"):
    """Sends no bookmarks, not even the one that ends initial events."""


class Stale(Action, frozen=True, tag="stale"):
    """Shows lists and watches at resourceVersion 0 the state at the time when the fault was armed, and holds
    events back, until so many seconds have passed, 0 until it is disarmed.
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
"""Every action; msgspec reads them by `type`."""

OF_WATCHES = (EndWatch, CutWatch, ExpireWatch, HoldEvents, WithholdBookmarks)
"""Actions on streams of events; they also meet watches that are open when they are armed."""
