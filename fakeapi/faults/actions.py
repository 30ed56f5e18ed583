"""Actions: the effects of faults on requests and watches."""

import msgspec


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", tag_field="type"):
    """Base class of the actions. In JSON, the field `type` selects the class."""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A StatusCause in the details of a Status."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Refuse(Action, frozen=True, tag="refuse"):
    """Rejects the request with an error Status, without running the request.

    - `code` and `reason`: the HTTP status code, and the reason in the Status.
    - `message`: the message; `{resource}`, `{name}` and `{kind}` are replaced by the values of the request.
    - `retry_after`: the seconds in the Retry-After header; None for no header.
    - `causes`: the causes in the details of the Status.
    - `details`: whether the details of the Status contain name, group and kind.
    - `plain_text`: whether the body is only the message, as in some filters of kube-apiserver.
    """

    code: int
    reason: str = ""
    message: str = ""
    retry_after: int | None = None
    causes: tuple[Cause, ...] = ()
    details: bool = True
    plain_text: bool = False


class Wait(Action, frozen=True, tag="wait"):
    """Delays the request by `seconds` plus a random time of up to `spread` seconds, by the server's clock."""

    seconds: float
    spread: float = 0.0


class Drop(Action, frozen=True, tag="drop"):
    """Closes the connection without a response. `after_commit`: whether to run the request first."""

    after_commit: bool = False


class Tear(Action, frozen=True, tag="tear"):
    """Runs the request, sends only a part of the response, and closes the connection.

    `part`: the fraction of the body to send, from 0 to below 1.
    """

    part: float = 0.5


class Stall(Action, frozen=True, tag="stall"):
    """Runs the request, sends a part of the response at once, and sends the rest later.

    - `seconds`: the seconds after which the server sends the rest; 0 never sends the rest.
    - `part`: the fraction of the body to send at once, from 0 to below 1.
    """

    seconds: float = 0.0
    part: float = 0.5


class CompetingWrite(Action, frozen=True, tag="competingWrite"):
    """Changes the object just before the request runs, so that the request's resourceVersion is stale."""


class GoAway(Action, frozen=True, tag="goAway"):
    """Runs the request, and asks the client to reconnect.

    The server sends GOAWAY in HTTP/2, or the header `Connection: close` in HTTP/1.1.
    """


class EndWatch(Action, frozen=True, tag="endWatch"):
    """Ends a watch after `after` events, as if its timeout had passed."""

    after: int = 0


class CutWatch(Action, frozen=True, tag="cutWatch"):
    """Sends `after` events of a watch and a part of the next event, then closes the connection."""

    after: int = 0


class ExpireWatch(Action, frozen=True, tag="expireWatch"):
    """Ends a watch after `after` events, by sending the ERROR event 410 Expired."""

    after: int = 0


class HoldEvents(Action, frozen=True, tag="holdEvents"):
    """Delays the events of a watch for `seconds`, starting with the next event.

    If `seconds` is 0, the delay ends when the fault is disarmed.
    """

    seconds: float = 0.0


class WithholdBookmarks(Action, frozen=True, tag="withholdBookmarks"):
    """Drops all bookmarks of a watch, including the bookmark that ends the initial events."""


class Stale(Action, frozen=True, tag="stale"):
    """Lets lists and watches at resourceVersion 0 read the objects as they were when the fault was armed.

    Also applies to watches without a resourceVersion, and delays the events of all watches. The effect ends
    after `seconds`. If `seconds` is 0, the effect ends when the fault is disarmed.
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
"""The union of all actions. msgspec selects the class by the field `type`."""

OF_WATCHES = (EndWatch, CutWatch, ExpireWatch, HoldEvents, WithholdBookmarks)
"""The actions that affect only watches, including watches that were open before the fault was armed."""
