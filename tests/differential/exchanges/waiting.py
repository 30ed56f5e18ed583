"""Waits until kube-apiserver applies a definition or a policy: it processes both after it has answered."""

import http
import time
from collections.abc import Callable
from typing import Any

from tests.differential.exchanges.stories import Request

SERVED_SECONDS = 10.0
REFUSED_SECONDS = 3.0
_PAUSE_SECONDS = 0.02

Send = Callable[[Request], dict[str, Any]]


def refused_in(collection: str, body: dict[str, Any]) -> Request:
    """Returns a request that is repeated until kube-apiserver refuses the object or warns about it."""
    return {"method": "POST", "target": f"{collection}?dryRun=All", "body": body, "until_refused": True}


def waits(request: Request, send: Send) -> bool:
    """Waits if a request has `until_served` or `until_refused`. Returns whether it has one of them.

    - `until_served`: the path of a collection. Waits until it is served, unless the definition at the target
      does not exist or is not accepted.
    - `until_refused`: waits until the request fails or gets a warning.

    Gives up after SERVED_SECONDS or REFUSED_SECONDS. `send`: sends a request to kube-apiserver.
    """
    if "until_served" in request:
        _until(SERVED_SECONDS, lambda: _is_decided(send(request)))
        if _is_established(send(request)):
            collection = {"method": "GET", "target": f"{request['until_served']}?limit=1"}
            _until(SERVED_SECONDS, lambda: send(collection)["status"] != http.HTTPStatus.NOT_FOUND)
        return True
    if "until_refused" in request:
        _until(REFUSED_SECONDS, lambda: _is_refused(send(request)))
        return True
    return False


def _until(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _is_decided(answer: dict[str, Any]) -> bool:
    """Whether the definition is established, not accepted, or missing."""
    missing = answer["status"] != http.HTTPStatus.OK
    return missing or _is_established(answer) or _conditions(answer).get("NamesAccepted") == "False"


def _is_established(answer: dict[str, Any]) -> bool:
    return _conditions(answer).get("Established") == "True"


def _conditions(answer: dict[str, Any]) -> dict[str, str]:
    listed = (answer["body"].get("status") or {}) if answer["status"] == http.HTTPStatus.OK else {}
    return {each["type"]: each["status"] for each in listed.get("conditions") or ()}


def _is_refused(answer: dict[str, Any]) -> bool:
    refused = answer["status"] != http.HTTPStatus.CREATED
    return refused or "warning" in answer.get("headers", {})
