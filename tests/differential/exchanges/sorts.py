"""Sorts of stories, such as stories about built-in kinds, custom resources, error messages or quotas."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from fakeapi.releases import Kind
from tests.differential.exchanges.corpus import CorpusSort
from tests.differential.exchanges.custom import CustomResource, custom_story
from tests.differential.exchanges.even import even_story
from tests.differential.exchanges.policies import policy_story
from tests.differential.exchanges.protobuf import protobuf_story
from tests.differential.exchanges.quotas import LIMITED, RANGED, quota_story, range_story
from tests.differential.exchanges.stories import Story, StoryWriter
from tests.differential.exchanges.subjects import BuiltIn, Subject
from tests.differential.exchanges.watches import watched_story
from tests.differential.exchanges.webhooks import REVIEWED, webhook_story
from tools.strategy_samples import Generator


class Written(NamedTuple):
    """A story and its subject."""

    subject: Subject
    story: Story


class Sort:
    """Writes stories of one sort about built-in kinds in turn. Equal seeds give equal stories.

    `write`: writes a story: (random numbers, kind, number of the story) -> story.
    """

    def __init__(
        self, kinds: Sequence[Kind], seed: int, write: Callable[[Random, Subject, int], Story]
    ) -> None:
        self._generator = Generator(seed)
        self._subjects = [BuiltIn(self._generator, kind) for kind in kinds]
        self._write = write
        self._next = 0

    def __call__(self, number: int) -> Written:
        """Returns the next story. `number`: makes its names unique."""
        subject = self._subjects[self._next % len(self._subjects)]
        self._next += 1
        return Written(subject, self._write(self._generator.random, subject, number))


def _plain(random: Random, subject: Subject, number: int) -> Story:
    return StoryWriter(random, subject, number).write()


def _custom(seed: int) -> Callable[[int], Written]:
    random = Random(seed)

    def write(number: int) -> Written:
        resource = CustomResource(random, number)
        return Written(resource, custom_story(random, resource, number))

    return write


_VALIDATED = ("configmaps",)
"""The resources of the stories about admission policies."""


def _of(kinds: Sequence[Kind], resources: Sequence[str]) -> list[Kind]:
    return [kind for kind in kinds if kind.resource in resources]


def _corpus(kinds: Sequence[Kind], seed: int) -> Callable[[int], Written]:
    stories = CorpusSort(kinds, seed)
    return lambda number: Written(*stories(number))


ALL_KINDS = frozenset({"messages"})
"""The sorts whose stories use all kinds of a release. Other sorts use only `driven_kinds`."""

SORTS: Mapping[str, Callable[[Sequence[Kind], int], Callable[[int], Written]]] = {
    "builtin": lambda kinds, seed: Sort(kinds, seed, _plain),
    "even": lambda kinds, seed: Sort(kinds, seed, even_story(Counter())),
    "custom": lambda _, seed: _custom(seed),
    "protobuf": lambda kinds, seed: Sort(kinds, seed, protobuf_story),
    "watches": lambda kinds, seed: Sort(
        [kind for kind in kinds if "watch" in kind.verbs], seed, watched_story
    ),
    "policies": lambda kinds, seed: Sort(_of(kinds, _VALIDATED), seed, policy_story),
    "quotas": lambda kinds, seed: Sort(_of(kinds, LIMITED), seed, quota_story),
    "webhooks": lambda kinds, seed: Sort(_of(kinds, REVIEWED), seed, webhook_story),
    "messages": _corpus,
    "ranges": lambda kinds, seed: Sort(_of(kinds, RANGED), seed, range_story),
}
"""The sorts by name: (built-in kinds, seed) -> a function that writes the story of a number."""
