"""Removes credentials and chosen fields from exchanges before they are written.

A replaced value keeps its type, so that requests stay valid and a replay sends the same shape. Redacting
twice gives the same as redacting once.
"""

import base64
import re
from dataclasses import replace
from typing import Any

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.traces import fieldpaths
from fakeapi.traces.fieldpaths import FieldPath
from fakeapi.traces.model import Exchange, Headers, Request, Response, StreamEvent

REDACTED = "redacted"
_REDACTED_DATA = base64.b64encode(REDACTED.encode()).decode()

_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-cookie",
        "x-amz-security-token",
        "x-api-key",
        "x-auth-token",
        "x-csrf-token",
        "x-forwarded-access-token",
        "x-forwarded-client-cert",
        "x-remote-extra-token",
    }
)

_KEYS = frozenset(
    {
        "accesstoken",
        "apikey",
        "authorization",
        "bearertoken",
        "clientcertificatedata",
        "clientkeydata",
        "clientsecret",
        "idtoken",
        "passwd",
        "password",
        "privatekey",
        "refreshtoken",
        "secretaccesskey",
        "token",
    }
)
"""Keys, in lower case without dashes and underscores, whose text is a credential."""

_NEEDLES = tuple(
    text.encode()
    for text in (
        *("oken", "OKEN", "assw", "ASSW", "ecret", "ECRET", "pikey", "pi_key", "pi-key", "piKey", "PI_KEY"),
        *("client-", "clientC", "clientK", "rivate", "PRIVATE", "uthorization", "eyJ"),
    )
)
"""Every body with a credential contains one of these; other bodies are not decoded, for speed."""

_VARIABLE = re.compile(r"passw|token|secret|credential|api_?key|private_?key|access_?key", re.IGNORECASE)
"""The name of an environment variable or parameter whose `value` is a credential."""

_JWT = re.compile(rb"eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}")
_PEM = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_SETTING = re.compile(
    rb"^([ \t-]*[\"']?(?:token|access-token|id-token|refresh-token|client-key-data|client-certificate-data"
    rb"|password)[\"']?[ \t]*:[ \t]*)[\"']?[^\s\"'{\[,}][^\n,}]*",
    re.MULTILINE,
)
"""A credential in a kubeconfig, or in YAML of its kind."""

_QUERY = re.compile(r"([?&](?:access_token|id_token|token|password)=)[^&#]+")
_SECRETS = re.compile(r"/secrets(?:/|\?|$)")


class Redactor:
    """Removes credentials, unless `credentials` is false, and the fields at `paths` from exchanges."""

    def __init__(self, *, credentials: bool = True, paths: tuple[FieldPath, ...] = ()) -> None:
        self._credentials = credentials
        self._paths = paths
        self.names = (("credentials",) if credentials else ()) + tuple(map(fieldpaths.render, paths))
        """The names of what is removed, for a trace's header."""

    def exchange(self, exchange: Exchange) -> Exchange:
        """The redacted exchange; the same object where nothing had to be removed."""
        if not self.names:
            return exchange
        secrets = self._credentials and _SECRETS.search(exchange.request.target) is not None
        request = self._request(exchange.request, secrets=secrets)
        response = None if exchange.response is None else self._response(exchange.response, secrets=secrets)
        events = exchange.events
        if events:
            events = tuple(self._event(event, secrets=secrets) for event in events)
            if all(new is old for new, old in zip(events, exchange.events or (), strict=True)):
                events = exchange.events
        if request is exchange.request and response is exchange.response and events is exchange.events:
            return exchange
        return replace(exchange, request=request, response=response, events=events)

    def headers(self, headers: Headers) -> Headers:
        if not self._credentials or not any(name in _HEADERS for name, _ in headers):
            return headers
        return tuple((name, _hidden(value) if name in _HEADERS else value) for name, value in headers)

    def body(self, data: bytes, *, secrets: bool = False) -> bytes:
        """The redacted body; the same bytes where nothing had to be removed. `secrets`: it is a Secret's."""
        suspect = self._credentials and (secrets or any(needle in data for needle in _NEEDLES))
        if not data or not (suspect or self._paths):
            return data
        try:
            value = decode(data)
        except JsonError:
            return _text(data, secrets=secrets) if suspect else data
        changed = suspect and _scrub(value, secrets=secrets)
        for path in self._paths:
            changed = fieldpaths.change(value, path, _blank) or changed
        if not changed:
            return data
        return encode(value) + (b"\n" if data.endswith(b"\n") else b"")

    def _request(self, request: Request, *, secrets: bool) -> Request:
        headers, body = self.headers(request.headers), self.body(request.body, secrets=secrets)
        target = request.target
        if self._credentials and "?" in target:
            target = _QUERY.sub(rf"\g<1>{REDACTED}", target)
        if headers is request.headers and body is request.body and target == request.target:
            return request
        return Request(request.method, target, headers, body)

    def _response(self, response: Response, *, secrets: bool) -> Response:
        headers, body = self.headers(response.headers), self.body(response.body, secrets=secrets)
        if headers is response.headers and body is response.body:
            return response
        return Response(response.status, headers, body)

    def _event(self, event: StreamEvent, *, secrets: bool) -> StreamEvent:
        line = self.body(event.line, secrets=secrets)
        return event if line is event.line else StreamEvent(event.offset, line)


def _hidden(value: str) -> str:
    """A redacted header value that keeps the scheme of Authorization."""
    scheme, space, rest = value.partition(" ")
    return f"{scheme} {REDACTED}" if space and rest and "=" not in scheme else REDACTED


def _blank(value: Any) -> Any:
    """The empty value of the same type; "redacted" for text."""
    if isinstance(value, str):
        return REDACTED
    return None if value is None else type(value)()


def _scrub(value: Any, *, secrets: bool) -> bool:
    """Removes credentials from a JSON value in place; returns whether there were any."""
    if isinstance(value, list):
        # `sum` and not `any`, which would stop at the first change.
        return sum(_scrub_inside(value, index, secrets=secrets) for index in range(len(value))) > 0
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    secrets = secrets or kind in {"Secret", "SecretList"}
    changed = secrets and _scrub_secret(value)
    named = value.get("name")
    for key in value:
        credential = _plain(key) in _KEYS or (
            key == "value" and isinstance(named, str) and _VARIABLE.search(named)
        )
        if credential and isinstance(value[key], str):
            if value[key] not in {"", REDACTED}:
                value[key], changed = REDACTED, True
        else:
            changed = _scrub_inside(value, key, secrets=secrets) or changed
    return changed


def _scrub_inside(holder: Any, key: Any, *, secrets: bool) -> bool:
    value = holder[key]
    if not isinstance(value, str):
        return _scrub(value, secrets=secrets)
    if len(value) < len("token: x"):
        return False
    data = value.encode("utf-8", "surrogatepass")
    clean = _clean(data)
    if clean == data:
        return False
    holder[key] = clean.decode("utf-8", "surrogatepass")
    return True


def _scrub_secret(value: dict[str, Any]) -> bool:
    """Removes the data of a Secret, or of a patch of one, in place; returns whether there were any."""
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


def _plain(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")


def _text(data: bytes, *, secrets: bool) -> bytes:
    """A body that is not JSON: YAML, or protobuf, in which replacements must keep their length."""
    try:
        data.decode()
    except UnicodeDecodeError:
        if secrets:
            return b""
        hidden = _JWT.sub(lambda match: b"x" * len(match[0]), data)
        return _PEM.sub(lambda match: b"x" * len(match[0]), hidden)
    return REDACTED.encode() if secrets else _clean(data)


def _clean(data: bytes) -> bytes:
    """Text without JSON Web Tokens, private keys and kubeconfig credentials."""
    word = REDACTED.encode()
    if b"eyJ" in data:
        data = _JWT.sub(word, data)
    if b"PRIVATE KEY" in data:
        data = _PEM.sub(word, data)
    return _SETTING.sub(rb"\g<1>" + word, data) if b":" in data else data
