"""Watches: stories with one watch, and the recording of its events."""

import http.client
import json
import threading
import time
from random import Random
from typing import Any

from tests.conformance.player import kept_headers, parsed_body
from tests.differential.exchanges.stories import PARTIAL, TABLE, Request, Story, StoryWriter, quoted
from tests.differential.exchanges.subjects import Subject

END_OF_STORY = 1000
"""The number of the request that closes a watch. No story is as long: its end closes the watch."""

QUIET_SECONDS = 0.15
"""A recorded watch is complete if no event has arrived for this time after the last request."""

_BOOKMARKS = {"allowWatchBookmarks": "true"}
_FROM_THE_START = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", **_BOOKMARKS}


class RecordedWatch:
    """A watch of kube-apiserver that stays open while a story sends requests."""

    def __init__(self, connection: http.client.HTTPConnection, target: str, headers: dict[str, str]) -> None:
        self._connection = connection
        self._connection.request("GET", target, None, headers)
        self._response = self._connection.getresponse()
        self._socket = self._connection.sock
        self._events: list[Any] = []
        self._last = time.monotonic()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if self._response.status == http.HTTPStatus.OK:
            self._reader.start()

    def _read(self) -> None:
        try:
            for line in self._response:
                self._events.append(json.loads(line))
                self._last = time.monotonic()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # `finish` closed the connection

    def finish(self) -> dict[str, Any]:
        """Waits until no further events arrive, and closes the watch.

        Returns the response in the form of a recording: status, headers, and events or body.
        """
        answer: dict[str, Any] = {"status": self._response.status, **kept_headers(self._response)}
        if self._response.status != http.HTTPStatus.OK:
            answer["body"] = parsed_body(self._response.read().decode("utf-8", "replace"))
            self._connection.close()
            return answer
        self._last = time.monotonic()
        while self._reader.is_alive() and time.monotonic() < self._last + QUIET_SECONDS:
            time.sleep(QUIET_SECONDS / 10)
        ended = not self._reader.is_alive()
        if not ended and self._socket is not None:
            self._socket.shutdown(2)
        self._reader.join(5)
        self._connection.close()
        return {**answer, "events": self._events, "ended": ended}


def watched_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story with a watch of its collection. The watch begins before or after the first create."""
    writer = StoryWriter(random, subject, number)
    requests = writer.write()
    query = {"watch": "true", "labelSelector": f"story=q{number}", **_start(random, f"a-q{number}")}
    chance = random.random()
    if chance < 0.15:
        query["labelSelector"] += f",applied={random.choice('ab')}"
    elif chance < 0.25:
        query["fieldSelector"] = f"metadata.name=a-q{number}"
    words = "&".join(f"{name}={quoted(value)}" for name, value in query.items())
    watch: Request = {"method": "GET", "target": f"{writer.collection}?{words}", "until": END_OF_STORY}
    if accept := random.choice([None, None, None, TABLE, PARTIAL]):
        watch["headers"] = {"accept": accept}
    place = 1 if "<rv" in watch["target"] else random.choice([0, 1])
    return [*requests[:place], watch, *requests[place:]]


def _start(random: Random, name: str) -> dict[str, str]:
    """Returns the options that define where a watch begins. Rarely, the options are invalid."""
    chance = random.random()
    if chance < 0.3:
        return {"resourceVersion": f"<rv {name}>"}
    if chance < 0.65:
        return dict(_FROM_THE_START)
    if chance < 0.9:
        return random.choice([{}, _BOOKMARKS])
    return random.choice(
        [
            {"sendInitialEvents": "true"},
            {"sendInitialEvents": "true", "resourceVersionMatch": "Exact"},
            {"resourceVersionMatch": "NotOlderThan"},
            {"resourceVersion": "x"},
            {
                "sendInitialEvents": "false",
                "resourceVersionMatch": "NotOlderThan",
                "resourceVersion": f"<rv {name}>",
            },
            {"timeoutSeconds": "x"},
            {"continue": "x"},
        ]
    )
