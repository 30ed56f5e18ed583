"""Returns the URL fragments under which the live page of the target displays objects.

The report of a replay links to these URLs.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.meta.request_info import parse
from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.model import StreamEvent


def place_of_answer(target: str, sent: bytes, answer: bytes, identities: IdentityMap) -> str:
    """Returns the URL fragment under which the live page displays the object of a response.

    - `target`: the path and query of the request to the replay target, not of the recorded request.
    - `sent` and `answer`: the bodies of this request and of its response.

    The page displays the object at the resourceVersion of the response. If the response has none, as after an
    error, the page displays the newest version. For a list, the page displays the kind of the list. For a
    path without a resource, the fragment is "".
    """
    info = parse(unquote(target.partition("?")[0]))
    if info is None or not info.resource:
        return ""
    metadata = _metadata(answer)
    name = info.name or metadata.get("name") or _metadata(sent).get("name")
    if not isinstance(name, str) or not name:
        return f"#/objects/{quote(info.group or '-', safe='')}/{info.resource}"
    version = metadata.get("resourceVersion") or str(identities.versions.newest)
    return _object(info.group, info.resource, info.namespace, name, str(version))


def place_of_event(key: Key, event: StreamEvent | None, identities: IdentityMap) -> str:
    """Returns the URL fragment under which the live page displays the object of a recorded watch event.

    - `key`: group, resource, namespace and name of the object.
    - `event`: the recorded event; None if the object has no recorded event.

    Returns "" if `key` has no name.
    """
    group, resource, namespace, name = key
    path = f"/apis/{group}/v1/{f'namespaces/{namespace}/' if namespace else ''}{resource}/{name}"
    info = parse(identities.target(path))
    if info is None or not name:
        return ""
    recorded = {} if event is None else _metadata(event.line, "object")
    version = identities.versions.exact(str(recorded.get("resourceVersion", "")))
    return _object(group, resource, info.namespace, info.name, version)


def _object(group: str, resource: str, namespace: str, name: str, version: str) -> str:
    parts = [group or "-", resource, namespace or "-", name, version]
    return "#/object/" + "/".join(quote(part, safe="") for part in parts if part)


def _metadata(body: bytes, member: str = "") -> Mapping[str, Any]:
    """Returns the metadata of the object in a body. Empty for a Status, a list or invalid JSON.

    `member`: the field of the body that contains the object; "" if the body is the object.
    """
    try:
        value = decode(body)
    except JsonError:
        return {}
    if member and isinstance(value, dict):
        value = value.get(member)
    if not isinstance(value, dict) or value.get("kind") == "Status" or "items" in value:
        return {}
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
