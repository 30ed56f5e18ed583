"""Runs a fake cluster for commands that read clusters. The test chooses its responses."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.http.small_servers import http_server

RESOURCE = {"name": "configmaps", "kind": "ConfigMap", "namespaced": True, "verbs": ["list", "create"]}

Answers = dict[str, Any]
"""Response bodies by URL path, as JSON values or bytes. Other paths get 404."""


def cluster_of(items: Any, resource: Any = RESOURCE, **more: Any) -> Answers:
    """Returns the responses of a cluster that serves a single resource of core/v1.

    - `items`: the items in the list of ConfigMaps
    - `resource`: the resource in the discovery document
    - `more`: additional or changed responses by URL path
    """
    return {
        "/apis": {"groups": []},
        "/api/v1": {"resources": [resource]},
        "/api/v1/configmaps": {"metadata": {}, "items": items},
        **more,
    }


def config_map(name: str, namespace: Any = "ok", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace, **metadata}, "data": {"a": "b"}}


@contextmanager
def answering(answer_of: Callable[[str], Any]) -> Iterator[str]:
    """Runs a server that responds to each GET with `answer_of(path)`; yields the server's URL.

    `answer_of` returns a JSON value, bytes, or None for 404.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answer_of(self.path.partition("?")[0])
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Logs nothing."""

    with http_server(Handler) as url:
        yield url
