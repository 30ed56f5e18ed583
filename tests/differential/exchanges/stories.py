"""Generates stories: random sequences of requests for one kind, mostly valid.

A request is a dict in the form of the recordings (`fixtures/traces/README.md`), without the response. Its
texts may contain symbols for values of earlier responses:

- `<rv NAME>`, `<uid NAME>`: the last known resourceVersion or uid of the object NAME.
- `<continue>`: the continue token of the last list.

A body `{"stored": NAME, "changes": PATCH}` means the last known object NAME, merged with PATCH.

Further members of a request:

- `silent`: the response is not compared.
- `until`: the request is a watch, see `watches`.
- `refreshed`: the path of a collection; kube-apiserver updates its watch cache of it before the request.
- `until_served`, `until_refused`: only kube-apiserver gets the request, until it has processed an earlier
  request, see `waiting`.
"""

import copy
import itertools
import json
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from tests.differential.exchanges.bases import SUBRESOURCES
from tests.differential.exchanges.subjects import Subject

Request = dict[str, Any]
Story = list[Request]

REQUESTS_MIN, REQUESTS_MAX = 3, 9
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
PATCHES = (MERGE, STRATEGIC, JSON_PATCH, APPLY)
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
REPLICAS = (0, 1, 3, -1, "x")
"""The numbers of replicas that stories write."""

_IP_NAMES = {"ipaddresses"}


class StoryWriter:
    """Writes one story about the objects of a kind.

    `number`: makes the namespace and the names of the story unique. Writes are more likely than reads.
    """

    def __init__(self, random: Random, subject: Subject, number: int) -> None:
        self._random = random
        self._subject = subject
        self._namespace = f"q{number}"
        self._names = [self._name(number, index) for index in range(2)]
        self._known: dict[str, dict[str, Any]] = {}
        # With a number before the random part, both servers list objects with random names in the same order.
        self._generated = itertools.count(1)
        root = f"/apis/{subject.api_version}" if "/" in subject.api_version else f"/api/{subject.api_version}"
        place = f"/namespaces/{self._namespace}" if subject.namespaced else ""
        self.collection = f"{root}{place}/{subject.resource}"
        self._label = f"q{number}"

    def _name(self, number: int, index: int) -> str:
        if self._subject.resource in _IP_NAMES:
            return address_of(number, index)
        return f"{'ab'[index]}-q{number}"

    def write(self) -> Story:
        """Returns a create and 3 to 9 further requests."""
        steps = [self._create_first]
        makers = self._makers()
        count = self._random.randint(REQUESTS_MIN, REQUESTS_MAX)
        weights = [weight for weight, _ in makers]
        steps += self._random.choices([maker for _, maker in makers], weights, k=count)
        return [step() for step in steps]

    def _makers(self) -> list[tuple[int, Callable[[], Request]]]:
        makers: list[tuple[int, Callable[[], Request]]] = []
        for verb, weight, maker in (
            ("create", 3, self._create),
            ("get", 2, self._get),
            ("list", 3, self._list),
            ("update", 6, self._update),
            ("patch", 5, self._patch),
            ("patch", 4, self._apply),
            ("delete", 2, self._delete),
            ("deletecollection", 1, self._delete_collection),
        ):
            if verb in self._subject.verbs:
                makers.append((weight, maker))
        if "status" in self._subject.subresources:
            makers += [(3, self._update_status), (2, self._patch_status), (1, self._get_status)]
        if "scale" in self._subject.subresources:
            makers.append((2, self._scale))
        return makers

    # writes ---------------------------------------------------------------------------------------

    def _create_first(self) -> Request:
        """Usually creates a valid object, so that later requests have an object to use."""
        if self._random.random() < 0.25:
            return self._create()
        self._known[self._names[0]] = obj = self._object(self._names[0])
        return self._request("POST", self.collection, obj)

    def _create(self) -> Request:
        name = self._random.choice(self._names)
        obj = self._object(name)
        if self._random.random() < 0.6:
            obj = self._subject.varied(obj)
        if self._random.random() < 0.05:
            prefix = f"{name}-{next(self._generated)}-"
            obj["metadata"] = {"generateName": prefix, "labels": {"story": self._label}}
        else:
            self._known[name] = obj
        return self._request("POST", self.collection, self._maybe_odd(obj), self._write_options())

    def _object(self, name: str) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": name, "labels": {"story": self._label}}
        if self._random.random() < 0.15:
            metadata["annotations"] = {"example.com/a": self._random.choice(["", "b"])}
        if self._random.random() < 0.1:
            metadata["finalizers"] = [self._random.choice(["example.com/f", "f", "foregroundDeletion"])]
        if self._random.random() < 0.05:
            owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
            metadata["ownerReferences"] = [
                owner | ({"controller": True} if self._random.random() < 0.5 else {})
            ]
        if self._random.random() < 0.05:
            metadata["namespace"] = self._random.choice([self._namespace, "default"])
        obj = self._subject.valid()
        return {"apiVersion": obj.pop("apiVersion"), "kind": obj.pop("kind"), "metadata": metadata, **obj}

    def _maybe_odd(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Returns the object; rarely with an unknown field, or with a wrong type in a field."""
        chance = self._random.random()
        if chance > 0.08:
            return obj
        odd = copy.deepcopy(obj)
        part = self._subject.part(odd)
        if chance < 0.03:
            odd["unknownField"] = 1
        elif chance < 0.06 and isinstance(odd.get(part), dict):
            odd[part]["unknownField"] = {"a": 1}
        else:
            odd[part] = self._random.choice(["text", 1, [], {}, None, True])
        return odd

    def _update(self) -> Request:
        return self._put(self._path(), "")

    def _update_status(self) -> Request:
        return self._put(f"{self._path()}/status", "status")

    def _put(self, path: str, part: str) -> Request:
        name = path.removesuffix("/status").rpartition("/")[2]
        old = self._known.get(name) or self._object(name)
        new = self._changed_part(old, part)
        if not part:
            self._known[name] = new
        if self._random.random() < 0.65:
            body: dict[str, Any] = {"stored": name, "changes": merge_patch(old, new), "else": new}
        else:
            metadata = dict(new["metadata"])
            chance = self._random.random()
            if chance < 0.3:
                metadata["resourceVersion"] = f"<rv {name}>"
            elif chance < 0.4:
                metadata["resourceVersion"] = "1"
            if self._random.random() < 0.1:
                metadata["uid"] = self._random.choice([f"<uid {name}>", "other"])
            body = self._maybe_odd({**new, "metadata": metadata})
        return self._request("PUT", path, body, self._write_options())

    def _changed_part(self, old: dict[str, Any], part: str) -> dict[str, Any]:
        if part and part in self._subject.fields:
            return self._subject.changed(old, part)
        new = self._subject.varied(old)
        if self._random.random() < 0.2:
            new["metadata"] = {**new["metadata"], "finalizers": self._random.choice([[], ["example.com/g"]])}
        return new

    def _patch(self) -> Request:
        return self._patch_at(self._path(), "")

    def _patch_status(self) -> Request:
        return self._patch_at(f"{self._path()}/status", "status")

    def _patch_at(self, path: str, part: str, form: str = "") -> Request:
        """Returns a patch of the object at a path. `form`: the content type; "" for a random one."""
        name = path.removesuffix("/status").rpartition("/")[2]
        old = self._known.get(name) or self._object(name)
        new = self._changed_part(old, part)
        form = form or self._random.choice([MERGE, MERGE, STRATEGIC, STRATEGIC, JSON_PATCH])
        body: Any = merge_patch(old, new)
        if form == JSON_PATCH:
            body = self._json_patch(old, new)
        elif self._random.random() < 0.1:
            body.setdefault("metadata", {})["resourceVersion"] = self._random.choice([f"<rv {name}>", "1"])
        return self._request("PATCH", path, body, self._write_options(), form)

    def _json_patch(self, old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, Any]]:
        operations: list[dict[str, Any]] = []
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) == new.get(key):
                continue
            if key not in new:
                operations.append({"op": "remove", "path": f"/{key}"})
            else:
                operations.append(
                    {"op": self._random.choice(["add", "replace"]), "path": f"/{key}", "value": new[key]}
                )
        if self._random.random() < 0.2:
            operations.insert(
                0, {"op": "test", "path": "/metadata/name", "value": self._random.choice(self._names)}
            )
        if self._random.random() < 0.1:
            operations.append({"op": "remove", "path": "/metadata/labels/none"})
        return operations

    def _apply(self) -> Request:
        path = self._path()
        status = "status" in self._subject.subresources and self._random.random() < 0.2
        return self._apply_at(path, status=status)

    def _apply_at(self, path: str, *, status: bool) -> Request:
        name = path.rpartition("/")[2]
        obj = self._subject.varied(self._known.get(name) or self._object(name))
        obj["metadata"] = {
            "name": name,
            "labels": {"story": self._label, "applied": self._random.choice("ab")},
        }
        if self._random.random() < 0.3:
            part = self._subject.part(obj)
            if isinstance(obj.get(part), dict) and obj[part]:
                obj[part].pop(self._random.choice(sorted(obj[part])))
        options = {"fieldManager": self._random.choice(["m1", "m2", ""])}
        if self._random.random() < 0.4:
            options["force"] = "true"
        return self._request(
            "PATCH", f"{path}/status" if status else path, obj, {**self._write_options(), **options}, APPLY
        )

    def _scale(self) -> Request:
        path = self._path()
        count = self._random.choice(REPLICAS)
        if self._random.random() < 0.4:
            return self._request("GET", f"{path}/scale")
        return self._scale_at(path, count, MERGE if self._random.random() < 0.5 else "")

    def _scale_at(self, path: str, count: object, form: str) -> Request:
        """Returns a write of the replicas of the object at a path.

        `form`: the content type of a patch; "" for a PUT.
        """
        options = self._write_options()
        body: Any = {"spec": {"replicas": count}}
        if form in ("", APPLY):
            metadata = {"name": path.rpartition("/")[2]}
            body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, **body}
        elif form == JSON_PATCH:
            body = [{"op": "replace", "path": "/spec/replicas", "value": count}]
        if form == APPLY:
            options["fieldManager"] = self._random.choice(["m1", "m2"])
            if self._random.random() < 0.4:
                options["force"] = "true"
        return self._request("PATCH" if form else "PUT", f"{path}/scale", body, options, form)

    def _delete(self) -> Request:
        options: dict[str, Any] = {}
        path = self._path()
        name = path.rpartition("/")[2]
        if self._random.random() < 0.3:
            options["propagationPolicy"] = self._random.choice(["Background", "Foreground", "Orphan", "Nope"])
        if self._random.random() < 0.2:
            options["preconditions"] = self._random.choice(
                [
                    {"uid": f"<uid {name}>"},
                    {"uid": "other"},
                    {"resourceVersion": f"<rv {name}>"},
                    {"resourceVersion": "1"},
                ]
            )
        if self._random.random() < 0.2:
            options["gracePeriodSeconds"] = self._random.choice([0, 1, 30, -1])
        if self._random.random() < 0.1:
            options["dryRun"] = self._random.choice([["All"], ["Some"]])
        body = {"kind": "DeleteOptions", "apiVersion": "v1", **options} if options else None
        return self._request("DELETE", path, body)

    def _delete_collection(self) -> Request:
        return self._request("DELETE", self.collection, None, {"labelSelector": f"story={self._label}"})

    def _write_options(self) -> dict[str, str]:
        options: dict[str, str] = {}
        if self._random.random() < 0.1:
            options["dryRun"] = "All"
        if self._random.random() < 0.3:
            options["fieldValidation"] = self._random.choice(["Strict", "Warn", "Ignore", "Strict", "Other"])
        if self._random.random() < 0.1:
            options["fieldManager"] = self._random.choice(["m1", "m3", "x" * 129])
        return options

    # reads ----------------------------------------------------------------------------------------

    def _get(self) -> Request:
        accept = self._random.choice([None, None, TABLE, PARTIAL])
        return self._request("GET", self._path(), accept=accept)

    def _get_status(self) -> Request:
        return self._request("GET", f"{self._path()}/status")

    def _list(self) -> Request:
        query = {"labelSelector": f"story={self._label}"}
        chance = self._random.random()
        if chance < 0.2:
            query["limit"] = "1"
        elif chance < 0.3:
            query |= {"limit": "1", "continue": "<continue>"}
        elif chance < 0.4:
            query["fieldSelector"] = self._random.choice(
                [
                    f"metadata.name={self._names[0]}",
                    f"metadata.name!={self._names[0]}",
                    "status.phase=Running",
                    "spec.x=1",
                ]
            )
        elif chance < 0.5:
            query["labelSelector"] = self._random.choice(
                [
                    f"story in ({self._label}),applied",
                    f"story={self._label},!applied",
                    "story in",
                    f"story={self._label},a notin (b)",
                ]
            )
        elif chance < 0.6:
            name = self._names[0]
            query |= {"resourceVersion": f"<rv {name}>", "resourceVersionMatch": "NotOlderThan"}
        return self._request(
            "GET",
            self.collection,
            query=query,
            accept=self._random.choice([None, None, TABLE, PARTIAL_LIST]),
        )

    # requests -------------------------------------------------------------------------------------

    def _path(self) -> str:
        names = self._names[:1] if self._random.random() < 0.8 else self._names
        return f"{self.collection}/{self._random.choice(names)}"

    def _request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: dict[str, str] | None = None,
        content_type: str = "",
        accept: str | None = None,
    ) -> Request:
        words = "&".join(f"{name}={quoted(value)}" for name, value in (query or {}).items())
        made: Request = {"method": method, "target": f"{path}?{words}" if words else path}
        if body is not None:
            made["body"] = body
        headers = {"content-type": content_type, "accept": accept}
        if kept := {name: value for name, value in headers.items() if value}:
            made["headers"] = kept
        return made


def verbs_of(subject: Subject) -> set[str]:
    """Returns the verbs that stories about a kind may have, in the form of `verb_of`."""
    patches = [f"PATCH {form}" for form in PATCHES]
    main = {
        "create": ["POST"],
        "get": ["GET"],
        "list": ["LIST"],
        "update": ["PUT"],
        "patch": patches,
        "delete": ["DELETE"],
        "deletecollection": ["DELETE collection"],
    }
    verbs = {verb for name in subject.verbs for verb in main.get(name, ())}
    for name in SUBRESOURCES:
        if name in subject.subresources:
            verbs |= {f"{verb} {name}" for verb in ["GET", "PUT", *patches]}
    return verbs


def verb_of(request: Request, resource: str) -> str:
    """Returns the HTTP method of a request with its content type and subresource.

    A request to the collection of `resource` is a LIST, a WATCH, a POST or a `DELETE collection`.
    """
    last = request["target"].partition("?")[0].rpartition("/")[2]
    method = "WATCH" if "until" in request else request["method"]
    if last == resource:
        return {"GET": "LIST", "DELETE": "DELETE collection"}.get(method, method)
    words = [method, request.get("headers", {}).get("content-type", "")]
    words.append(last if last in SUBRESOURCES else "")
    return " ".join(word for word in words if word)


def merge_patch(old: Any, new: Any) -> Any:
    """Returns the JSON merge patch that changes `old` to `new`; both are objects."""
    patch: dict[str, Any] = {}
    for key in old.keys() | new.keys():
        one, other = old.get(key), new.get(key)
        if key not in new:
            patch[key] = None
        elif one != other or key not in old:
            patch[key] = (
                merge_patch(one, other) if isinstance(one, dict) and isinstance(other, dict) else other
            )
    return json.loads(json.dumps(patch))


def address_of(number: int, index: int = 0) -> str:
    """Returns the IPv4 address with which a story names an IPAddress. A story has two addresses."""
    return f"10.{1 + number // 60_000}.{number // 250 % 240}.{(number % 125) * 2 + index}"


def quoted(text: str) -> str:
    """Quotes a value for a query. Keeps symbols such as `<rv NAME>`, which the recorder replaces."""
    return text if text.startswith("<") else quote(text, safe="")
