"""The corpus: stories that provoke error messages, and the sort of stories that sends them.

`fixtures/messages/corpus.jsonl.gz` has an entry in each line. `tests.differential.searching` finds them.
"""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fakeapi.releases import Kind
from tests.differential.exchanges.stories import Story, address_of
from tests.differential.exchanges.subjects import BuiltIn, Subject
from tools.strategy_samples import Generator

CORPUS = Path(__file__).parents[3] / "fixtures" / "messages" / "corpus.jsonl.gz"
TAG = "qzzq"
"""A part of the names and of the namespace in the corpus. The number of a story replaces it."""

ADDRESS = "10.250.0.1"
"""The name of an IPAddress in the corpus."""

ALL_GATES = "AllAlpha=true,AllBeta=true"

Entry = dict[str, Any]
"""An entry: `release`, `gates` ("all" or ""), `apiVersion`, `resource` and `requests`."""


def read_corpus(path: Path = CORPUS) -> list[Entry]:
    """Returns the entries of the corpus; [] without a corpus."""
    if not path.exists():
        return []
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines]


def write_corpus(entries: Iterable[Entry], path: Path = CORPUS) -> None:
    """Writes the entries of the corpus. Equal entries give equal bytes."""
    lines = [json.dumps(entry, separators=(",", ":")) for entry in entries]
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


def story_of(entry: Entry, number: int) -> Story:
    """Returns the requests of an entry with the names of a story, and deletes of the stored objects.

    The deletes keep webhook configurations, policies and quotas from affecting other stories.
    """
    text = json.dumps(entry["requests"])
    has_address = ADDRESS in text
    story: Story = json.loads(text.replace(TAG, f"q{number}").replace(ADDRESS, address_of(number)))
    for request in story:
        if has_address and request["method"] == "POST":
            request["body"]["metadata"].setdefault("labels", {})["story"] = f"q{number}"
    return [*story, *deletes(story)]


def deletes(story: Story) -> Iterable[dict[str, Any]]:
    """Yields the deletes of the objects that the requests of a story create."""
    for request in story:
        if request["method"] == "POST" and "?" not in request["target"] and request is not story[-1]:
            name = request["body"]["metadata"]["name"]
            yield {"method": "DELETE", "target": f"{request['target']}/{name}", "silent": True}


class CorpusSort:
    """Writes the stories of the corpus in turn, in an order by the seed. `kinds`: all kinds of the release.

    Leaves out the stories of kinds that the release does not serve.
    """

    def __init__(self, kinds: Sequence[Kind], seed: int) -> None:
        generator = Generator(seed)
        subjects = {(kind.api_version, kind.resource): BuiltIn(generator, kind) for kind in kinds}
        self._stories = [
            (subject, entry)
            for entry in read_corpus()
            if (subject := subjects.get((entry["apiVersion"], entry["resource"]))) is not None
        ]
        generator.random.shuffle(self._stories)
        self._next = 0

    def __len__(self) -> int:
        return len(self._stories)

    def __call__(self, number: int) -> tuple[Subject, Story]:
        """Returns the next story. `number`: makes its names unique."""
        subject, entry = self._stories[self._next % len(self._stories)]
        self._next += 1
        return subject, story_of(entry, number)
