"""Kubernetes' own samples of every kind, with every field set, can be decoded with the compiled tables."""

import json

import pytest

from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases import COMPILED_RELEASES, load_release
from fakeapi.releases.tables import ReleaseTables, tables_of
from tests.go_modules import modules_of, needs_go

WITHOUT_SAMPLES = {"APIService", "CustomResourceDefinition", "SelfSubjectReview"}
"""Kinds whose Go types are not in k8s.io/api. SelfSubjectReview has no samples in some versions."""


def leads_to_a_list_message(tables: ReleaseTables, name: str) -> bool:
    """Whether a Go type contains a list type with its own protobuf message; fakeapi does not support this."""
    waiting, seen = [name], {name}
    while waiting:
        entry = tables.get(waiting.pop(), "")
        if isinstance(entry, str):
            continue
        if entry.get("message") and entry.get("type", "").startswith("[]"):
            return True
        for field in entry.get("fields", ()):
            for inner in field["type"].replace("map[", "").replace("[]", "").split("]"):
                if (stripped := inner.lstrip("*")) not in seen:
                    seen.add(stripped)
                    waiting.append(stripped)
    return False


@needs_go
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_every_kind_of_every_group_reads_its_sample_in_json_and_protobuf_alike(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = modules_of(name, monkeypatch).api / "testdata" / "HEAD"
    release, compared = load_release(name), 0
    for table in release.all_kinds.group_versions:
        for kind in release.all_kinds.of_version(table.group, table.version):
            sample = samples / f"{kind.group or 'core'}.{kind.version}.{kind.kind}.json"
            if not sample.exists():
                assert kind.kind in WITHOUT_SAMPLES, sample.name
                continue
            wanted, unknown = decode(json.loads(sample.read_bytes()), kind.schema)
            assert not unknown, sample.name
            if leads_to_a_list_message(tables_of(name), kind.type_name):
                continue
            compared += 1
            stated, api_version, raw = protobuf.unwrap(sample.with_suffix(".pb").read_bytes())
            obj, _ = decode(protobuf.decode(raw, kind.schema), kind.schema)
            assert {"kind": stated, "apiVersion": api_version, **obj} == wanted
    assert compared > 60
