"""Completion indexes of Indexed Jobs.

Follows k8s.io/kubernetes `pkg/controller/job/indexed_job_utils.go`.
"""

from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.json_types import Object

INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count"
_VARIABLE = "JOB_COMPLETION_INDEX"
_NAME_MAX = 58


def is_indexed(job: Object) -> bool:
    return bool(job["spec"].get("completionMode") == "Indexed")


def index_of(pod: Object, job: Object) -> int | None:
    """Returns the completion index of a pod; None if the pod has no index, or the index is not below
    `completions`.
    """
    text = (pod["metadata"].get("annotations") or {}).get(INDEX, "")
    if not text.isascii() or not text.isdigit():
        return None
    index = int(text)
    return index if index < (job["spec"].get("completions") or 0) else None


def parsed(text: str | None, completions: int) -> set[int]:
    """Parses indexes such as `1,3-5`. Ignores indexes equal to or above `completions`."""
    indexes: set[int] = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        indexes.update(range(int(first), min(int(last or first), completions - 1) + 1))
    return indexes


def formatted(indexes: Iterable[int]) -> str:
    """Formats indexes with ranges, such as `1,3-5`. Ranges have at least three indexes."""
    ranges: list[list[int]] = []
    for index in sorted(indexes):
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    return ",".join(_range_text(first, last) for first, last in ranges)


def _range_text(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}{',' if last == first + 1 else '-'}{last}"


def pending(count: int, completions: int, taken: set[int]) -> list[int]:
    """Returns the first `count` free indexes below `completions`. `taken`: the indexes in use."""
    indexes: list[int] = []
    for index in range(completions):
        if len(indexes) >= count:
            break
        if index not in taken:
            indexes.append(index)
    return indexes


def failure_count(pod: Object, annotation: str = FAILURES) -> int:
    """Returns the number of failures of a pod's index before the pod was created.

    `annotation`: the annotation of the pod with this number.
    """
    text = (pod["metadata"].get("annotations") or {}).get(annotation, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def indexed_template(job: Object, template: Object, index: int, annotations: dict[str, str]) -> Object:
    """Returns the pod template for a completion index. `annotations`: further annotations of the pod."""
    metadata = dict(template["metadata"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), INDEX: str(index), **annotations}
    metadata["labels"] = {**(metadata.get("labels") or {}), INDEX: str(index)}
    spec = {**template["spec"], "hostname": f"{job['metadata']['name']}-{index}"}
    return {"metadata": metadata, "spec": spec}


def generate_name(job: Object, index: int) -> str:
    """Returns the generateName of the pod for a completion index."""
    end = f"-{index}-"
    return f"{job['metadata']['name'][: _NAME_MAX - len(end)]}{end}"


def with_index_variable(template: Object) -> Object:
    """Returns a pod template whose containers have the environment variable JOB_COMPLETION_INDEX."""
    reference = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    variable: Any = {"name": _VARIABLE, "valueFrom": reference}
    spec = dict(template["spec"])
    for field in ("initContainers", "containers"):
        if field in spec:
            spec[field] = [_with_variable(container, variable) for container in spec[field]]
    return {**template, "spec": spec}


def _with_variable(container: Object, variable: Object) -> Object:
    known = container.get("env") or []
    if any(each["name"] == _VARIABLE for each in known):
        return container
    return {**container, "env": [*known, variable]}
