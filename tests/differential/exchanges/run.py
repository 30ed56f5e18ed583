"""Sends the same random requests to fakeapi and to kube-apiserver, and compares the responses.

    python -m tests.differential.exchanges.run [--release 1.37] [--minutes 30] [--seed 7] [--only PODS ...]
    python -m tests.differential.exchanges.run --release 1.37 --seed 7 --story 118
    python -m tests.differential.exchanges.run --release 1.37 --seed 7 --sort custom watches policies

Go builds etcd and kube-apiserver once, in about 15 minutes. The tool shortens each story with an unknown
difference as far as possible, and prints it. `--keep FILE` also appends the story to a file, in the form of
the conformance recordings. The exit status is 1 if a difference has no name in `known.py`.
"""

import argparse
import http.client
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import kubernetes
from fakeapi.releases import Kind, load_release
from tests.conformance import world
from tests.conformance.differences import Difference
from tests.conformance.player import Player
from tests.differential.exchanges.bases import driven_kinds, never_sent
from tests.differential.exchanges.comparing import OrderComparison
from tests.differential.exchanges.corpus import ALL_GATES
from tests.differential.exchanges.coverage import Coverage
from tests.differential.exchanges.known import named
from tests.differential.exchanges.protobuf import ProtobufReader
from tests.differential.exchanges.recording import ADMINISTRATOR, Recorder, body_of
from tests.differential.exchanges.reviews import review_differences
from tests.differential.exchanges.shrinking import shrunk
from tests.differential.exchanges.sorts import ALL_KINDS, SORTS
from tests.differential.exchanges.stories import Story
from tests.differential.exchanges.subjects import Subject
from tests.differential.exchanges.webhook_endpoint import WebhookEndpoint
from tests.torture import servers as torture

PORT = 6643
RUNTIME_CONFIG = "api/all=true"
OPTIONS = (
    f"--runtime-config={RUNTIME_CONFIG}",
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged=true",
    "--enable-priority-and-fairness=false",
)
"""Options that give kube-apiserver the defaults of fakeapi and keep it from changing objects by itself."""
CLAIMS = "DynamicResourceAllocation=true"
"""A feature gate that fakeapi enables in every release. kube-apiserver enables it by default since 1.34."""
CLAIMS_UNTIL = 33
SHOWN_MAX = 60
"""Maximum number of differences to print. The tool counts further differences without printing them."""

WEBHOOKS = 3
"""The port of the webhook endpoint is this much above the port of kube-apiserver."""

REVIEWS = 0
"""The index of differences between reviews. Requests have the numbers from 1."""

AGAIN = 99
"""Attempt number of a repeated story, a part of its names. Attempts to shorten a story have lower numbers."""

Differences = dict[int, list[Difference]]


class ImpersonatingPlayer(Player):
    """Sends requests to fakeapi as the administrator. The recorder uses the same user for kube-apiserver.

    `protobuf`: decodes responses in protobuf.
    """

    def __init__(self, port: int, protobuf: ProtobufReader) -> None:
        super().__init__(port)
        self._protobuf = protobuf

    def parsed(self, response: http.client.HTTPResponse, data: bytes) -> Any:
        return body_of(response, data, self._protobuf)

    def prepare(self, exchange: dict[str, Any]) -> tuple[str, dict[str, str], bytes | None]:
        target, headers, data = super().prepare(exchange)
        return target, headers | ADMINISTRATOR, data


class Comparison:
    """Sends stories to both servers and compares the responses."""

    def __init__(
        self, recorder: Recorder, port: int, protobuf: ProtobufReader, webhooks: WebhookEndpoint
    ) -> None:
        self._recorder = recorder
        self._port = port
        self._protobuf = protobuf
        self._webhooks = webhooks

    def play(self, story: Story) -> tuple[list[dict[str, Any]], Differences]:
        """Sends a story to both servers.

        Returns the requests with kube-apiserver's responses, and the differences by the index of the request.
        The index REVIEWS has the differences between the reviews that the servers sent to webhooks.
        """
        exchanges = self._recorder.record(self._webhooks.placed(story))
        recorded = self._webhooks.take()
        player = ImpersonatingPlayer(self._port, self._protobuf)
        differences = world.played(player, exchanges, OrderComparison)
        if lines := review_differences(recorded, self._webhooks.take(), player.identities):
            differences[REVIEWS] = lines
        return exchanges, differences

    def shortened(self, text: str) -> str:
        """Returns a text with symbols instead of the CA certificates of the webhook endpoint."""
        return self._webhooks.shortened(text)

    def prepare(self, namespace: str) -> None:
        """Creates a namespace on both servers, unless it exists."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        self.play([{"method": "POST", "target": "/api/v1/namespaces", "body": body}])


def retagged(story: Story, number: int, attempt: int) -> Story:
    """Returns a story with new names, so that objects of an earlier attempt cannot affect it."""
    return json.loads(json.dumps(story).replace(f"q{number}", f"q{number}x{attempt}"))  # type: ignore[no-any-return]


@contextmanager
def both(release: str, builds: Path, port: int, gates: str = "") -> Iterator[Comparison]:
    """Starts kube-apiserver and fakeapi of a release with the same options. `gates`: feature gates."""
    programs = kubernetes.build_etcd(builds), kubernetes.build_api_server(builds, release)
    needs_gate = int(release.partition(".")[2]) <= CLAIMS_UNTIL
    chosen = gates or (CLAIMS if needs_gate else "")
    options = (*OPTIONS, f"--feature-gates={chosen}") if chosen else OPTIONS
    own_gates = ("--feature-gates", gates) if gates else ()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        own = stack.enter_context(
            torture.serving(place, "--release", release, "--runtime-config", RUNTIME_CONFIG, *own_gates)
        )
        real = stack.enter_context(kubernetes.running(*programs, port, options=options))
        protobuf = ProtobufReader(load_release(release))
        recorder = Recorder(real.url, real.token, protobuf)
        stack.callback(recorder.close)
        webhooks = WebhookEndpoint(port + WEBHOOKS)
        stack.callback(webhooks.close)
        yield Comparison(recorder, own.port, protobuf, webhooks)


class Run:
    """Sends stories to both servers, and counts requests and differences."""

    def __init__(self, comparison: Comparison, keep: Path | None) -> None:
        self._comparison = comparison
        self._keep = keep
        self.coverage = Coverage()
        self.names: Counter[str] = Counter()
        self.unnamed = 0
        self.once = 0
        self._shown: set[str] = set()

    def story(self, kind: Subject, story: Story, number: int) -> None:
        """Sends one story to both servers. Shortens and prints a story with an unknown difference."""
        if kind.namespaced:
            self._comparison.prepare(f"q{number}")
        exchanges, differences = self._comparison.play(story)
        self.coverage.count(kind, exchanges)
        lines = [line for found in differences.values() for line in found]
        if not lines:
            return
        if names := named(lines):
            self.names.update(names)
            return
        if not self._repeats(kind, story, number):
            self.once += 1
            say(f"\n{kind.api_version} {kind.kind}, story {number} differed once, and not again: {lines[0]}")
            return
        self.unnamed += 1
        shape = f"{kind.kind} {_shape(lines[0])}"
        if shape in self._shown or len(self._shown) >= SHOWN_MAX:
            return
        self._shown.add(shape)
        self._show(kind, self._shrunk(kind, story, number, shape), number)

    def _play_again(
        self, kind: Subject, story: Story, number: int, attempt: int
    ) -> tuple[list[dict[str, Any]], Differences]:
        """Sends a story to both servers with new names, in a new namespace. Returns the result of `play`."""
        if kind.namespaced:
            self._comparison.prepare(f"q{number}x{attempt}")
        return self._comparison.play(retagged(story, number, attempt))

    def _repeats(self, kind: Subject, story: Story, number: int) -> bool:
        """Sends a story a second time, with other names. Returns whether it differs again.

        Times and random addresses, such as those of Services, may differ by chance.
        """
        if kind.resource == "ipaddresses":
            return True
        _, differences = self._play_again(kind, story, number, AGAIN)
        lines = [line for found in differences.values() for line in found]
        return bool(lines) and not named(lines)

    def _shrunk(self, kind: Subject, story: Story, number: int, shape: str) -> Story:
        attempts = 0

        def differs(shorter: Story) -> bool:
            nonlocal attempts
            attempts += 1
            _, differences = self._play_again(kind, shorter, number, attempts)
            return any(
                f"{kind.kind} {_shape(line)}" == shape for found in differences.values() for line in found
            )

        return story if kind.resource == "ipaddresses" else shrunk(story, differs)

    def _show(self, kind: Subject, story: Story, number: int) -> None:
        exchanges, differences = self._play_again(kind, story, number, 0)
        once = "" if differences else " (differed once, and not again)"
        say(f"\n{kind.api_version} {kind.kind}, story {number}{once}:")
        for index, exchange in enumerate(exchanges, 1):
            headers = "".join(f" -H '{name}: {value}'" for name, value in exchange.get("headers", {}).items())
            body = f" -d '{json.dumps(exchange['body'])}'" if exchange.get("body") is not None else ""
            body = self._comparison.shortened(body)
            say(f"  {index}. curl -X {exchange['method']} '$URL{exchange['target']}'{headers}{body}")
            if "answer" in exchange:
                say(f"     kube-apiserver: {_outcome(exchange['answer'])}")
            for line in differences.get(index, [])[:8]:
                say(f"     differs: {line}")
        for line in differences.get(REVIEWS, [])[:8]:
            say(f"  a review differs: {line}")
        if self._keep is not None:
            with self._keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"name": f"{kind.resource}-{number}", "exchanges": exchanges}) + "\n")


def _shape(line: str) -> str:
    """Returns a difference without its values.

    Similar differences have equal results and are printed once.
    """
    path = line.partition(": recorded ")[0]
    return "".join("#" if char.isdigit() else char for char in path)[:120]


def _outcome(answer: dict[str, Any]) -> str:
    """Returns the status code of a response, with the message of a Status or the number of watch events."""
    body = answer.get("body")
    message = str(body.get("message", ""))[:400] if isinstance(body, dict) else ""
    events = f"{len(answer['events'])} events" if "events" in answer else ""
    return f"{answer['status']} {message}{events}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--exchanges", type=int, default=0, help="end after this many (default: by time)")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument(
        "--sort", nargs="+", choices=SORTS, default=["builtin"], help="the sorts of stories, in turn"
    )
    parser.add_argument("--gates", choices=("all",), help="enable all alpha and beta feature gates")
    parser.add_argument("--only", nargs="*", help="these resources (default: all)")
    parser.add_argument("--story", type=int, nargs="*", help="only the stories with these numbers")
    kubernetes.add_options(parser, PORT)
    parser.add_argument("--keep", type=Path, help="append stories with differences to this file")
    options = parser.parse_args()
    seed = Random().randrange(1_000_000) if options.seed is None else options.seed
    say(f"release {options.release}, seed {seed}")
    kinds = driven_kinds(served := [*load_release(options.release).kinds])
    if options.only:
        kinds, served = (
            [each for each in group if each.resource in options.only] for group in (kinds, served)
        )
    sorts = [SORTS[name](served if name in ALL_KINDS else kinds, seed) for name in options.sort]
    with both(
        options.release, options.builds, options.port, ALL_GATES if options.gates else ""
    ) as comparison:
        run = Run(comparison, options.keep)
        end = time.monotonic() + options.minutes * 60
        number = 0
        while time.monotonic() < end and not 0 < options.exchanges <= run.coverage.exchanges:
            if options.story and number >= max(options.story):
                break
            number += 1
            subject, story = sorts[number % len(sorts)](number)
            if not options.story or number in options.story:
                run.story(subject, story, number)
    for line in run.coverage.lines():
        say(line)
    for line in () if ALL_KINDS.intersection(options.sort) else never_sent_lines(served):
        say(line)
    say(f"known differences: {dict(run.names) or 'none'}")
    say(f"stories that differed once, and not again: {run.once}")
    say(f"stories with an unnamed difference: {run.unnamed}")
    return int(run.unnamed > 0)


def never_sent_lines(kinds: list[Kind]) -> Iterator[str]:
    """Yields a line for each reason why stories never use some resources."""
    reasons = never_sent(kinds)
    for reason in dict.fromkeys(reasons.values()):
        yield f"never sent: {', '.join(name for name, why in reasons.items() if why == reason)}: {reason}"


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the output of a command


if __name__ == "__main__":
    sys.exit(main())
