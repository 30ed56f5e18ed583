"""fakeapi reads snapshot files that it wrote, and refuses other files."""

import gzip
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi import Snapshot, SnapshotError
from fakeapi.registry.stored.form import encode_value
from fakeapi.snapshots.file import decoded, encoded
from fakeapi.snapshots.forged import REVISION_MAX
from fakeapi_storage import Checkpoint, Entry

NEWER = "a format that this version of fakeapi does not know"


def stored(name: str, text: str = "") -> bytes:
    """Returns the stored bytes of a ConfigMap in the namespace `ns`.

    `text`: the value of its annotation `text`.
    """
    metadata = {"name": name, "namespace": "ns", "uid": "u", "annotations": {"text": text}}
    return encode_value({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata})


def made(*texts: str) -> Snapshot:
    entries = tuple(
        Entry(f"/core/configmaps/ns/{n:03}", stored(f"{n:03}", text), n + 2, 2)
        for n, text in enumerate(texts)
    )
    pending = frozenset({("", "services"), ("rbac.authorization.k8s.io", "roles")})
    return Snapshot(Checkpoint(entries, len(texts) + 5), "1.33", "2026-01-31T12:00:00Z", pending)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts=st.lists(TEXTS, max_size=5), compressed=st.booleans())
def test_what_is_written_is_read_again(texts: list[str], *, compressed: bool) -> None:
    snapshot = made(*texts)
    assert Snapshot.of(decoded(encoded(snapshot, compressed=compressed), "it")) == snapshot


@given(st.data())
def test_a_file_that_lost_or_changed_a_byte_is_refused(data: st.DataObject) -> None:
    whole = encoded(made("a", "b"), compressed=data.draw(st.booleans()))
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = bytes([whole[place] ^ data.draw(st.integers(1, 255))])
    for damaged in (whole[:place], whole[:place] + byte + whole[place + 1 :]):
        try:
            found = Snapshot.of(decoded(damaged, "it"))
        except SnapshotError:
            continue
        assert found == made("a", "b"), "bytes of gzip's header may say nothing of the content"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is not a snapshot of fakeapi"),
        (b"{}\n", "is not a snapshot of fakeapi"),
        (b"hello\n", "is not a snapshot of fakeapi, or is incomplete"),
        (b'{"fakeapiSnapshot":2,"storedFormat":2}\n', NEWER),
        (b'{"fakeapiSnapshot":1,"storedFormat":99}\n', NEWER),
        (
            b'{"fakeapiSnapshot":1,"storedFormat":"2"}\n',
            NEWER,
        ),
        (b'{"fakeapiSnapshot":1,"storedFormat":2}\n', "is incomplete: it ends after 0 objects"),
        (b'{"fakeapiSnapshot":1,"storedFormat":2}\n{"key":1}\n', "is damaged: its line 2 is not an object"),
        (gzip.compress(b"x" * 1000, mtime=0)[:20], "is damaged or incomplete"),
        (b"[" * 100_000 + b"\n", "is not a snapshot of fakeapi, or is incomplete"),
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
    data = encoded(made("x" * 100), compressed=True)
    for limit in ("LINE_BYTES_MAX", "FILE_BYTES_MAX"):
        with monkeypatch.context() as patch:
            patch.setattr(f"fakeapi.snapshots.file.{limit}", 150)
            with pytest.raises(SnapshotError, match="too large for a snapshot"):
                decoded(data, "it")


def test_objects_of_an_older_stored_format_are_migrated() -> None:
    claim = {
        "kind": "ResourceClaim",
        "apiVersion": "resource.k8s.io/v1alpha3",
        "metadata": {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": ""},
        "spec": {"devices": {"requests": []}},
    }
    lines = encoded(made("a"), compressed=False).decode().splitlines()
    head = {**json.loads(lines[0]), "storedFormat": 1}
    member = {**json.loads(lines[1]), "key": "/resource.k8s.io/v1alpha3/resourceclaims/ns/a"}
    member["value"] = json.dumps(claim)

    body = "".join(json.dumps(each) + "\n" for each in (head, member)).encode()
    end = json.dumps({"end": 1, "crc32": f"{zlib.crc32(body):08x}"}).encode() + b"\n"
    (entry,) = decoded(body + end, "it").checkpoint.entries
    assert entry.key == "/resource.k8s.io/resourceclaims/ns/a"


def forged(*entries: Entry, revision: int = 9) -> bytes:
    return encoded(Snapshot(Checkpoint(entries, revision), "1.33", "2026-01-31T12:00:00Z"), compressed=False)


def entry(
    value: bytes = b"", *, key: str = "/core/configmaps/ns/a", revision: int = 3, created: int = 2
) -> Entry:
    return Entry(key, value or stored("a"), revision, created)


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([entry(b"not JSON")], "its line 2: its value is not a stored object: "),
        ([entry(b"[1]")], "its value is not a stored object: Expected `object`, got `array`"),
        ([entry(b"{}")], "its value is not a stored object: "),
        ([entry(b"R")], "its value is not a stored object: "),
        ([entry(b"[" * 100_000)], "its value is not a stored object: "),
        ([entry(stored("a").replace(b'"uid"', b'"uix"'))], "missing required field `uid`"),
        ([entry(stored("a").replace(b'"u"', b'""'))], "its value has no uid"),
        ([entry(stored("a").replace(b'"u"', b'"\xff"'))], "its value is not a stored object: "),
        ([entry(stored("a").replace(b'"resourceVersion":""', b'"resourceVersion":"7"'))], "stored form"),
        ([entry(b" " + stored("a"))], "its value is not in the stored form"),
        ([entry(stored("b"))], "its value is the object ns/b, but its key names another object"),
        ([entry(key="/x")], "'/x' is not the key of an object"),
        ([entry(key="/core/configmaps/ns/a/b")], "is not the key of an object"),
        ([entry(created=0)], "revision 3 of an object that was created at 0"),
        ([entry(created=4)], "revision 3 of an object that was created at 4"),
        ([entry(revision=10)], "has the revision 10, after that of the snapshot"),
        ([entry(), entry()], "it has /core/configmaps/ns/a twice"),
        ([entry(), entry(stored("b"), key="/core/configmaps/ns/b")], "revision 3 is that of two keys"),
        ([entry(created=1)], "revision 3 of '/core/configmaps/ns/a', created at 1"),
    ],
)
def test_objects_that_no_server_wrote_are_refused(entries: list[Entry], problem: str) -> None:
    with pytest.raises(SnapshotError) as refusal:
        decoded(forged(*entries), "it")
    assert problem in str(refusal.value)
    assert "it is damaged: " in str(refusal.value)


def test_an_empty_value_and_one_that_is_not_text_are_refused() -> None:
    lines = encoded(made("a"), compressed=False).decode().splitlines()
    for value, problem in (("", "its value is empty"), (5, "is not an object"), (None, "is not an object")):
        body = f"{lines[0]}\n{json.dumps({**json.loads(lines[1]), 'value': value})}\n".encode()
        end = json.dumps({"end": 1, "crc32": f"{zlib.crc32(body):08x}"}).encode() + b"\n"
        with pytest.raises(SnapshotError, match=problem):
            decoded(body + end, "it")


def test_revisions_of_a_file_are_bounded() -> None:
    assert decoded(forged(entry(), revision=REVISION_MAX), "it").checkpoint.revision == REVISION_MAX
    for revision in (REVISION_MAX + 1, 10**30, -5):
        with pytest.raises(SnapshotError, match=f"its revision {revision} is not between 0 and"):
            decoded(forged(revision=revision), "it")
