"""Sends a story to kube-apiserver and records its requests and responses, like the conformance recordings."""

import http.client
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.conformance.player import kept_headers, parsed_body
from tests.differential.exchanges.protobuf import MEDIA_TYPE, ProtobufReader
from tests.differential.exchanges.stories import Request, Story
from tests.differential.exchanges.waiting import waits
from tests.differential.exchanges.watches import RecordedWatch
from tests.differential.rbac.servers import connection_to, merged

ADMINISTRATOR = {"Impersonate-User": "kubernetes-admin", "Impersonate-Group": "system:masters"}
"""Impersonation headers that give requests the same user on both servers."""

TIMEOUT_SECONDS = 60.0
CLOSED = 0
"""The status of a response if kube-apiserver closed the connection, as it does after a panic."""

_SYMBOL = re.compile(r"<(rv|uid) ([^>]+)>")


class Recorder:
    """Sends stories to kube-apiserver over one connection. `protobuf`: decodes responses in protobuf."""

    def __init__(self, url: str, token: str, protobuf: ProtobufReader) -> None:
        self._protobuf = protobuf
        self._url = url
        self._token = token
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        return connection_to(self._url, TIMEOUT_SECONDS)

    def record(self, story: Story) -> list[dict[str, Any]]:
        """Sends the requests of a story in order.

        Returns the requests with resolved symbols. Each has its response as `answer`, unless it is silent.
        """
        seen = Seen()
        exchanges: list[dict[str, Any]] = []
        watches: list[tuple[dict[str, Any], RecordedWatch]] = []
        for symbolic in story:
            request = seen.resolved(symbolic)
            if waits(request, self._send):
                continue
            if "resourceVersionMatch=NotOlderThan" in request["target"]:
                self._refresh_cache(request["target"])
            if "refreshed" in request:
                self._refresh_cache(request["refreshed"])
            if "until" in request:
                headers = self._headers(request)
                watches.append((request, RecordedWatch(self._connect(), request["target"], headers)))
                exchanges.append(request)
                continue
            answer = self._send(request)
            seen.learn(request, answer["body"])
            exchanges.append(request if request.get("silent") else {**request, "answer": answer})
        for request, watch in watches:
            request["answer"] = watch.finish()
        return exchanges

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {
            "Accept": "application/json",
            "User-Agent": "conformance/1",
            "Authorization": f"Bearer {self._token}",
            **ADMINISTRATOR,
        }
        if request.get("body") is not None:
            headers["Content-Type"] = "application/json"
        names = {"accept": "Accept", "content-type": "Content-Type"}
        return headers | {names[name]: value for name, value in request.get("headers", {}).items()}

    def _refresh_cache(self, target: str) -> None:
        """Lists a collection without a resourceVersion, so that kube-apiserver updates its watch cache.

        Without this list, a list with NotOlderThan may show an older state, because the cache lags behind
        etcd.
        """
        self._send({"method": "GET", "target": f"{target.partition('?')[0]}?labelSelector=none"})

    def _send(self, request: Request) -> dict[str, Any]:
        headers = self._headers(request)
        data = None if request.get("body") is None else json.dumps(request["body"]).encode()
        for is_last in (False, True):
            try:
                self._connection.request(request["method"], request["target"], data, headers)
                response = self._connection.getresponse()
                answered = response.read()
                break
            except (http.client.HTTPException, OSError):
                self._connection.close()
                self._connection = self._connect()
                if is_last:
                    return {"status": CLOSED, "body": None}
        return {
            "status": response.status,
            "body": body_of(response, answered, self._protobuf),
            **kept_headers(response),
        }

    def close(self) -> None:
        self._connection.close()


def body_of(response: http.client.HTTPResponse, data: bytes, protobuf: ProtobufReader) -> Any:
    """Returns the body of a response as JSON or text. `protobuf`: decodes protobuf bodies."""
    if response.headers.get_content_type() == MEDIA_TYPE:
        return protobuf.read(data)
    return parsed_body(data.decode("utf-8", "replace"))


class Seen:
    """Stores the objects and the continue token of the last responses. Resolves the symbols of requests."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[str, Any]] = {}
        self._continue = "none"

    def learn(self, request: Request, body: Any) -> None:
        """Stores the objects and the continue token of a response."""
        if not isinstance(body, dict):
            return
        metadata = body.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("continue"), str):
            self._continue = metadata["continue"] or "none"
        is_object = isinstance(metadata, dict) and "name" in metadata and "uid" in metadata
        if is_object and "/scale" not in request["target"] and body.get("kind") != "PartialObjectMetadata":
            self._objects[str((metadata or {})["name"])] = body

    def resolved(self, request: Request) -> Request:
        """Returns a request with its symbols replaced by values of earlier responses."""
        made: Request = {
            **request,
            "target": self._text(request["target"]).replace("<continue>", self._continue),
        }
        if "body" in request:
            made["body"] = self._body(request["body"])
        return made

    def _body(self, body: Any) -> Any:
        if isinstance(body, dict) and "stored" in body and "changes" in body:
            stored = self._objects.get(body["stored"])
            return self._value(body["else"] if stored is None else merged(stored, body["changes"]))
        return self._value(body)

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._value(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        return _SYMBOL.sub(self._symbol, text)

    def _symbol(self, match: "re.Match[str]") -> str:
        metadata: Mapping[str, Any] = self._objects.get(match[2], {}).get("metadata", {})
        return str(metadata.get("resourceVersion" if match[1] == "rv" else "uid", "7"))
