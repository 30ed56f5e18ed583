"""Provoking: a server in this process, and the error messages that its responses have."""

import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.verbs import JSON
from fakeapi.cluster import Cluster
from fakeapi.http.app import Application
from fakeapi.settings import Settings
from tests.differential.exchanges.corpus import ALL_GATES, TAG, Entry, deletes
from tests.differential.exchanges.messages import Message, causes_of, messages
from tests.differential.exchanges.recording import Seen
from tests.differential.searching.sites import Sites, watched_sites

_NAME = re.compile(rf'(?<!namespaces/)(?<!"namespace": "){TAG}')
"""Finds the tag of the corpus where it is not a namespace."""


def plain(text: str) -> str:
    """Returns a text with the names of the corpus instead of the names that `play` made of them."""
    return re.sub(rf"{TAG}\d+", TAG, text)


class Provoker:
    """Sends requests to a server in this process, and finds the error messages of the responses.

    A response has a message if the code of the message ran, and a cause of the response matches it.
    """

    def __init__(self, client: InProcessClient, sites: Sites) -> None:
        self._client, self._sites = client, sites
        self._by_place = {message.place: message for message in messages()}
        self._number = 0

    async def send(
        self, method: str, target: str, body: Any, content_type: str = JSON
    ) -> tuple[Any, set[str]]:
        """Returns the body of the response, and the places of its error messages."""
        self._sites.take()
        path, _, query = target.partition("?")
        options = dict(parse_qsl(query)) or None
        try:
            answer = await self._client.request(method, path, body, query=options, content_type=content_type)
            return answer, set()
        except StatusError as error:
            return error.status, self._matching(error.status)

    def _matching(self, status: Any) -> set[str]:
        causes = causes_of(status)
        reached: Iterable[Message] = map(self._by_place.__getitem__, self._sites.take() & {*self._by_place})
        return {message.place for message in reached if any(map(message.matches, causes))}

    async def play(self, requests: list[dict[str, Any]]) -> tuple[Any, set[str]]:
        """Sends the requests of a story with new names.

        Returns the body of the last response, and the places of its error messages.
        """
        self._number += 1
        seen = Seen()
        answer: Any = None
        places: set[str] = set()
        for request in json.loads(_NAME.sub(f"{TAG}{self._number}", json.dumps(requests))):
            resolved = seen.resolved(request)
            kind = request.get("headers", {}).get("content-type", JSON)
            answer, places = await self.send(request["method"], request["target"], resolved.get("body"), kind)
            seen.learn(request, answer)
        return answer, places

    async def play_alone(self, requests: list[dict[str, Any]]) -> set[str]:
        """Plays a story and deletes its objects. Returns the places of the error messages of its end."""
        _, places = await self.play(requests)
        made = _NAME.sub(f"{TAG}{self._number}", json.dumps(list(deletes(requests))))
        for request in json.loads(made):
            await self.send("DELETE", request["target"], None)
        return places


@asynccontextmanager
async def provoking(release: str, gates: str) -> AsyncIterator[Provoker]:
    """Starts a server of a release with the namespace of the corpus. `gates`: "all" or ""."""
    chosen = ALL_GATES if gates else None
    settings = Settings(release=release, runtime_config="api/all=true", feature_gates=chosen)
    app = Application(Cluster(settings))
    with watched_sites() as sites:
        await app.startup()
        provoker = Provoker(InProcessClient(app, "conformance/1"), sites)
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TAG}}
        await provoker.send("POST", "/api/v1/namespaces", namespace)
        try:
            yield provoker
        finally:
            await app.shutdown()


async def places_of_entries(entries: Iterable[Entry], release: str, gates: str) -> Mapping[int, set[str]]:
    """Plays entries of the corpus. Returns the places of the error messages by the number of the entry."""
    async with provoking(release, gates) as provoker:
        return {number: await provoker.play_alone(entry["requests"]) for number, entry in enumerate(entries)}
