"""The native trace format keeps every exchange. Errors about a damaged file name the line."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.clients.messages import Response
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.formats.native import NativeReader, TraceWriter
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange, Request, TraceError
from tests.traces.samples import EXCHANGES, HEADER, plain, read, written

LINES = [
    native_lines.header_line(HEADER),
    *(native_lines.exchange_line(plain(number, b"{}")) for number in range(3)),
]


def trace(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def failure(path: Path) -> TraceError:
    with pytest.raises(TraceError) as caught:
        read(path)
    return caught.value


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.jsonl.zst"])
def test_what_is_written_is_read_again_byte_for_byte(tmp_path: Path, name: str) -> None:
    if name.endswith(".zst"):
        pytest.importorskip("zstandard")
    path = written(tmp_path / name, *EXCHANGES)
    assert read(path) == list(EXCHANGES)
    with open_trace(path) as reader:
        assert (reader.header, reader.format) == (HEADER, "native")


@given(
    body=st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: json.dumps(text).encode()))
)
@settings(max_examples=200, deadline=None)
def test_any_body_is_kept(body: bytes) -> None:
    exchange = Exchange(1, 0.5, "me", Request("PUT", "/x", (), body), Response(200, (), body))
    line = native_lines.exchange_line(exchange)
    assert b"\n" not in line
    assert native_lines.exchange_of(native_lines.decode_exchange(line), "") == exchange


def test_a_body_that_is_json_stands_in_the_line_as_it_is() -> None:
    line = native_lines.exchange_line(plain(1, b'{"a": 1.0}\n'))
    assert b'"body":{"a": 1.0},"newline":true' in line


def test_exchanges_are_written_in_the_order_of_their_offsets(tmp_path: Path) -> None:
    exchanges = [plain(number, offset=offset) for number, offset in enumerate((2.0, 1.0, 2.0, 0.0))]
    path = written(tmp_path / "t.jsonl", *exchanges)
    assert [exchange.id for exchange in read(path)] == [3, 1, 0, 2]


def test_a_trace_can_be_iterated_again(tmp_path: Path) -> None:
    reader = NativeReader(written(tmp_path / "t.jsonl.gz", *EXCHANGES))
    assert list(reader) == list(reader)


def test_the_same_trace_is_the_same_file(tmp_path: Path) -> None:
    one, two = (
        written(tmp_path / name, *EXCHANGES).read_bytes() for name in ("one.jsonl.gz", "two.jsonl.gz")
    )
    assert one == two


def test_an_exchange_knows_its_line(tmp_path: Path) -> None:
    path = trace(tmp_path / "t.jsonl", LINES[0], b"", *LINES[1:])
    with open_trace(path) as reader:
        assert [exchange.place for exchange in reader] == [f"{path}:{number}" for number in (3, 4, 5)]


def test_only_the_owner_may_read_a_trace(tmp_path: Path) -> None:
    assert written(tmp_path / "t.jsonl").stat().st_mode & 0o777 == 0o600


def test_nothing_is_there_before_a_trace_is_whole(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.jsonl", HEADER)
    writer.append(EXCHANGES[0])
    assert list(tmp_path.iterdir()) == []
    writer.close()
    assert [path.name for path in tmp_path.iterdir()] == ["t.jsonl"]


def test_an_error_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("old")

    def write() -> None:
        with TraceWriter(path, HEADER) as writer:
            writer.append(EXCHANGES[0])
            raise KeyError

    with pytest.raises(KeyError):
        write()
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_trace_without_exchanges_is_one(tmp_path: Path) -> None:
    assert read(written(tmp_path / "t.jsonl")) == []


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([LINES[0], LINES[1][:-20]], ":2: ends in the middle of its JSON: the file was cut short"),
        ([LINES[0], b'{"id":x}'], ":2: JSON is malformed: invalid character (byte 6)"),
        ([LINES[0], LINES[1].replace(b'"id":0', b'"id":"0"')], ":2: id: Expected `int`, got `str`"),
        (
            [LINES[0], LINES[1].replace(b'"status":201', b'"status":20')],
            ":2: response.status: Expected `int` >= 100",
        ),
        (
            [LINES[0], LINES[1].replace(b'"body":{}', b'"body":{},"text":""', 1)],
            ":2: request.body: only one of body, text and base64 may be set",
        ),
        (
            [LINES[0], LINES[1].replace(b'"body":{}', b'"base64":"?"', 1)],
            ":2: request.base64: Only base64 data is allowed",
        ),
        (
            [LINES[0], LINES[1].replace(b'"status":201', b'"status":201,"events":[]')],
            ":2: response.ended: is required for a watch",
        ),
        (
            [LINES[0], LINES[1].replace(b'"id":0', b'"id":0,"extra":1')],
            ":2: Object contains unknown field `extra`",
        ),
        (
            [LINES[0].replace(b'"version":1', b'"version":2')],
            ":1: version: only version 1 of the format can be read",
        ),
        (
            [LINES[0].replace(b"2026-", b"later-")],
            ":1: started: is not an RFC 3339 time: 'later-11-20T19:49:18.902336Z'",
        ),
        (
            [*LINES, *LINES],
            ":5: kind: is a second header: two traces were joined, but each counts ids and times anew",
        ),
    ],
)
def test_what_is_wrong_is_told_with_line_and_field(tmp_path: Path, lines: list[bytes], problem: str) -> None:
    path = trace(tmp_path / "t.jsonl", *lines)
    assert str(failure(path)) == f"{path}{problem}"


def test_disorder_is_told_and_can_be_allowed(tmp_path: Path) -> None:
    late = native_lines.exchange_line(plain(7, offset=5.0))
    path = trace(tmp_path / "t.jsonl", LINES[0], late, LINES[1])
    error = failure(path)
    assert (error.line, error.field) == (3, "offset")
    with open_trace(path, ordered=False) as reader:
        assert [exchange.id for exchange in reader] == [7, 0]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", ": is empty"),
        (b"\n \n", ": is empty"),
        (
            b"apiVersion: v1\n",
            ":1: is not a trace (not JSON): neither fakeapi's format, an audit log nor HAR 1.2",
        ),
        (
            b'{"kind":"Pod"}\n',
            ":1: is not a trace (other JSON): neither fakeapi's format, an audit log nor HAR 1.2",
        ),
    ],
)
def test_what_is_no_trace_is_told(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    assert str(failure(path)) == f"{path}{problem}"


def test_a_missing_file_and_a_directory_are_told(tmp_path: Path) -> None:
    assert str(failure(tmp_path / "none")) == f"{tmp_path}/none: No such file or directory"
    assert str(failure(tmp_path)) == f"{tmp_path}: is a directory, not a trace"


@pytest.mark.parametrize("suffix", ["gz", "zst"])
@pytest.mark.parametrize("keep", [10, 60, -1])
def test_a_compressed_file_cut_short_is_told(tmp_path: Path, suffix: str, keep: int) -> None:
    if suffix == "zst":
        pytest.importorskip("zstandard")
    path = written(tmp_path / f"t.jsonl.{suffix}", *EXCHANGES)
    path.write_bytes(path.read_bytes()[:keep])
    assert failure(path).message in {
        "the compressed file ends too early: it was cut short",
        "ends in the middle of its JSON: the file was cut short",
    }


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_told(tmp_path: Path, suffix: str) -> None:
    if suffix == "zst":
        pytest.importorskip("zstandard")
    path = tmp_path / f"t.jsonl.{suffix}"
    path.write_bytes(b"\n".join(LINES))
    assert "is not gzip" in str(failure(path)) or "cannot be decompressed" in str(failure(path))


def test_damage_inside_a_gzip_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl.gz", *EXCHANGES)
    data = bytearray(path.read_bytes())
    data[-8:-4] = bytes(4)  # the checksum
    path.write_bytes(data)
    assert "is not gzip, or is damaged: CRC check failed" in str(failure(path))


def test_several_frames_of_zstd_are_one_file(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    compressor = zstandard.ZstdCompressor()
    path = tmp_path / "t.jsonl.zst"
    path.write_bytes(b"".join(compressor.compress(line + b"\n") for line in LINES))
    assert len(read(path)) == 3


def test_several_members_of_gzip_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(line + b"\n") for line in LINES))
    assert len(read(path)) == 3


def test_zstd_without_its_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    for attempt in (
        lambda: TraceWriter(tmp_path / "t.jsonl.zst", HEADER),
        lambda: compression.open_read(tmp_path / "t.jsonl.zst"),
    ):
        with pytest.raises(TraceError, match=r"pip install 'fakeapi-k8s\[zstd\]'"):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be written: No such file or directory"):
        TraceWriter(tmp_path / "no" / "t.jsonl", HEADER)


def test_a_line_that_is_too_long_is_refused_on_both_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.jsonl", plain(1, b"x" * 500))
    monkeypatch.setattr(native_lines, "LINE_MAX", 400)
    assert "is longer than" in str(failure(path))
    with pytest.raises(TraceError, match="exchange 1 makes a line of"):
        written(tmp_path / "u.jsonl", plain(1, b"x" * 500))
    assert not (tmp_path / "u.jsonl").exists()


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_damage_ends_in_anything_but_a_trace_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = b"\n".join([native_lines.header_line(HEADER), *map(native_lines.exchange_line, EXCHANGES[:4])])
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(len(whole), begin + 30)))
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_bytes(whole[:begin] + data.draw(st.binary(max_size=8)) + whole[end:])
    told = f"{path}"
    try:
        read(path)
    except TraceError as error:
        told = str(error)
    assert told.startswith(str(path))


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", *EXCHANGES)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read(path)) == len(EXCHANGES)


def test_blank_lines_are_counted_and_passed_over_in_no_time(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", plain(1))
    header, line = path.read_bytes().splitlines()
    bomb = tmp_path / "bomb.jsonl.gz"
    # Reading a hundred million lines one by one would take longer than a test may.
    with gzip.open(bomb, "wb") as file:
        file.write(header + b"\n")
        for _ in range(100):
            file.write(b"\n" * (1 << 20))
        file.write(b" \t\r\n" + line)
    with open_trace(bomb) as reader:
        (exchange,) = reader
    assert exchange.place == f"{bomb}:{100 * (1 << 20) + 3}"
