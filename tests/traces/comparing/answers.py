"""Builds HTTP responses for tests to compare."""

import json
from typing import Any

from fakeapi.clients.messages import Response
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.comparing.differences import Difference
from fakeapi.traces.comparing.responses import compare_answers
from fakeapi.traces.comparing.values import CompareOptions

JSON = (("content-type", "application/json"),)


def response(value: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = JSON) -> Response:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Response(status, headers, body)


def compared(recorded: Any, now: Any, **how: Any) -> list[Difference]:
    return compare_answers(response(recorded), response(now), IdentityMap(), CompareOptions(**how))


def claim(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "ResourceClaim",
        "metadata": {"name": "a", "namespace": "ns", "uid": "u1", "resourceVersion": "1"},
        "spec": {"devices": {"requests": [{"name": "gpu"}]}},
        **fields,
    }
