"""Stories that send all verbs and patch types of a kind equally often."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from tests.differential.exchanges.stories import (
    APPLY,
    JSON_PATCH,
    MERGE,
    REQUESTS_MAX,
    REQUESTS_MIN,
    STRATEGIC,
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
            f"PATCH {APPLY}": lambda: self._apply_at(self._path(), status=False),
            f"PATCH {APPLY} status": lambda: self._apply_at(self._path(), status=True),
            "GET scale": lambda: self._request("GET", f"{self._path()}/scale"),
            "PUT scale": partial(self._scale_with, "PUT", ""),
            f"PATCH {APPLY} scale": partial(self._scale_with, "PATCH", APPLY),
        }
        for form in (MERGE, STRATEGIC, JSON_PATCH):
            makers[f"PATCH {form}"] = partial(self._patch_of, "", form)
            makers[f"PATCH {form} status"] = partial(self._patch_of, "status", form)
            makers[f"PATCH {form} scale"] = partial(self._scale_with, "PATCH", form)
        return {verb: makers[verb] for verb in verbs_of(self._subject)}

    def _patch_of(self, part: str, form: str) -> Request:
        path = self._path()
        return self._patch_at(f"{path}/{part}" if part else path, part, form)

    def _scale_with(self, method: str, form: str) -> Request:
        """Returns a PUT or a patch of the number of replicas. `form`: the content type of the patch."""
        path = self._path()
        count = self._random.choice([0, 1, 3, -1, "x"])
        metadata = {"name": path.rpartition("/")[2]}
        scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata}
        options = self._write_options()
        body: object = {"spec": {"replicas": count}}
        if method == "PUT" or form == APPLY:
            body = {**scale, "spec": {"replicas": count}}
        elif form == JSON_PATCH:
            body = [{"op": "replace", "path": "/spec/replicas", "value": count}]
        if form == APPLY:
            options = {**options, "fieldManager": self._random.choice(["m1", "m2"])}
            if self._random.random() < 0.4:
                options["force"] = "true"
        return self._request(method, f"{path}/scale", body, options, form)


def even_story(sent: Verbs) -> Callable[[Random, Subject, int], Story]:
    """Returns a function that writes the stories of one run. `sent`: the counts of the run."""
    return lambda random, subject, number: EvenWriter(random, subject, number, sent).write()
