"""Specs that no fake can pass, because something has to run: by name, with what they need.

The first rule that matches counts. Such specs are not run, unless `--all` says so: most of them would wait
five minutes for a container that never answers.
"""

import re
from collections.abc import Iterable

_CONTAINER = "a container that runs"
_OUTPUT = "the output of a container"
_EXIT = "containers that exit by themselves"
_NETWORK = "a network between pods"
_VOLUME = "volumes that are mounted"
_WEBHOOK = "a webhook or API server that runs in a pod"
_NODE = "a node's machine, or the kubelet's own API"
_UPGRADE = "components that are restarted or upgraded"

RULES: tuple[tuple[str, str], ...] = (
    # api-machinery
    (r"^\[sig-api-machinery\] (AdmissionWebhook|CustomResourceConversionWebhook|Aggregator)", _WEBHOOK),
    (r"^\[sig-api-machinery\] .*webhook.*\[Conformance\]", _WEBHOOK),
)
"""Regular expressions of names."""

_COMPILED = [(re.compile(pattern), what) for pattern, what in RULES]


def need_of(spec: str) -> str | None:
    """What the spec needs that is not there; None if nothing."""
    return next((what for pattern, what in _COMPILED if pattern.search(spec)), None)


def skip_pattern() -> str:
    """A regular expression for ginkgo's `--skip`."""
    return "|".join(pattern for pattern, _ in RULES)


def without(specs: Iterable[str]) -> list[str]:
    return [each for each in specs if need_of(each) is None]
