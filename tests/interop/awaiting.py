"""Waits with a list and a watch until the objects of a server meet a condition."""

import http.client
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from urllib.parse import urlsplit

from fakeapi.machinery.json_types import Object

AWAIT_SECONDS = 60.0

Condition = Callable[[list[Object]], bool]


def await_objects(url: str, path: str, condition: Condition, seconds: float = AWAIT_SECONDS) -> list[Object]:
    """Waits until `condition` is true for the objects of a list; returns the objects.

    `path`: the URL path of the list. Raises TimeoutError after `seconds` seconds; its message has the last
    objects.
    """
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=seconds)
    with closing(connection):
        connection.request("GET", path)
        listed = json.loads(connection.getresponse().read())
        objects = {each["metadata"]["uid"]: each for each in listed["items"]}
        if condition(list(objects.values())):
            return list(objects.values())
        version = listed["metadata"]["resourceVersion"]
        query = f"watch=1&resourceVersion={version}&timeoutSeconds={math.ceil(seconds)}"
        connection.request("GET", f"{path}?{query}")
        with connection.getresponse() as events:
            for event in _until(events, time.monotonic() + seconds):
                uid = event["object"]["metadata"]["uid"]
                objects[uid] = event["object"]
                if event["type"] == "DELETED":
                    del objects[uid]
                if condition(list(objects.values())):
                    return list(objects.values())
    last = [{**each, "metadata": {"name": each["metadata"]["name"]}} for each in objects.values()]
    raise TimeoutError(f"{path} is not as awaited: {json.dumps(last)[:4000]}")


def _until(events: Iterable[bytes], end: float) -> Iterator[Object]:
    try:
        for line in events:
            yield json.loads(line)
            if time.monotonic() > end:
                return
    except TimeoutError:
        return  # no event in time
