"""Maps identities of the recorded server to identities of the server under test.

Identities are uids, generated names, resourceVersions and continue tokens. The map learns an identity from
the first response that has it.
"""

import json
import re
from typing import Any

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
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
        self._metadata: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def learn(self, recorded: Any, actual: Any) -> None:
        """Learns the identities in a response.

        `recorded`: the recorded body. `actual`: the body from the tested server.
        """
        if isinstance(recorded, dict) and isinstance(actual, dict):
            self._learn_meta(recorded.get("metadata"), actual.get("metadata"), is_list=is_list(recorded))
            for key in recorded.keys() & actual.keys():
                self.learn(recorded[key], actual[key])
        elif isinstance(recorded, list) and isinstance(actual, list):
            for one, other in zip(recorded, actual, strict=False):
                self.learn(one, other)

    def _learn_meta(self, recorded: Any, actual: Any, *, is_list: bool) -> None:
        if not (isinstance(recorded, dict) and isinstance(actual, dict)):
            return
        if isinstance(recorded.get("uid"), str):
            self._metadata[recorded["uid"]] = recorded, actual
        for key in ("uid", "continue"):
            if isinstance(recorded.get(key), str) and isinstance(actual.get(key), str):
                self.texts.setdefault(recorded[key], actual[key])
        prefix, name = recorded.get("generateName"), recorded.get("name", "")
        if prefix and actual.get("name") and name[:-_RANDOM_LENGTH] == prefix[: len(name) - _RANDOM_LENGTH]:
            self.texts.setdefault(name, actual["name"])
        self._learn_version(recorded.get("resourceVersion"), actual.get("resourceVersion"), is_list=is_list)

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
        """Replaces timestamps and managed fields in a request body by the values of the tested server.

        Replaces only values that the recorded client sent back unchanged.
        """
        meta = value.get("metadata") if isinstance(value, dict) else None
        if not isinstance(meta, dict) or meta.get("uid") not in self._metadata:
            return value
        recorded, actual = self._metadata[meta["uid"]]
        same = {
            key: actual[key]
            for key in ("creationTimestamp", "deletionTimestamp", "managedFields")
            if key in meta and meta[key] == recorded.get(key) and key in actual
        }
        return {**value, "metadata": {**meta, **same}}

    def _with_version(self, found: dict[str, Any]) -> dict[str, Any]:
        version = found.get("resourceVersion")
        if isinstance(version, str) and version in self.versions and int(version) > _SMALL_VERSION:
            found["resourceVersion"] = self.versions[version]
        return found
