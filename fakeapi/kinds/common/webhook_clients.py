"""Validates the `clientConfig` of webhooks: a URL, or a service of the cluster.

Follows k8s.io/apiserver `pkg/util/webhook`. Go's url.Parse rejects more URLs than this module does.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.names import is_dns1123_subdomain
from fakeapi.releases.rules import ReleaseRules

_FORM = "; desired format: https://host[/path]"
_PORT = "port is not valid: must be between 1 and 65535, inclusive"
_BAD_ESCAPE = lazy_pattern(r"%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL)


def validate_client(client: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a `clientConfig`, which must have either a URL or a service."""
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [required(path, "exactly one of url or service is required")]
    if url is not None:
        return _url_errors(url, f"{path}.url")
    return _service_errors(service or {}, f"{path}.service", rules)


def _url_errors(url: str, path: str) -> list[FieldError]:
    problem = _unparsable(url)
    if problem:
        return [required(path, f"url must be a valid URL: parse {quote(url)}: {problem}{_FORM}")]
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    errors: list[FieldError] = []
    if parts.scheme != "https":
        errors.append(invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not host:
        errors.append(invalid(path, "", f"host must be specified{_FORM}"))
    if at:
        errors.append(invalid(path, user, "user information is not permitted in the URL"))
    if parts.fragment:
        errors.append(invalid(path, parts.fragment, "fragments are not permitted in the URL"))
    if parts.query:
        errors.append(invalid(path, parts.query, "query parameters are not permitted in the URL"))
    return errors


def _unparsable(url: str) -> str:
    """Returns the error of Go's url.Parse for common mistakes in a URL; "" without such a mistake."""
    if any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in url):
        return "net/url: invalid control character in URL"
    if url.startswith(":"):
        return "missing protocol scheme"
    bad = _BAD_ESCAPE.search(url.partition("?")[0])
    if bad is not None:
        return f"invalid URL escape {quote(bad[0])}"
    try:
        urlsplit(url)
    except ValueError:
        return "missing ']' in host"
    return ""


def _service_errors(service: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the service of a webhook.

    Like upstream, reports a missing namespace at `name` and a missing name at `namespace`.
    """
    missing = rules.quirks.webhook_service_part_required
    errors: list[FieldError] = []
    if not service.get("namespace"):
        errors.append(required(f"{path}.name", missing.format("name")))
    if not service.get("name"):
        errors.append(required(f"{path}.namespace", missing.format("namespace")))
    port = service.get("port", 0)
    if not 0 < port <= 65535:
        errors.append(invalid(f"{path}.port", port, _PORT))
    return errors + _path_errors(service.get("path"), f"{path}.path")


def _path_errors(text: str | None, path: str) -> list[FieldError]:
    if not text or text == "/":
        return []
    if text == "//":
        return [invalid(path, text, "segment[0] may not be empty")]
    errors = [] if text.startswith("/") else [invalid(path, text, "must start with a '/'")]
    for index, segment in enumerate(text[1:].removesuffix("/").split("/")):
        if not segment:
            errors.append(invalid(path, text, f"segment[{index}] may not be empty"))
            continue
        errors += [invalid(path, text, f"segment[{index}]: {why}") for why in is_dns1123_subdomain(segment)]
    return errors
