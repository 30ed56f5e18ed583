"""Redactor: removes credentials and chosen fields from exchanges before they are recorded.

A replaced value keeps its type, so that requests stay valid in a replay. A second redaction changes nothing.
"""

import base64
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from fakeapi.clients.messages import Headers, Response
from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces import fieldpaths
from fakeapi.traces.fieldpaths import FieldPath
from fakeapi.traces.model import Exchange, Request, StreamEvent
from fakeapi.traces.recording.credentials import (
    REDACTED,
    clean_binary,
    clean_header,
    clean_target,
    clean_text,
    holds_credentials,
    is_credential,
    is_credential_header,
    is_credential_variable,
    is_option,
    may_hold_credentials,
)

_REDACTED_DATA = base64.b64encode(REDACTED.encode()).decode()

LITERAL_MIN = 8
"""Minimum length, in characters, of a header's credential that is also removed from bodies and paths."""

_SECRETS = lazy_pattern(r"/secrets(?:/|\?|$)")
_SECRET_KIND = lazy_pattern(
    rb"[\"']?kind[\"']?[ \t]{0,8}:[ \t]{0,8}[\"']?Secret(?:List)?\b|\x12\x06Secret\x12|\x12\x0aSecretList\x12"
)
"""Matches the kind of a Secret in protobuf, or in text such as YAML."""


class Redactor:
    """Removes credentials and fields from exchanges.

    - `credentials`: whether to remove credentials.
    - `paths`: the paths of the fields to remove.
    """

    def __init__(self, *, credentials: bool = True, paths: tuple[FieldPath, ...] = ()) -> None:
        self._credentials = credentials
        self._paths = paths
        self._known: dict[str, None] = {}
        self.names = (("credentials",) if credentials else ()) + tuple(map(fieldpaths.render, paths))
        """The parts that the Redactor removes, for the header of a trace: "credentials" and field paths."""

    def hide(self, header: str) -> None:
        """Adds a credential that is removed from all later exchanges.

        `header`: the value of an Authorization header with the credential.
        """
        self._known.update(dict.fromkeys(_literals(header)))

    def exchange(self, exchange: Exchange) -> Exchange:
        """Returns an exchange without credentials and removed fields.

        Returns the same object if nothing changes.
        """
        if not self.names:
            return exchange
        secrets = self._credentials and _SECRETS.search(unquote(exchange.request.target)) is not None
        work = _Work(self, self._literals(exchange.request), secrets=secrets)
        request, response, events = exchange.request, exchange.response, exchange.events
        request = work.request(request)
        response = None if response is None else work.response(response)
        events = work.events(events) if events else events
        if request is exchange.request and response is exchange.response and events is exchange.events:
            return exchange
        return replace(exchange, request=request, response=response, events=events)

    def _literals(self, request: Request) -> tuple[str, ...]:
        """Returns the credentials in the headers of a request, and the credentials that `hide` has added."""
        if not self._credentials:
            return ()
        by_header = (_literals(value) for name, value in request.headers if is_credential_header(name))
        return (*self._known, *(credential for credentials in by_header for credential in credentials))

    def headers(self, headers: Headers) -> Headers:
        """Returns headers without credentials. Returns the same tuple if nothing changes."""
        if not self._credentials:
            return headers
        clean = tuple((name, clean_header(name, value)) for name, value in headers)
        return headers if clean == headers else clean

    def body(self, data: bytes, *, secrets: bool = False) -> bytes:
        """Returns a body without credentials and removed fields.

        Returns the same bytes if nothing changes.

        `secrets`: whether the body contains Secrets.
        """
        suspect = self._credentials and (secrets or may_hold_credentials(data))
        if not data or not (suspect or self._paths):
            return data
        try:
            value = decode(data)
        except JsonError:
            return _unstructured(data, secrets=secrets) if suspect else data
        try:
            changed = suspect and scrub(value, secrets=secrets)
            for path in self._paths:
                changed = fieldpaths.change(value, path, _blank) or changed
            return encode(value) + (b"\n" if data.endswith(b"\n") else b"") if changed else data
        except RecursionError:
            return encode(REDACTED)


class _Work:
    """Redacts the parts of one exchange. `literals`: credentials to remove from all texts of the exchange."""

    def __init__(self, redactor: Redactor, literals: tuple[str, ...], *, secrets: bool) -> None:
        self._redactor = redactor
        self._literals = tuple((literal, literal.encode("utf-8", "surrogatepass")) for literal in literals)
        self._secrets = secrets

    def request(self, request: Request) -> Request:
        headers, body = self._headers(request.headers), self._body(request.body)
        target = request.target
        if self._redactor.names[0] == "credentials":
            target = self._text(clean_target(target))
        if headers is request.headers and body is request.body and target == request.target:
            return request
        return Request(request.method, target, headers, body)

    def response(self, response: Response) -> Response:
        headers, body = self._headers(response.headers), self._body(response.body)
        if headers is response.headers and body is response.body:
            return response
        return Response(response.status, headers, body)

    def events(self, events: tuple[StreamEvent, ...]) -> tuple[StreamEvent, ...]:
        clean = tuple(self._event(event) for event in events)
        same = all(new is old for new, old in zip(clean, events, strict=True))
        return events if same else clean

    def _event(self, event: StreamEvent) -> StreamEvent:
        line = self._body(event.line)
        return event if line is event.line else StreamEvent(event.offset, line)

    def _headers(self, headers: Headers) -> Headers:
        clean = self._redactor.headers(headers)
        if not any(text in value for text, _ in self._literals for _, value in clean):
            return clean
        return tuple((name, self._text(value)) for name, value in clean)

    def _text(self, text: str) -> str:
        for literal, _ in self._literals:
            text = text.replace(literal, REDACTED)
        return text

    def _body(self, data: bytes) -> bytes:
        body = self._redactor.body(data, secrets=self._secrets)
        for _, literal in self._literals:
            if literal in body:
                hidden = REDACTED.encode() if _is_text(body) else b"x" * len(literal)
                body = body.replace(literal, hidden)
        return body


def _literals(header: str) -> tuple[str, ...]:
    """Returns the credential in a header value, without the scheme (such as Bearer).

    Returns an empty tuple if the credential is shorter than LITERAL_MIN, or already redacted.
    """
    word = header.rpartition(" ")[2]
    return (word,) if len(word) >= LITERAL_MIN and word != REDACTED else ()


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _blank(value: Any) -> Any:
    """Returns the empty value of the same JSON type, or "redacted" for a string."""
    if isinstance(value, str):
        return REDACTED
    return None if value is None else type(value)()


def scrub(value: Any, *, secrets: bool) -> bool:
    """Removes credentials from a JSON value in place, and returns whether the value changed.

    `secrets`: whether the value contains Secrets.
    """
    if isinstance(value, list):
        return _scrub_list(value, secrets=secrets)
    if not isinstance(value, dict):
        return False
    secrets = secrets or value.get("kind") in ("Secret", "SecretList")
    changed = secrets and _scrub_secret(value)
    named = value.get("name")
    is_variable = isinstance(named, str) and "value" in value and is_credential_variable(named)
    for key, member in value.items():
        if (key == "value" and is_variable) or is_credential(key):
            if isinstance(member, str) and member not in {"", REDACTED}:
                value[key], changed = REDACTED, True
                continue
            if isinstance(member, int | float) and not isinstance(member, bool) and member:
                value[key], changed = 0, True
                continue
        if isinstance(member, dict | list) and holds_credentials(key, member):
            changed = _blank_texts(member) or changed
        changed = _scrub_inside(value, key, secrets=secrets) or changed
    return changed


def _blank_texts(holder: Any) -> bool:
    """Replaces all strings in a list or object by "redacted", in place. Returns whether the value changed."""
    members = holder.items() if isinstance(holder, dict) else enumerate(holder)
    changed = False
    for key, member in list(members):
        if isinstance(member, str) and member not in {"", REDACTED}:
            holder[key], changed = REDACTED, True
        elif isinstance(member, dict | list):
            changed = _blank_texts(member) or changed
    return changed


def _scrub_list(value: list[Any], *, secrets: bool) -> bool:
    changed = False
    for index, each in enumerate(value):
        before = value[index - 1] if index else None
        if isinstance(each, str) and isinstance(before, str) and is_option(before):
            changed = changed or each != REDACTED
            value[index] = REDACTED
        else:
            changed = _scrub_inside(value, index, secrets=secrets) or changed
    return changed


def _scrub_inside(holder: Any, key: Any, *, secrets: bool) -> bool:
    value = holder[key]
    if not isinstance(value, str):
        return scrub(value, secrets=secrets)
    if value == REDACTED or len(value) < len("token=x"):
        return False
    data = value.encode("utf-8", "surrogatepass")
    if not may_hold_credentials(data):
        return False
    clean = clean_text(data)
    if clean == data:
        return False
    holder[key] = clean.decode("utf-8", "surrogatepass")
    return True


def _scrub_secret(value: dict[str, Any]) -> bool:
    """Replaces the data of a Secret, or of a patch of a Secret, in place.

    Returns whether the value changed.
    """
    before = repr(value)
    for field, replacement in (("data", _REDACTED_DATA), ("stringData", REDACTED)):
        data = value.get(field)
        if isinstance(data, dict):
            value[field] = {key: None if text is None else replacement for key, text in data.items()}
    annotations = value["metadata"].get("annotations") if isinstance(value.get("metadata"), dict) else None
    applied = "kubectl.kubernetes.io/last-applied-configuration"
    if isinstance(annotations, dict) and annotations.get(applied):
        annotations[applied] = REDACTED
    if "op" in value and str(value.get("path", "")).startswith(("/data", "/stringData")) and "value" in value:
        inner = value["value"]
        replacement = _REDACTED_DATA if value["path"].startswith("/data") else REDACTED
        value["value"] = dict.fromkeys(inner, replacement) if isinstance(inner, dict) else replacement
    return repr(value) != before


def _unstructured(data: bytes, *, secrets: bool) -> bytes:
    """Returns a redacted body that is not JSON: text such as YAML, or binary data such as protobuf.

    `secrets`: whether the body contains Secrets. If so, or if the body names the kind Secret, the whole body
    is removed.
    """
    secrets = secrets or _SECRET_KIND.search(data) is not None
    if not _is_text(data):
        return b"" if secrets else clean_binary(data)
    return REDACTED.encode() if secrets else clean_text(data)
