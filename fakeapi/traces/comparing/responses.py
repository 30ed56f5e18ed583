"""Compares two responses to one request: the recorded response, and the response in a replay.

First translates uids, resourceVersions and generated names; see `fakeapi.traces.analysis.identity_map`. The
comparison ignores:

- times that the server sets in metadata and managed fields,
- the order of managed fields, which follows these times,
- ages in Tables,
- the resourceVersions of lists, and the values of continue tokens.
"""

from typing import Any

from fakeapi.clients.messages import Response, first_header
from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.golang import yaml_text
from fakeapi.machinery.golang.yaml_text import YamlError
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.comparing.differences import SHOWN_MAX, Difference, DifferenceKind, show
from fakeapi.traces.comparing.values import CompareOptions, compare_values


def compare_answers(
    recorded: Response, now: Response, identities: IdentityMap, how: CompareOptions, *, body: bool = True
) -> list[Difference]:
    """Returns the differences of two responses to one request.

    - `recorded` and `now`: the recorded response, and the response in the replay.
    - `identities`: translates `now` to recorded uids, resourceVersions and names, and learns new pairs.
    - `how`: the options of the comparison.
    - `body`: whether to compare the bodies too, not only status and headers.
    """
    if recorded.status != now.status:
        return [Difference(DifferenceKind.STATUS_CODE, "", status_of(recorded), status_of(now, identities))]
    differences = _headers(recorded, now, how)
    if not body:
        return differences
    try:
        ours, theirs = _decoded(recorded, recorded.body), _decoded(now, now.body)
    except (JsonError, YamlError):
        if recorded.body != now.body and identities.backward(now.body) != recorded.body:
            differences.append(Difference(DifferenceKind.BODY, "", _text(recorded.body), _text(now.body)))
        return differences
    if now.status < 400:
        identities.learn(ours, theirs)

    def translated() -> Any:
        return _decoded(now, identities.backward(now.body))

    return differences + compare_values(ours, theirs, translated, identities, how)


def _decoded(response: Response, body: bytes) -> Any:
    """Decodes a body as YAML or JSON, by the Content-Type of the response.

    Raises JsonError or YamlError if the body is not valid.
    """
    if "yaml" in first_header(response.headers, "content-type"):
        return yaml_text.load(body)
    return decode(body)


def _headers(recorded: Response, now: Response, options: CompareOptions) -> list[Difference]:
    differences = []
    if len(recorded.headers) > 1:  # audit logs have no headers, at most an inferred content type
        ours, theirs = _warnings(recorded), _warnings(now)
        if ours != theirs:
            differences.append(Difference(DifferenceKind.WARNING, "header Warning", show(ours), show(theirs)))
    if options.strict and recorded.headers:
        media, found_media = (
            first_header(recorded.headers, "content-type"),
            first_header(now.headers, "content-type"),
        )
        if media != found_media:
            differences.append(
                Difference(DifferenceKind.HEADER, "header Content-Type", show(media), show(found_media))
            )
    return differences


def _warnings(response: Response) -> list[str]:
    return [value for name, value in response.headers if name == "warning"]


def _text(body: bytes) -> str:
    return show(body[: SHOWN_MAX * 4].decode("utf-8", "replace"))


def status_of(response: Response, identities: IdentityMap | None = None) -> str:
    """Returns the status code as text, with reason and message if the body is a Status.

    `identities`: translates uids and names of the replay target to recorded uids and names; None for a
    recorded response.
    """
    body = response.body if identities is None else identities.backward(response.body)
    try:
        value = decode(body)
    except JsonError:
        return str(response.status)
    if not isinstance(value, dict) or value.get("kind") != "Status":
        return str(response.status)
    return f"{response.status} {value.get('reason', '')} {show(value.get('message', ''))}"
