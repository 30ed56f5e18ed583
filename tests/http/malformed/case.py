"""Describes a malformed request and the response of Kubernetes 1.31."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.http import wire

GROUP = "/apis/resource.k8s.io/v1alpha3"
CLAIMS = f"{GROUP}/namespaces/default/resourceclaims"
HELD = f"{CLAIMS}/held"
"""The URL path of an existing claim. A request to this path fails only because of its malformed part."""

ABSENT = "\0absent"
"""Instead of a header value: the request must leave out this header."""

JSON = "application/json"
YAML = "application/yaml"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
STRATEGIC = "application/strategic-merge-patch+json"

REASONS = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    500: "",
    504: "Timeout",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A malformed request and the expected response.

    - `answers`: the expected status code
    - `reason`: the expected reason; None for the usual reason of the status code
    - `plain`: whether the expected body is text, as from Go's HTTP server, instead of a Status

    The file `messages.json` contains the start of each message that kube-apiserver sent, unless the message
    depends on stored objects. Kubernetes accepts some of the requests, which then change no objects.
    """

    name: str
    answers: int
    method: str = "GET"
    path: str = field(default=CLAIMS, repr=False)
    body: bytes | None = field(default=None, repr=False)
    headers: Sequence[tuple[str, str]] = ()
    reason: str | None = None
    plain: bool = False

    @property
    def refused(self) -> bool:
        return self.answers >= 400

    def head(self, extra: Sequence[tuple[str, str]] = ()) -> bytes:
        """Returns the request line and the headers, followed by the headers in `extra`.

        Adds a missing Host or Content-Length.
        """
        headers = [*self.headers, *extra]
        names = {name.lower() for name, _ in headers}
        if ("Host", ABSENT) not in headers:
            headers.insert(0, ("Host", "localhost"))
        if self.body is not None and not names & {"content-length", "transfer-encoding"}:
            headers.append(("Content-Length", str(len(self.body))))
        pairs = [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in headers if value != ABSENT
        ]
        return wire.head(self.method.encode(), self.path.encode("latin-1"), pairs)

    @property
    def expected_reason(self) -> str:
        return REASONS[self.answers] if self.reason is None else self.reason


def claim(metadata: Mapping[str, Any] | None = None, /, **members: Any) -> dict[str, Any]:
    """Returns a valid claim.

    `metadata`: fields to add to its metadata. `members`: top-level fields to set.
    """
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": "new", **(metadata or {})},
        "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
        **members,
    }


def request_with(**members: Any) -> dict[str, Any]:
    """Returns a valid claim whose single device request has these additional fields."""
    return claim(
        spec={"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com", **members}]}}
    )


def encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def post(name: str, answers: int, body: Any, *, query: str = "", media_type: str = JSON, **more: Any) -> Case:
    return Case(name, answers, "POST", CLAIMS + query, encoded(body), (("Content-Type", media_type),), **more)


def put(name: str, answers: int, body: Any, *, path: str = HELD, **more: Any) -> Case:
    return Case(name, answers, "PUT", path, encoded(body), (("Content-Type", JSON),), **more)


def patch(name: str, answers: int, media_type: str, body: Any, *, query: str = "", **more: Any) -> Case:
    headers = (("Content-Type", media_type),)
    return Case(name, answers, "PATCH", HELD + query, encoded(body), headers, **more)


def delete(name: str, answers: int, body: Any, *, media_type: str = JSON, **more: Any) -> Case:
    return Case(name, answers, "DELETE", HELD, encoded(body), (("Content-Type", media_type),), **more)


def get(name: str, answers: int, path: str, **more: Any) -> Case:
    return Case(name, answers, "GET", path, None, (), **more)
