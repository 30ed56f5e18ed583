"""Random pods get the errors of Kubernetes' own validation, as recorded by `tools/pod_samples.py`."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.kinds.core.pod.validation.create import validate_pod_create
from fakeapi.kinds.core.pod.validation.resize import validate_pod_resize
from fakeapi.kinds.core.pod.validation.status import validate_pod_status_update
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.kinds.core.pod.validation.update import (
    validate_ephemeral_containers_update,
    validate_pod_update,
)
from fakeapi.kinds.core.pod.validation.warnings import pod_template_warnings, pod_warnings
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_dns_subdomain
from fakeapi.machinery.meta.object_meta import (
    validate_core_object_meta,
    validate_core_object_meta_update,
)
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.strategy import MetadataErrors
from fakeapi.releases import load_release
from fakeapi.releases.rules import ReleaseRules, rules_of

FOLDER = Path(__file__).parents[4] / "fixtures" / "validation"
RELEASES = sorted(path.name.removeprefix("pods-").removesuffix(".jsonl.gz") for path in FOLDER.glob("pods-*"))

_ADDRESS = re.compile("0x[0-9a-f]+")
_GO_STRUCT = re.compile(
    r"(Invalid value: |Duplicate value: )(?:\[\])?(?:core|resource|v1)\.\w+[({].*[)}](?=:|$)", re.DOTALL
)
_GO_DIFFERENCE = re.compile(r"\n  core\.\w+\{\n.*\n  \}\n", re.DOTALL)
_UPDATES = {
    "update": validate_pod_update,
    "status": validate_pod_status_update,
    "ephemeralcontainers": validate_ephemeral_containers_update,
    "resize": validate_pod_resize,
}


class Server:
    """Decodes and validates pods as a Kubernetes release does."""

    def __init__(self, name: str) -> None:
        self._release = load_release(name)
        self._rules: ReleaseRules = rules_of(self._release)
        self._schema = self._release.schemas.struct("core/v1.Pod")

    def read(self, body: Object) -> Object:
        obj, _ = decode(body, self._schema)
        tables = self._release.all_kinds.tables
        return apply_defaults(obj, self._schema, lambda: tables.defaults, self._release.gates)

    def answer(self, sample: dict[str, Any]) -> tuple[list[tuple[str, str, str]], list[str]]:
        new, rules, warnings = self.read(sample["new"]), self._rules, list[str]()
        if sample["op"] == "create":
            errors = [*self._metadata(new, None).of_object, *validate_pod_create(new, rules)]
            warnings = pod_warnings(new, rules)
        elif sample["op"] == "template":
            errors = validate_pod_template_spec(new, "spec.template", rules)
            warnings = pod_template_warnings(new, "spec.template", rules)
        else:
            old = self.read(sample["old"])
            errors = _UPDATES[sample["op"]](new, old, rules, self._metadata(new, old))
        return [(error.reason, error.field, error.body) for error in errors], warnings

    def _metadata(self, new: Object, old: Object | None) -> MetadataErrors:
        wording = self._rules.quirks.wording
        of_object = validate_core_object_meta(
            new["metadata"], True, name_is_dns_subdomain, "metadata", wording
        )
        if old is None:
            return MetadataErrors(of_object)
        versioned = {"resourceVersion": "1"}
        after, before = {**new["metadata"], **versioned}, {**old["metadata"], **versioned}
        of_change = validate_core_object_meta_update(after, before, "metadata", wording)
        return MetadataErrors(of_object, of_change)


def _settled(body: str) -> str:
    """Replaces the parts of an error message that cannot be compared.

    - Pointer addresses and the diffs of go-cmp differ each time the Go recorder runs.
    - Go structs become their type. Up to 1.33, messages print pointers instead of most of their content.
    """
    body = _ADDRESS.sub("ADDRESS", body.replace("\u00a0", " "))
    return _GO_STRUCT.sub(r"\1STRUCT", _GO_DIFFERENCE.sub("\nDIFFERENCE", body))


@pytest.mark.parametrize("release", RELEASES)
def test_validation_says_what_kubernetes_own_says(release: str) -> None:
    server = Server(release)
    lines = gzip.decompress((FOLDER / f"pods-{release}.jsonl.gz").read_bytes()).splitlines()
    assert len(lines) >= 100
    for line in lines:
        sample = json.loads(line)
        wanted = [(kind, field, _settled(body)) for kind, field, body in sample["errors"] or ()]
        errors, warnings = server.answer(sample)
        found = [(kind, field, _settled(body)) for kind, field, body in errors]
        assert Counter(found) == Counter(wanted), line  # Go's maps have no order
        assert Counter(warnings) == Counter(sample["warnings"] or ()), line
