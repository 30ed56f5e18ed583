"""Stories that send all verbs and patch types of a kind equally often."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from tests.differential.exchanges.stories import (
    APPLY,
    PATCHES,
    REPLICAS,
    REQUESTS_MAX,
    REQUESTS_MIN,
    Request,
    Story,
    StoryWriter,
    verb_of,
    verbs_of,
)
from tests.differential.exchanges.subjects import Subject

Verbs = Counter[tuple[str, str]]
"""Counts the requests of all stories by the name of the kind with its version, and by verb."""


class EvenWriter(StoryWriter):
    """Writes one story whose requests have the verbs that earlier stories sent least often.

    `sent`: the counts of all stories; the writer adds its requests.
    """

    def __init__(self, random: Random, subject: Subject, number: int, sent: Verbs) -> None:
        super().__init__(random, subject, number)
        self._sent = sent

    def write(self) -> Story:
        """Returns a create and 3 to 9 further requests."""
        verbs = self._verbs()
        story = [self._create_first()]
        self._count(story[0])
        for _ in range(self._random.randint(REQUESTS_MIN, REQUESTS_MAX)):
            story.append(verbs[self._rarest(verbs)]())
            self._count(story[-1])
        return story

    def _rarest(self, verbs: Mapping[str, object]) -> str:
        """Returns one of the verbs that were sent least often."""
        counts = {verb: self._sent[self._kind(), verb] for verb in sorted(verbs)}
        least = min(counts.values())
        return self._random.choice([verb for verb, count in counts.items() if count == least])

    def _count(self, request: Request) -> None:
        self._sent[self._kind(), verb_of(request, self._subject.resource)] += 1

    def _kind(self) -> str:
        return f"{self._subject.api_version} {self._subject.kind}"

    def _verbs(self) -> dict[str, Callable[[], Request]]:
        """Returns the functions that write a request, by the verbs of the kind."""
        makers: dict[str, Callable[[], Request]] = {
            "POST": self._create,
            "GET": self._get,
            "LIST": self._list,
            "PUT": self._update,
            "DELETE": self._delete,
            "DELETE collection": self._delete_collection,
            "GET status": self._get_status,
            "PUT status": self._update_status,
            "GET scale": lambda: self._request("GET", f"{self._path()}/scale"),
            "PUT scale": partial(self._scale_with, ""),
        }
        for form in PATCHES:
            makers[f"PATCH {form}"] = partial(self._patch_of, "", form)
            makers[f"PATCH {form} status"] = partial(self._patch_of, "status", form)
            makers[f"PATCH {form} scale"] = partial(self._scale_with, form)
        return {verb: makers[verb] for verb in verbs_of(self._subject)}

    def _patch_of(self, part: str, form: str) -> Request:
        path = self._path()
        if form == APPLY:
            return self._apply_at(path, status=part == "status")
        return self._patch_at(f"{path}/{part}" if part else path, part, form)

    def _scale_with(self, form: str) -> Request:
        return self._scale_at(self._path(), self._random.choice(REPLICAS), form)


def even_story(sent: Verbs) -> Callable[[Random, Subject, int], Story]:
    """Returns a function that writes the stories of one run. `sent`: the counts of the run."""
    return lambda random, subject, number: EvenWriter(random, subject, number, sent).write()
