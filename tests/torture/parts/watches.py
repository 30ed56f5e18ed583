"""Random watches get exactly the events that match their selectors, also after a reconnect.

A single task writes objects, and opens, closes and resumes watches, one action after the other. So the test
knows the objects at the start of each watch, and derives the expected events from them and the later writes.
"""

import asyncio
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from fakeapi.releases import KNOWN_RELEASES
from fakeapi.releases.serving import served
from tests.torture.budget import Budget, Finding, patience
from tests.torture.grammar import Grammar
from tests.torture.servers import Client, Server, serving

GROUP = "resource.k8s.io"
NAMESPACES = ("a", "b")
NAMES = ("one", "two", "three")
LABELS = {"tier": ("x", "y", "z"), "app": ("x", ""), "rank": ("1", "5", "10", "no-number")}
SPANS = ("tier", "app", "rank", "absent")
STEPS_OF_A_ROUND = 400
WATCHES_MAX = 40
ODD_WATCHES = 12
END_SECONDS = 60.0
"""Maximum seconds until a watch with a timeout of one second ends, on a busy machine."""

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
TABLES = "application/json;as=Table;v=v1;g=meta.k8s.io"
"""The Accept header for Tables, which some releases refuse together with initial events."""

FORMS = ("application/json", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", TABLES)

GATES = ("--feature-gates", "WatchList=true")
"""The server's options that enable initial events in watches. Some releases disable them by default."""

Key = tuple[str, str]
"""Namespace and name of an object."""

Told = tuple[str, str, str, str, int]
"""A watch event: its type; the object's namespace, name and annotation `v`; its resourceVersion."""


@dataclass(frozen=True)
class State:
    """A claim after a write: its resourceVersion, its annotation `v`, and its labels."""

    version: int
    value: str
    labels: dict[str, str]


@dataclass(frozen=True)
class Change:
    version: int
    key: Key
    old: State | None
    new: State | None


class Selection:
    """A random selection of claims.

    It has the query parameters for a watch, and a predicate for the expected events.
    """

    def __init__(self, chance: Random) -> None:
        self.namespace = chance.choice([None, None, *NAMESPACES])
        self.name = chance.choice([None, None, None, *NAMES])
        self.field_namespace = chance.choice([None, None, None, None, *NAMESPACES])
        self.terms = [self._term(chance) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))]
        self.parameters: list[str] = []
        if self.terms:
            text = ",".join(written for written, *_ in self.terms)
            self.parameters.append(f"labelSelector={quote(text)}")
        fields = [f"metadata.name={self.name}"] if self.name else []
        fields += [f"metadata.namespace={self.field_namespace}"] if self.field_namespace else []
        if fields:
            chance.shuffle(fields)
            self.parameters.append(f"fieldSelector={quote(','.join(fields))}")

    @staticmethod
    def _term(chance: Random) -> tuple[str, str, str, tuple[str, ...]]:
        label = chance.choice(SPANS)
        known = LABELS.get(label, ("x",))
        values = tuple(dict.fromkeys(chance.choices([*known, "other"], k=chance.choice([1, 2]))))
        operator = chance.choice(["=", "==", "!=", "in", "notin", "exists", "!", ">", "<"])
        space = chance.choice(["", " "])
        text = {
            "in": f"{label} in ({','.join(values)})",
            "notin": f"{label} notin ({','.join(values)})",
            "exists": label,
            "!": f"!{label}",
            ">": f"{label}{space}>{space}4",
            "<": f"{label}{space}<{space}7",
        }.get(operator, f"{label}{space}{operator}{space}{values[0]}")
        return text, operator, label, values

    def matches(self, key: Key, state: State | None) -> bool:
        namespace, name = key
        if state is None or self.namespace not in {None, namespace} or self.name not in {None, name}:
            return False
        if self.field_namespace not in {None, namespace}:
            return False
        return all(
            self._holds(operator, state.labels.get(label), values)
            for _, operator, label, values in self.terms
        )

    @staticmethod
    def _holds(operator: str, found: str | None, values: tuple[str, ...]) -> bool:
        match operator:
            case "=" | "==":
                return found == values[0]
            case "!=":
                return found != values[0]
            case "in":
                return found in values
            case "notin":
                return found not in values
            case "exists":
                return found is not None
            case "!":
                return found is None
            case _:
                if found is None or not found.isdecimal():
                    return False
                return int(found) > 4 if operator == ">" else int(found) < 7


@dataclass
class Expected:
    """The events that a watch must send first: ADDED events for the existing objects, in any order.

    `bookmarked`: whether a bookmark must follow these events.
    """

    initial: Counter[Told] = field(default_factory=Counter)
    bookmarked: bool = False


class Stream:
    """A watch, from its request until it ends or the test closes it."""

    def __init__(self, selection: Selection, form: str, target: str, start: int, *, resumed: bool) -> None:
        self.selection = selection
        self.form = form
        self.target = target
        self.start = start
        self.resumed = resumed
        self.expected = Expected()
        self.lines: list[bytes] = []
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._rest = b""

    async def open(self, port: int) -> bytes:
        """Sends the watch request; returns the status line and headers of the response.

        The server sends them when the watch has started.
        """
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        lines = (f"GET {self.target} HTTP/1.1", "Host: localhost", f"Accept: {self.form}", "", "")
        self._writer.write("\r\n".join(lines).encode("utf-8", "replace"))
        return await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), patience(END_SECONDS))

    async def read(self, *, count: int = -1) -> bool:
        """Reads `count` chunks of the watch, or all chunks if -1; returns whether the watch has ended."""
        assert self._reader is not None
        while count:
            size = int(await asyncio.wait_for(self._reader.readline(), patience(END_SECONDS)), 16)
            data = (await asyncio.wait_for(self._reader.readexactly(size + 2), patience(END_SECONDS)))[:-2]
            if not size:
                return True
            *whole, self._rest = (self._rest + data).split(b"\n")
            self.lines += whole
            count -= 1
        return False

    async def body(self, head: bytes) -> bytes:
        """Returns the body of a response that is not a watch stream. `head`: the status line and headers."""
        assert self._reader is not None
        size = int(head.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        return await asyncio.wait_for(self._reader.readexactly(size), patience(END_SECONDS))

    @property
    def rest(self) -> bytes:
        return self._rest

    def close(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()


class History:
    """Writes claims and remembers all changes of each claim."""

    def __init__(self, server: Server, base: str, group_version: str, chance: Random) -> None:
        self.base = base
        self._group_version = group_version
        self._client = Client(server.port)
        self._random = chance
        self.states: dict[Key, State] = {}
        self.changes: list[Change] = []
        self._count = 0

    async def begin(self) -> None:
        for name in NAMESPACES:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            await self._done("POST", "/api/v1/namespaces", body)

    async def write(self) -> None:
        """Creates, updates or deletes a random claim."""
        key = namespace, name = self._random.choice(NAMESPACES), self._random.choice(NAMES)
        old = self.states.get(key)
        collection = f"{self.base}/namespaces/{namespace}/resourceclaims"
        if old is not None and self._random.random() < 0.25:
            await self._done("DELETE", f"{collection}/{name}")
            new = None
            version = await self._newest()
        else:
            self._count += 1
            value, labels = f"{self._count}", self._labels()
            metadata = {"name": name, "annotations": {"v": value}, "labels": labels}
            body = {"apiVersion": self._group_version, "kind": "ResourceClaim", "metadata": metadata}
            body["spec"] = SPECS.get(self._group_version, {"devices": {}})
            if old is None:
                answer = await self._done("POST", collection, body)
            else:
                answer = await self._done("PUT", f"{collection}/{name}", body)
            version = int(answer["metadata"]["resourceVersion"])
            new = State(version, value, labels)
        self.changes.append(Change(version, key, old, new))
        self.states.pop(key, None)
        if new is not None:
            self.states[key] = new

    def _labels(self) -> dict[str, str]:
        names = self._random.sample([*LABELS], self._random.choice([0, 1, 2, 3]))
        return {name: self._random.choice(LABELS[name]) for name in names}

    async def _newest(self) -> int:
        listing = await self._done("GET", f"{self.base}/resourceclaims?limit=1")
        return int(listing["metadata"]["resourceVersion"])

    async def _done(self, method: str, target: str, body: Any = None) -> Any:
        code, answer = await self._client.ask(method, target, body)
        if code >= 300:
            raise Finding(f"{method} {target} was answered {code}: {answer}")
        return answer

    def told(self, selection: Selection, change: Change) -> Told | None:
        """Returns the event that a change causes in a watch with this selection; None if it causes none."""
        before = selection.matches(change.key, change.old)
        after = selection.matches(change.key, change.new)
        if after and change.new is not None:
            return ("MODIFIED" if before else "ADDED", *change.key, change.new.value, change.version)
        if before and change.old is not None:
            return ("DELETED", *change.key, change.old.value, change.version)
        return None

    def since(self, selection: Selection, version: int) -> list[Told]:
        later = (change for change in self.changes if change.version > version)
        return [event for change in later if (event := self.told(selection, change)) is not None]

    def present(self, selection: Selection) -> Counter[Told]:
        return Counter(
            ("ADDED", *key, state.value, state.version)
            for key, state in self.states.items()
            if selection.matches(key, state)
        )

    def close(self) -> None:
        self._client.close()


SPECS: dict[str, dict[str, Any]] = {f"{GROUP}/v1alpha2": {"resourceClassName": "c"}}
"""Specs of claims, by API version. For all other API versions, the spec has the field `devices`."""


class Round:
    """Runs random watches and writes on one server. Counts watches, events and closed watches."""

    def __init__(self, server: Server, release: str, chance: Random) -> None:
        versions = [each for each in served(release).versions if each.group == GROUP]
        version = chance.choice(
            [v.version for v in versions if any(k.kind == "ResourceClaim" for k in v.kinds)]
        )
        self.server = server
        self.random = chance
        self.history = History(server, f"/apis/{GROUP}/{version}", f"{GROUP}/{version}", chance)
        self.open: list[Stream] = []
        self.watches = self.events = self.cuts = 0

    async def work(self, steps: int) -> None:
        await self.history.begin()
        for _ in range(steps):
            choice = self.random.random()
            if choice < 0.6:
                await self.history.write()
            elif choice < 0.75 and len(self.open) < WATCHES_MAX:
                await self._open(Selection(self.random), self.random.choice(FORMS))
            elif choice < 0.9 and self.open:
                await self._cut(self.random.choice(self.open))
        for stream in [*self.open]:
            await self._cut(stream, seconds=1)
        await asyncio.gather(*(self._finish(stream) for stream in self.open))
        await self._odd()
        self.history.close()

    async def _open(
        self, selection: Selection, form: str, start: int | None = None, seconds: int = 0
    ) -> None:
        parameters = ["watch=1", *selection.parameters]
        known = [change.version for change in self.history.changes]
        bookmarked = False
        if start is None and self.random.random() < 0.4:
            start = self.random.choice([None, *known[-100:]])
        if start is not None:
            parameters.append(f"resourceVersion={start}")
        elif form != TABLES and self.random.random() < 0.4:
            parameters += ["sendInitialEvents=true", "resourceVersionMatch=NotOlderThan"]
            parameters += ["allowWatchBookmarks=true"]
            bookmarked = True
        elif self.random.random() < 0.5:
            parameters.append("resourceVersion=0")
        if seconds:
            parameters.append(f"timeoutSeconds={seconds}")
        self.random.shuffle(parameters)
        place = f"/namespaces/{selection.namespace}" if selection.namespace else ""
        target = f"{self.history.base}{place}/resourceclaims?{'&'.join(parameters)}"
        newest = known[-1] if known else 0
        stream = Stream(
            selection, form, target, newest if start is None else start, resumed=start is not None
        )
        head = await stream.open(self.server.port)
        if not head.startswith(b"HTTP/1.1 200 "):
            raise Finding(f"{target} was answered {head!r} {await stream.body(head)!r}")
        if start is None:
            stream.expected = Expected(self.history.present(selection), bookmarked)
        self.open.append(stream)
        self.watches += 1

    async def _cut(self, stream: Stream, seconds: int = 0) -> None:
        """Reads a part of a watch, closes it, and opens a new watch from the last resourceVersion.

        `seconds`: the timeout of the new watch.
        """
        changes = self.history.since(stream.selection, stream.start)
        count = sum(stream.expected.initial.values()) + len(changes)
        count = self.random.randint(0, count)
        while len(stream.lines) < count:
            await stream.read(count=1)
        stream.close()
        self.open.remove(stream)
        self.cuts += 1
        last = self._check(stream, whole=False)
        await self._open(stream.selection, stream.form, last, seconds)

    async def _finish(self, stream: Stream) -> None:
        """Reads a watch until its timeout ends it, and checks the events."""
        await stream.read()
        stream.close()
        self._check(stream, whole=True)

    def _check(self, stream: Stream, *, whole: bool) -> int | None:
        """Compares the events of a watch with the expected events; raises Finding if they differ.

        Returns the resourceVersion to resume from, or None if it is not known. `whole`: whether the watch has
        ended.
        """
        events = [parsed(stream, line) for line in stream.lines]
        self.events += len(events)
        expected, target = stream.expected, stream.target
        initial = sum(expected.initial.values())
        first, later = Counter(events[:initial]), events[initial:]
        if first - expected.initial or (whole and first != expected.initial):
            raise Finding(f"{target} began with {first}, not with {expected.initial}")
        if expected.bookmarked and later and later.pop(0)[0] != "BOOKMARK":
            raise Finding(f"{target}: no bookmark after the {initial} initial events")
        changes = [each for each in later if each[0] != "BOOKMARK"]
        due = self.history.since(stream.selection, stream.start)
        if changes != due[: len(changes)] or (whole and len(changes) != len(due)):
            raise Finding(f"{target} from {stream.start} on saw {changes}, and not {due}")
        if whole and stream.rest:
            raise Finding(f"{target} ended within a line: {stream.rest!r}")
        if len(events) < initial + expected.bookmarked:
            return None
        known = [stream.start] if stream.resumed else []
        return max([*known, *(each[-1] for each in events)], default=None)

    async def _odd(self) -> None:
        """Opens watches with invalid parameters.

        The server must respond with an error or with valid events.
        """
        grammar = Grammar(self.random)
        await asyncio.gather(*(self._one_odd(grammar) for _ in range(ODD_WATCHES)))

    async def _one_odd(self, grammar: Grammar) -> None:
        parameters = ["watch=1", "timeoutSeconds=1", *grammar.query().split("&")]
        accept = self.random.choice(
            [*FORMS, "*/*", "application/yaml", "text/html", "application/json;stream=watch"]
        )
        target = f"{self.history.base}/resourceclaims?{'&'.join(parameters)}"
        stream = Stream(Selection(self.random), accept, target, 0, resumed=False)
        head = await stream.open(self.server.port)
        if b"transfer-encoding: chunked" not in head.lower():
            body = await stream.body(head)
            if b"unexpected error" in body:
                raise Finding(f"an unexpected error for {target}")
        else:
            await stream.read()
            for line in stream.lines:
                if not {"type", "object"} <= json.loads(line).keys():
                    raise Finding(f"{target} sent {line!r}")
        stream.close()
        self.watches += 1


def parsed(stream: Stream, line: bytes) -> Told:
    """Decodes an event of a watch. For a bookmark, all fields except type and resourceVersion are empty.

    Raises Finding for an ERROR event.
    """
    event = json.loads(line)
    if event["type"] == "ERROR":
        raise Finding(f"{stream.target} ended with {event['object']}")
    obj = event["object"]
    if obj["kind"] == "Table":
        obj = obj["rows"][0]["object"] if obj["rows"] else obj
    metadata = obj["metadata"]
    version = int(metadata["resourceVersion"])
    if event["type"] == "BOOKMARK":
        return "BOOKMARK", "", "", "", version
    return event["type"], metadata["namespace"], metadata["name"], metadata["annotations"]["v"], version


def run(budget: Budget) -> dict[str, float]:
    """Runs random watches on servers of random Kubernetes releases, until the time of the budget is over.

    Returns the number of watches, of events, and of watches that the client closed early.
    """
    totals: dict[str, float] = {"watches": 0, "events": 0, "cuts": 0}
    for _ in budget.rounds():
        release = budget.random.choice(KNOWN_RELEASES)
        with (
            tempfile.TemporaryDirectory() as place,
            serving(Path(place), "--release", release, *GATES) as server,
        ):
            one = Round(server, release, budget.random)
            steps = STEPS_OF_A_ROUND if budget.seconds > 10 else STEPS_OF_A_ROUND // 4
            asyncio.run(one.work(steps))
            server.check_log()
        totals["watches"] += one.watches
        totals["events"] += one.events
        totals["cuts"] += one.cuts
    return totals
