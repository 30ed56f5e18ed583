"""Every command accepts damaged traces of any format, or fails with a one-line error.

Records a session once. Changes its requests and responses at random places, and writes them in a random
format; sometimes damages the file too. Replays readable traces to a server, and plays them as a live cluster.
"""

import asyncio
import gzip
import itertools
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fakeapi import FakeAPI, StatusError
from fakeapi.clients.messages import Response
from fakeapi.clients.target import TargetError
from fakeapi.testing import replaying
from fakeapi.traces.formats.native import TraceWriter
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.inspecting.convert import convert
from fakeapi.traces.inspecting.show import in_full, one_line
from fakeapi.traces.inspecting.statistics import statistics
from fakeapi.traces.inspecting.validate import validate
from fakeapi.traces.model import Exchange, Gap, Missing, TraceError
from fakeapi.traces.recording.redaction import Redactor
from fakeapi.traces.replay.options import ORDERS
from fakeapi.traces.replay.playback import Playback
from fakeapi.traces.reporting.junit import junit
from fakeapi.traces.reporting.timeline import page
from tests.torture.budget import Budget, Finding, patience
from tests.torture.grammar import Grammar
from tests.traces.sessions import RELEASE, play

ROOT = Path(__file__).parents[3]
AUDIT_LOG = ROOT / "fixtures" / "traces" / "audit-k8s1.33-v1beta1.jsonl.gz"
AUDIT_LINES = 150
REPLAY_SECONDS = 120.0
FORMATS = ("native", "native", "har", "audit")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "", "G ET", "A\r\nB: c")
STATUSES = (0, 99, 100, 200, 201, 204, 304, 404, 409, 410, 500, 999)


class Mutation:
    """Changes recorded requests and responses (exchanges), and trace files, at random."""

    def __init__(self, chance: random.Random) -> None:
        self.random = chance
        self.grammar = Grammar(chance)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Returns a copy of the exchange in which one or two random parts, such as the body, are changed."""
        changes: list[Callable[[Exchange], Exchange]] = [
            self._method, self._target, self._body, self._body, self._answer, self._answer,
            self._headers, self._events, self._events, self._gap,
        ]  # fmt: skip
        for change in self.random.sample(changes, self.random.choice([1, 1, 2])):
            exchange = change(exchange)
        return exchange

    def _method(self, exchange: Exchange) -> Exchange:
        return replace(exchange, request=replace(exchange.request, method=self.random.choice(METHODS)))

    def _target(self, exchange: Exchange) -> Exchange:
        target = self.grammar.damaged(exchange.request.target.encode()).decode("latin-1")
        return replace(exchange, request=replace(exchange.request, target=target))

    def _body(self, exchange: Exchange) -> Exchange:
        return replace(exchange, request=replace(exchange.request, body=self._data(exchange.request.body)))

    def _answer(self, exchange: Exchange) -> Exchange:
        response = exchange.response
        if response is None or self.random.random() < 0.1:
            return replace(exchange, response=None if response else Response(200))
        if self.random.random() < 0.3:
            return replace(exchange, response=replace(response, status=self.random.choice(STATUSES)))
        return replace(exchange, response=replace(response, body=self._data(response.body)))

    def _headers(self, exchange: Exchange) -> Exchange:
        names = ("content-type", "accept", "user-agent", "x", "", "a b", "content-encoding", "authorization")
        values = (
            "application/json",
            "application/apply-patch+yaml",
            "a\r\nb: c",
            "é",
            "\0",
            "x" * 500,
        )
        pairs = (*exchange.request.headers, (self.random.choice(names), self.random.choice(values)))
        return replace(exchange, request=replace(exchange.request, headers=pairs))

    def _events(self, exchange: Exchange) -> Exchange:
        if not exchange.events:
            return exchange
        events = [*exchange.events]
        at = self.random.randrange(len(events))
        choice = self.random.random()
        if choice < 0.4:
            events[at] = replace(events[at], line=self._data(events[at].line))
        elif choice < 0.6:
            del events[at]
        elif choice < 0.8:
            events.insert(at, self.random.choice(events))
        else:
            self.random.shuffle(events)
        ended = self.random.choice([exchange.ended, "client", "server", "cut", "open"])
        return replace(exchange, events=tuple(events), ended=ended)

    def _gap(self, exchange: Exchange) -> Exchange:
        return replace(exchange, missing=(Missing(self.random.choice([*Gap]), "by chance"),))

    def _data(self, data: bytes) -> bytes:
        if self.random.random() < 0.4:
            return self.grammar.damaged(data)
        try:
            value = json.loads(data)
        except ValueError:
            return self.grammar.damaged(data)
        return json.dumps(self.grammar.mutated(value)).encode("utf-8", "surrogatepass")

    def file(self, path: Path) -> None:
        """Damages a file. If it is compressed, mostly damages its decompressed content."""
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b" and self.random.random() < 0.7:
            data = gzip.compress(self.grammar.damaged(gzip.decompress(data)))
        else:
            data = self.grammar.damaged(data)
        path.write_bytes(data)

    def audit_log(self, lines: list[bytes], path: Path) -> None:
        """Writes some lines of an audit log to a file; some lines are changed or out of order."""
        begin = self.random.randrange(max(1, len(lines) - AUDIT_LINES))
        chosen = lines[begin : begin + AUDIT_LINES]
        for _ in range(self.random.choice([0, 1, 3])):
            at = self.random.randrange(len(chosen))
            chosen[at] = self._data(chosen[at])
        if self.random.random() < 0.2:
            self.random.shuffle(chosen)
        path.write_bytes(b"\n".join(chosen) + b"\n")


class Session:
    """Damages a recorded session in random ways; loads and replays each damaged trace.

    `figures`: the numbers of damaged, readable, replayed and played traces, and of their requests.
    """

    def __init__(self, place: Path, chance: random.Random) -> None:
        self.place = place
        self.random = chance
        self.mutation = Mutation(chance)
        with FakeAPI(release=RELEASE) as api:
            api.start_recording(place / "recorded.jsonl")
            play(api)
            self._mixed(api)
            recorded = api.stop_recording()
        with open_trace(recorded) as reader:
            self.header, self.exchanges = reader.header, [*reader]
        with gzip.open(AUDIT_LOG) as log:
            self.audit = log.read().splitlines()
        self.figures = {"traces": 0, "read": 0, "replayed": 0, "played": 0, "requests": 0}

    @staticmethod
    def _mixed(api: FakeAPI) -> None:
        """Sends further requests for the recorded session: for a ConfigMap, nodes and an OpenAPI document.

        One request is for a path that does not exist.
        """
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}
        api.create(config_map)
        api.patch("ConfigMap", "a", {"data": {"a": "c"}})
        for method, target in (("GET", "/api/v1/nodes?limit=1"), ("GET", "/nowhere"), ("GET", "/openapi/v3")):
            try:
                api.request(method, target)
            except StatusError:
                continue

    def turn(self, number: int) -> None:
        form = self.random.choice(FORMATS)
        path = self.place / f"{number}.{'har' if form == 'har' else 'jsonl'}"
        if form != "audit" and self.random.random() < 0.5:
            path = path.with_name(f"{path.name}.gz")
        self.figures["traces"] += 1
        try:
            self._write(form, path)
            if self.random.random() < 0.3:
                self.mutation.file(path)
            self._use(path)
        except TraceError as refusal:
            check_words(str(refusal))
        except TargetError as refusal:
            check_words(str(refusal))
        except (Finding, TimeoutError):
            raise
        except Exception as error:
            kept = ROOT / ".torture"
            kept.mkdir(exist_ok=True)
            kept.joinpath(path.name).write_bytes(path.read_bytes())
            raise Finding(f"{path.name} (kept in {kept}) made {error!r}") from error
        finally:
            path.unlink(missing_ok=True)

    def _write(self, form: str, path: Path) -> None:
        if form == "audit":
            self.mutation.audit_log(self.audit, path)
            return
        begin = self.random.choice([0, 0, self.random.randrange(len(self.exchanges))])
        exchanges = self.exchanges[begin:]
        for _ in range(self.random.choice([1, 2, 5])):
            at = self.random.randrange(len(exchanges))
            exchanges = [*exchanges[:at], self.mutation.exchange(exchanges[at]), *exchanges[at + 1 :]]
        if self.random.random() < 0.2:
            exchanges = [*itertools.islice(exchanges, 0, None, 2)]
        native = path.with_name("whole.jsonl") if ".har" in path.name else path
        with TraceWriter(native, self.header) as writer:
            for exchange in exchanges:
                writer.append(exchange)
        if native != path:
            with open_trace(native) as reader:
                convert(reader, path, redactor=Redactor())

    def _use(self, path: Path) -> None:
        for problem in itertools.islice(validate(path), 100):
            check_words(str(problem))
        with open_trace(path, ordered=False) as reader:
            for exchange in reader:
                check_words(one_line(exchange))
                in_full(exchange)
            json.dumps(statistics(reader).as_json())
            self._convert(reader, path)
        with open_trace(path) as reader:
            self.figures["read"] += 1
            if self.random.random() < 0.7:
                self._replay(reader)
            else:
                self._play(reader)

    def _convert(self, reader: TraceReader, path: Path) -> None:
        """Converts a trace to HAR and back, twice.

        The first conversion may lose facts that HAR lacks. Raises Finding if the second conversion changes
        the trace.
        """
        names = ("first.har", "once.jsonl", "second.har", "twice.jsonl")
        _, once, _, twice = copies = [path.with_name(name) for name in names]
        convert(reader, copies[0], redactor=Redactor())
        for source, target in itertools.pairwise(copies):
            with open_trace(source) as copied:
                convert(copied, target, redactor=Redactor())
        for one, other in itertools.zip_longest(read_whole(once), read_whole(twice)):
            if one != other:
                raise Finding(f"through HAR and back, {one} became {other}")
        for each in copies:
            each.unlink()

    def _replay(self, reader: TraceReader) -> None:
        chosen = replaying.options(
            order=self.random.choice(ORDERS), strict=self.random.random() < 0.5, marks=True,
            stop_at_first=self.random.random() < 0.1, keep_names=self.random.random() < 0.3,
        )  # fmt: skip
        with FakeAPI(release=RELEASE) as server:
            report = replaying.replay_on(server, reader, chosen)
        self.figures["replayed"] += 1
        self.figures["requests"] += report.replayed
        check_words(str(report), lines=True)
        json.dumps(report.to_dict())
        junit(report)
        page(report)

    def _play(self, reader: TraceReader) -> None:
        with FakeAPI(release=RELEASE) as server:
            at = self.random.choice([0.0, 0.05, 1e9])

            async def played() -> Any:
                playback = Playback(reader, replaying.target_of(server))
                try:
                    async with asyncio.timeout(patience(REPLAY_SECONDS)):
                        await playback.begin(at)
                        await playback.go_on(at, 1e9)
                finally:
                    await playback.close()
                return playback.summary

            summary = asyncio.run(played())
        self.figures["played"] += 1
        self.figures["requests"] += summary.written
        check_words(str(summary))


def read_whole(path: Path) -> list[Exchange]:
    """Returns the recorded requests and responses of a trace, without their positions in the file."""
    with open_trace(path) as reader:
        return [replace(each, place="") for each in reader]


def check_words(text: str, *, lines: bool = False) -> None:
    """Raises Finding if a text has control characters, which a terminal would interpret.

    `lines`: whether line breaks are allowed.
    """
    odd = [letter for letter in text if not letter.isprintable() and not (lines and letter == "\n")]
    if odd:
        raise Finding(f"{odd} would be shown, in {text!r}")


def run(budget: Budget) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as directory:
        session = Session(Path(directory), budget.random)
        for number in budget.rounds():
            session.turn(number)
    if budget.seconds < 10:
        return {"traces": session.figures["traces"]}
    return dict(session.figures)
