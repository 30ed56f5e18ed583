"""Where two answers differ, apart from identities and from the server's clock.

What is not compared: uids, resource versions, generated names and continue tokens as such (they are
translated first, see `identities`), the times that the server puts into metadata and managed fields, the
order of managed fields (which follows those times), ages in Tables, and the versions of lists.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.golang import yaml_text
from fakeapi.machinery.golang.yaml_text import YamlError
from fakeapi.traces import fieldpaths
from fakeapi.traces.fieldpaths import FieldPath
from fakeapi.traces.model import Response
from fakeapi.traces.recording.messages import first
from fakeapi.traces.replay.identity_map import Identities, metadata_of_items

Objects = list[dict[str, Any]]

DIFFERENCES_MAX = 20
"""Of one exchange; further ones are not looked for."""

SHOWN_MAX = 300
"""Characters of a value in a report."""

_TIME = "<time>"
_AGE = re.compile(r"(?:\d+[ydhms])+\Z")
_UID = "<uid>"
_NAMED = frozenset({"items", "rows", "managedFields"})
_WRAPPERS = frozenset({"items", "object", "rows"})
_OF_STATUS = frozenset({"reason", "message"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the answer is not as recorded.

    `kind`: what sort of difference, for summaries. `path`: "metadata.labels.app", "" for the whole answer.
    `recorded` and `now`: the values as JSON text, cut at SHOWN_MAX; "" where there is none.
    """

    kind: str
    path: str
    recorded: str = ""
    now: str = ""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.kind}: recorded {self.recorded or 'nothing'}, now {self.now or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How exactly answers are compared.

    `strict`: the content type, and what a server says of itself (discovery, version), too. `ignored`: fields,
    with all below them, that are not compared. `managed_fields`: False where the source may lack them.
    `page`: the answer is a part of a list, in which other objects may be now; those in both are compared.
    """

    strict: bool = False
    ignored: tuple[FieldPath, ...] = ()
    managed_fields: bool = True
    page: bool = False


def compare_answers(
    recorded: Response, now: Response, identities: Identities, how: Comparison, *, body: bool = True
) -> list[Difference]:
    """The differences of two answers to one request; learns what they tell about identities.

    `body` False: only the status is compared.
    """
    if recorded.status != now.status:
        return [Difference("status code", "", status_of(recorded), status_of(now, identities))]
    found = _headers(recorded, now, how)
    if not body:
        return found
    try:
        ours, theirs = _decoded(recorded, recorded.body), _decoded(now, now.body)
    except (JsonError, YamlError):
        if recorded.body != now.body and identities.backward(now.body) != recorded.body:
            found.append(Difference("body", "", _text(recorded.body), _text(now.body)))
        return found
    if now.status < 400:
        identities.learn(ours, theirs)

    def translated() -> Any:
        return _decoded(now, identities.backward(now.body))

    return found + compare_values(ours, theirs, translated, identities, how)


def _decoded(response: Response, body: bytes) -> Any:
    """Raises JsonError, YamlError."""
    if "yaml" in first(response.headers, "content-type"):
        return yaml_text.load(body)
    return decode(body)


def compare_values(
    recorded: Any, now: Any, translate: Callable[[], Any], identities: Identities, how: Comparison
) -> list[Difference]:
    """The differences of two decoded values, which are changed.

    `translate` gives `now` anew, in the words of the recorded server.
    """
    scrub(recorded, how)
    scrub(now, how)
    if _same(recorded, now, identities):
        return []
    translated = translate()
    scrub(translated, how)
    walk = _Walk(how, in_order=not identities.has_names)
    walk.compare(recorded, translated, ())
    return walk.found


def _same(recorded: Any, now: Any, identities: Identities) -> bool:
    """Whether two objects are alike but for their own identities; False where it takes a closer look."""
    if not (isinstance(recorded, dict) and isinstance(now, dict)):
        return bool(recorded == now)
    ours, theirs = recorded.get("metadata"), now.get("metadata")
    if not (isinstance(ours, dict) and isinstance(theirs, dict)) or not identities.same(ours, theirs):
        return bool(recorded == now)
    adjusted = {**theirs}
    for name in ("uid", "resourceVersion", "name"):
        if name in ours and name in theirs:
            adjusted[name] = ours[name]
    return recorded == {**now, "metadata": adjusted}


def scrub(value: Any, how: Comparison) -> None:
    """Takes out, in place, what belongs to the server's clock."""
    if not isinstance(value, dict):
        return
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        if "items" in value or "rows" in value:
            _scrub_list(value, metadata, how)
        else:
            _scrub_metadata(metadata, how)
    if "object" in value and "type" in value:
        scrub(value["object"], how)


def _scrub_list(value: dict[str, Any], metadata: dict[str, Any], how: Comparison) -> None:
    metadata.pop("resourceVersion", None)
    if metadata.get("continue"):
        metadata["continue"] = "<token>"
    for each in metadata_of_items(value):
        _scrub_metadata(each, how)
    for row in value.get("rows") or ():
        cells = row.get("cells") if isinstance(row, dict) else None
        if isinstance(cells, list):
            _scrub_ages(cells, value.get("columnDefinitions"))


def _scrub_ages(cells: list[Any], columns: Any) -> None:
    """Of a watch's Tables only the first names its columns: in the others, ages are told by their look."""
    if isinstance(columns, list) and columns:
        ages = [place for place, column in enumerate(columns) if column.get("name") == "Age"]
    else:
        ages = [place for place, cell in enumerate(cells) if isinstance(cell, str) and _AGE.match(cell)]
    for place in ages:
        cells[place] = _TIME


def _scrub_metadata(metadata: dict[str, Any], how: Comparison) -> None:
    for name in ("creationTimestamp", "deletionTimestamp"):
        if metadata.get(name) is not None:
            metadata[name] = _TIME
    managed = metadata.get("managedFields")
    if not isinstance(managed, list):
        return
    if not how.managed_fields:
        del metadata["managedFields"]
        return
    for entry in managed:
        if isinstance(entry, dict) and "time" in entry:
            entry["time"] = _TIME
    if len(managed) > 1:
        managed.sort(key=_manager)


def _manager(entry: Any) -> tuple[str, ...]:
    names = ("manager", "operation", "subresource", "apiVersion")
    return tuple(str(entry.get(name, "")) for name in names) if isinstance(entry, dict) else ()


def _headers(recorded: Response, now: Response, how: Comparison) -> list[Difference]:
    found = []
    if len(recorded.headers) > 1:  # an audit log has none but the content type, which it does not know itself
        ours, theirs = _warnings(recorded), _warnings(now)
        if ours != theirs:
            found.append(Difference("warning", "header Warning", show(ours), show(theirs)))
    if how.strict and recorded.headers:
        media, found_media = first(recorded.headers, "content-type"), first(now.headers, "content-type")
        if media != found_media:
            found.append(Difference("header", "header Content-Type", show(media), show(found_media)))
    return found


def _warnings(response: Response) -> list[str]:
    return [value for name, value in response.headers if name == "warning"]


class _Walk:
    """Collects the differences of two values that are scrubbed and in the same words."""

    def __init__(self, how: Comparison, *, in_order: bool) -> None:
        """`in_order`: the order of objects in lists counts; it follows their names, which may be others."""
        self._ignored = how.ignored
        self._page = how.page
        self._in_order = in_order
        self.found: list[Difference] = []

    def compare(self, recorded: Any, now: Any, path: Sequence[str | int]) -> None:
        if len(self.found) >= DIFFERENCES_MAX or recorded == now or self._is_ignored(path):
            return
        if isinstance(recorded, dict) and isinstance(now, dict):
            self._compare_objects(recorded, now, path)
        elif isinstance(recorded, list) and isinstance(now, list):
            self._compare_lists(recorded, now, path)
        else:
            kind = str(path[-1]) if len(path) == 1 and path[0] in _OF_STATUS else "value"
            self._add(kind, path, recorded, now)

    def _compare_objects(
        self, recorded: dict[str, Any], now: dict[str, Any], path: Sequence[str | int]
    ) -> None:
        for name, value in recorded.items():
            if name in now:
                self.compare(value, now[name], (*path, name))
            elif not self._is_ignored((*path, name)):
                self.found.append(Difference("field missing", render((*path, name)), show(value)))
        for name, value in now.items():
            if name not in recorded and not self._is_ignored((*path, name)):
                self.found.append(Difference("field added", render((*path, name)), "", show(value)))

    def _compare_lists(self, recorded: list[Any], now: list[Any], path: Sequence[str | int]) -> None:
        named = bool(path) and path[-1] in _NAMED
        if len(recorded) == len(now) and (self._in_order or not named or path[-1] == "managedFields"):
            for place, (ours, theirs) in enumerate(zip(recorded, now, strict=True)):
                self.compare(ours, theirs, (*path, place))
            return
        if named:
            ours, theirs = _keyed(recorded), _keyed(now)
            for key, place in ours.items():
                if key in theirs:
                    self.compare(recorded[place], now[theirs[key]], (*path, place))
                elif not self._page:
                    self.found.append(Difference("item missing", render(path), key))
            for key in theirs:
                if key not in ours and not self._page:
                    self.found.append(Difference("item added", render(path), "", key))
            return
        self._add("value", path, recorded, now)

    def _add(self, kind: str, path: Sequence[str | int], recorded: Any, now: Any) -> None:
        if path and path[-1] == "uid" and now is not None and recorded is not None:
            now = _UID
        self.found.append(Difference(kind, render(path), show(recorded), show(now)))

    def _is_ignored(self, path: Sequence[str | int]) -> bool:
        return bool(self._ignored) and bool(path) and any(covers(each, path) for each in self._ignored)


def covers(ignored: FieldPath, path: Sequence[str | int]) -> bool:
    """Whether a field, or one above it, is ignored; lists, and what wraps objects, are passed through."""
    steps = [step for step in path if isinstance(step, str)]
    while steps and steps[0] in _WRAPPERS and ignored[0] != steps[0]:
        del steps[0]
    return len(steps) >= len(ignored) and all(
        mine in ("*", step) for mine, step in zip(ignored, steps, strict=False)
    )


def _keyed(items: list[Any]) -> dict[str, int]:
    """The elements of a list by what they are called."""
    found: dict[str, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, dict) and "manager" in item:
            name = "/".join(part for part in _manager(item) if part)
        else:
            wrapped = item.get("object", item) if isinstance(item, dict) else {}
            metadata = wrapped.get("metadata", {}) if isinstance(wrapped, dict) else {}
            name = "/".join(part for part in (metadata.get("namespace"), metadata.get("name")) if part)
        found[name or f"[{place}]"] = place
    return found


def render(path: Iterable[str | int]) -> str:
    """As `fieldpaths` reads it, with the places in lists."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            rendered = fieldpaths.render((step,))
            text += rendered if rendered.startswith("[") or not text else f".{rendered}"
    return text


def show(value: Any) -> str:
    """A value as compact JSON, cut at SHOWN_MAX."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"


def _text(body: bytes) -> str:
    return show(body[: SHOWN_MAX * 4].decode("utf-8", "replace"))


def status_of(response: Response, identities: Identities | None = None) -> str:
    """The code, with reason and message where there are any."""
    body = response.body if identities is None else identities.backward(response.body)
    try:
        value = decode(body)
    except JsonError:
        return str(response.status)
    if not isinstance(value, dict) or value.get("kind") != "Status":
        return str(response.status)
    return f"{response.status} {value.get('reason', '')} {show(value.get('message', ''))}"
