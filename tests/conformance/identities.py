"""Maps identities of the recorded server to identities of the server under test.

Identities are uids, generated names, resourceVersions and continue tokens. The map learns an identity from
the first response that has it.
"""

import json
import re
from typing import Any

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_RANDOM_LENGTH = 5
_VERSION_IN_TARGET = re.compile(r"([?&]resourceVersion=)(\d+)")
_SMALL_VERSION = 1  # "0" and "1" in a request are not mapped


def is_list(value: dict[str, Any]) -> bool:
    """Whether a JSON value is a list or a Table. Its resourceVersion does not belong to one object."""
    return (
        isinstance(value.get("items"), list)
        or isinstance(value.get("rows"), list)
        or str(value.get("kind", "")).endswith("List")
    )


class Identities:
    """Maps recorded uids, names, resourceVersions and continue tokens to the tested server's values."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.list_versions: dict[str, str] = {}
        self._objects: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def learn(self, recorded: Any, actual: Any) -> None:
        """Learns the identities in a response.

        `recorded`: the recorded body. `actual`: the body from the tested server.
        """
        if isinstance(recorded, dict) and isinstance(actual, dict):
            self._learn_meta(recorded.get("metadata"), actual.get("metadata"), is_list=is_list(recorded))
            self._learn_object(recorded, actual)
            for key in recorded.keys() & actual.keys():
                self.learn(recorded[key], actual[key])
        elif isinstance(recorded, list) and isinstance(actual, list):
            for one, other in zip(recorded, actual, strict=False):
                self.learn(one, other)

    def _learn_meta(self, recorded: Any, actual: Any, *, is_list: bool) -> None:
        if not (isinstance(recorded, dict) and isinstance(actual, dict)):
            return
        for key in ("uid", "continue"):
            if isinstance(recorded.get(key), str) and isinstance(actual.get(key), str):
                self.texts.setdefault(recorded[key], actual[key])
        prefix, name = recorded.get("generateName"), recorded.get("name", "")
        if prefix and actual.get("name") and name[:-_RANDOM_LENGTH] == prefix[: len(name) - _RANDOM_LENGTH]:
            self.texts.setdefault(name, actual["name"])
        self._learn_version(recorded.get("resourceVersion"), actual.get("resourceVersion"), is_list=is_list)

    def _learn_object(self, recorded: dict[str, Any], actual: dict[str, Any]) -> None:
        metadata = recorded.get("metadata"), actual.get("metadata")
        if all(isinstance(one, dict) for one in metadata) and isinstance(
            recorded["metadata"].get("uid"), str
        ):
            self._objects[recorded["metadata"]["uid"]] = recorded, actual

    def _learn_version(self, recorded: Any, actual: Any, *, is_list: bool) -> None:
        """Maps a recorded resourceVersion to the actual resourceVersion.

        Never maps two recorded resourceVersions of objects to the same actual resourceVersion. `is_list`:
        whether both resourceVersions belong to a list.
        """
        if not all(isinstance(version, str) and version.isdigit() for version in (recorded, actual)):
            return
        if is_list:
            self.list_versions[recorded] = actual
        elif actual not in self.versions.values():
            self.versions.setdefault(recorded, actual)

    def text(self, value: str) -> str:
        """Returns the text with recorded identities replaced by identities of the tested server.

        Replaces only whole words: 10.0.0.1 is not replaced inside 10.0.0.18.
        """
        patterns = [re.escape(recorded) for recorded in self.texts if recorded in value]
        if not patterns:
            return value
        words = "|".join(sorted(patterns, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda match: self.texts[match[0]], value)

    def target(self, value: str) -> str:
        """Replaces recorded identities in a request target with identities of the tested server."""
        return _VERSION_IN_TARGET.sub(lambda match: match[1] + self._version(match[2]), self.text(value))

    def _version(self, recorded: str) -> str:
        return self.versions.get(recorded) or self.list_versions.get(recorded) or recorded

    def body(self, value: Any) -> Any:
        """Replaces recorded identities in a request body with identities of the tested server."""
        if isinstance(value, str):
            return self.text(value)
        value = self._with_times(value)
        return json.loads(self.text(json.dumps(value)), object_hook=self._with_version)

    def _with_times(self, value: Any) -> Any:
        """Replaces times and managed fields in a request body by the values of the tested server.

        Replaces only values that the recorded client sent back unchanged.
        """
        meta = value.get("metadata") if isinstance(value, dict) else None
        if not isinstance(meta, dict) or meta.get("uid") not in self._objects:
            return value
        recorded, actual = self._objects[meta["uid"]]
        fields, stored = meta.get("managedFields"), actual["metadata"].get("managedFields")
        if fields and stored is not None and fields == recorded["metadata"].get("managedFields"):
            meta = {**meta, "managedFields": stored}
        return _with_times({**value, "metadata": meta}, recorded, actual)

    def _with_version(self, found: dict[str, Any]) -> dict[str, Any]:
        version = found.get("resourceVersion")
        if isinstance(version, str) and version in self.versions and int(version) > _SMALL_VERSION:
            found["resourceVersion"] = self.versions[version]
        return found


def _with_times(value: Any, recorded: Any, actual: Any) -> Any:
    """Returns a value with the times of `actual` where it has the times of `recorded`."""
    if isinstance(value, dict) and isinstance(recorded, dict) and isinstance(actual, dict):
        return {name: _with_times(item, recorded.get(name), actual.get(name)) for name, item in value.items()}
    if isinstance(value, list) and isinstance(recorded, list) and isinstance(actual, list):
        if len(value) == len(recorded) == len(actual):
            return list(map(_with_times, value, recorded, actual))
        return value
    if not (isinstance(value, str) and isinstance(actual, str)) or value != recorded:
        return value
    same_precision = len(value) == len(actual)
    return actual if same_precision and _TIME.fullmatch(value) and _TIME.fullmatch(actual) else value
