"""Snapshot files: what is written is read again, and nothing else is taken for a snapshot."""

import gzip
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi import Snapshot, SnapshotError
from fakeapi.snapshots.file import decoded, encoded
from fakeapi_storage import Checkpoint, Entry

NEWER = "a format that this version of fakeapi does not know"


def made(*values: bytes) -> Snapshot:
    entries = tuple(Entry(f"/core/configmaps/ns/{n:03}", value, n + 2, 2) for n, value in enumerate(values))
    pending = frozenset({("", "services"), ("rbac.authorization.k8s.io", "roles")})
    return Snapshot(Checkpoint(entries, len(values) + 5), "1.33", "2026-01-31T12:00:00Z", pending)


@given(values=st.lists(st.binary(max_size=20), max_size=5), compressed=st.booleans())
def test_what_is_written_is_read_again(values: list[bytes], *, compressed: bool) -> None:
    snapshot = made(*values)
    assert Snapshot.of(decoded(encoded(snapshot, compressed=compressed), "it")) == snapshot


@given(st.data())
def test_a_file_that_lost_or_changed_a_byte_is_refused(data: st.DataObject) -> None:
    whole = encoded(made(b'{"a":1}', b"{}"), compressed=data.draw(st.booleans()))
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = bytes([whole[place] ^ data.draw(st.integers(1, 255))])
    for damaged in (whole[:place], whole[:place] + byte + whole[place + 1 :]):
        try:
            found = Snapshot.of(decoded(damaged, "it"))
        except SnapshotError:
            continue
        assert found == made(b'{"a":1}', b"{}"), "bytes of gzip's header may say nothing of the content"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is no snapshot of fakeapi"),
        (b"{}\n", "is no snapshot of fakeapi"),
        (b"hello\n", "is no snapshot of fakeapi, or not whole"),
        (b'{"fakeapiSnapshot":2,"storedFormat":2}\n', NEWER),
        (b'{"fakeapiSnapshot":1,"storedFormat":99}\n', NEWER),
        (
            b'{"fakeapiSnapshot":1,"storedFormat":"2"}\n',
            NEWER,
        ),
        (b'{"fakeapiSnapshot":1,"storedFormat":2}\n', "is not whole: it ends after 0 objects"),
        (b'{"fakeapiSnapshot":1,"storedFormat":2}\n{"key":1}\n', "is damaged: its line 2 is no object"),
        (gzip.compress(b"x" * 1000, mtime=0)[:20], "is damaged or not whole"),
        (b"[" * 100_000 + b"\n", "is no snapshot of fakeapi, or not whole"),
    ],
)
def test_other_files_are_refused_in_a_line_that_names_them(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SnapshotError) as refusal:
        Snapshot.load(path)
    assert problem in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_a_file_that_is_not_there_and_a_place_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="No such file"):
        Snapshot.load(tmp_path / "none")
    with pytest.raises(SnapshotError, match="No such file"):
        made().save(tmp_path / "none" / "file")


def test_lines_and_files_beyond_their_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(made(b"x" * 100), compressed=True)
    for limit in ("LINE_BYTES_MAX", "FILE_BYTES_MAX"):
        with monkeypatch.context() as patch:
            patch.setattr(f"fakeapi.snapshots.file.{limit}", 150)
            with pytest.raises(SnapshotError, match="too large for a snapshot"):
                decoded(data, "it")


def test_objects_of_an_older_stored_format_are_migrated() -> None:
    claim = {
        "kind": "ResourceClaim",
        "apiVersion": "resource.k8s.io/v1alpha3",
        "metadata": {"name": "a", "namespace": "ns", "resourceVersion": ""},
        "spec": {"devices": {"requests": []}},
    }
    lines = encoded(made(json.dumps(claim).encode()), compressed=False).decode().splitlines()
    head = {**json.loads(lines[0]), "storedFormat": 1}
    member = {**json.loads(lines[1]), "key": "/resource.k8s.io/v1alpha3/resourceclaims/ns/a"}

    body = "".join(json.dumps(each) + "\n" for each in (head, member)).encode()
    end = json.dumps({"end": 1, "crc32": f"{zlib.crc32(body):08x}"}).encode() + b"\n"
    (entry,) = decoded(body + end, "it").checkpoint.entries
    assert entry.key == "/resource.k8s.io/resourceclaims/ns/a"
