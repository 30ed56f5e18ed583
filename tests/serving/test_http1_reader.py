"""The parser of HTTP/1 requests gives the same events, whatever the sizes of the pieces that it receives."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakeapi.serving.http1_reader import ENDED, Preface, RequestReader, Started
from fakeapi.serving.request_head import Refusal

LINES = st.sampled_from(
    [
        b"GET /a HTTP/1.1",
        b"GET /a?b=c HTTP/1.1",
        b"POST /a HTTP/1.1",
        b"PATCH /a HTTP/1.1",
        b"get /a HTTP/1.1",
        b"BREW /a HTTP/1.1",
        b"GET  /a HTTP/1.1",
        b"GET /a\xff HTTP/1.1",
        b"GET /a b HTTP/1.1",
        b"GET a HTTP/1.1",
        b"GET http://h/a HTTP/1.1",
        b"GET * HTTP/1.1",
        b"CONNECT h:1 HTTP/1.1",
        b"GET /a HTTP/1.0",
        b"GET /a HTTP/1.2",
        b"GET /a HTTP/2.0",
        b"GET /a HTTP/3.7",
        b"GET /a",
        b"\x16\x03\x01",
        b"",
    ]
)
HEADERS = st.lists(
    st.sampled_from(
        [
            b"Host: x",
            b"Host: x",
            b"host: y",
            b"Accept: application/json",
            b"X:a",
            b"X: \t a b \t ",
            b"X:",
            b"X : a",
            b"X: a\x01",
            b"X: a\xff",
            b"X: a\0",
            b" folded",
            b"(: a",
            b"no colon",
            b"Content-Length: 3",
            b"Content-Length: 0",
            b"Content-Length: 3, 3",
            b"Content-Length: 03",
            b"Content-Length: -1",
            b"Content-Length: 99999999999999999999",
            b"Transfer-Encoding: chunked",
            b"Transfer-Encoding: identity",
            b"Expect: 100-continue",
            b"Expect: wonders",
            b"Connection: close",
            b"Connection: keep-alive, Upgrade",
            b"Upgrade: websocket",
            b"Upgrade: h2c",
        ]
    ),
    max_size=6,
)
BREAKS = st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r"])
BODIES = st.sampled_from(
    [b"", b"abc", b"3\r\nabc\r\n0\r\n\r\n", b"zz\r\n", b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"]
)


def read(pieces: list[bytes]) -> list[object]:
    """Parses all pieces of a connection; returns the events. Joins adjacent pieces of a request body."""
    reader = RequestReader()
    events: list[object] = []
    for piece in pieces:
        reader.feed(piece)
        while (event := reader.next()) is not None:
            if isinstance(event, bytes) and events and isinstance(events[-1], bytes):
                events[-1] += event
            else:
                events.append(event)
            if isinstance(event, Refusal | Preface):
                return events
            if event is ENDED:
                reader.next_request()
    return events


@given(LINES, HEADERS, BREAKS, BODIES)
@example(
    b"GET /a HTTP/1.1", [b"Host: x", b"Connection: close"], b"\r\n", b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
)
def test_a_request_in_one_piece_is_what_it_is_byte_by_byte(
    line: bytes, headers: list[bytes], end: bytes, body: bytes
) -> None:
    """The parser uses llhttp for a request in one piece, and h11 for a request in several pieces."""
    data = end.join([line, *headers, b"", b""]) + body
    whole, cut = read([data]), read([data[n : n + 1] for n in range(len(data))])
    refused = [event.status for event in whole if isinstance(event, Refusal)]
    refused_too = [event.status for event in cut if isinstance(event, Refusal)]
    assert refused == refused_too
    assert [event for event in whole if not isinstance(event, Refusal)] == [
        event for event in cut if not isinstance(event, Refusal)
    ]


ORDINARY = (
    b"PUT /apis/a/b?c=d%20e HTTP/1.1\r\nHost: localhost:1\r\nUser-Agent: a/1 (b; c)\r\nAccept: */*\r\n"
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
)


@given(st.integers(0, len(ORDINARY)), st.integers(0, 2), st.binary(max_size=2))
def test_a_damaged_request_in_one_piece_is_what_it_is_byte_by_byte(
    place: int, removed: int, added: bytes
) -> None:
    data = ORDINARY[:place] + added + ORDINARY[place + removed :]
    assert read([data]) == read([data[n : n + 1] for n in range(len(data))])


TARGETS = st.lists(
    st.sampled_from(
        [b"/", b"a", b"%20", b"%zz", b"?", b"#", b"..", b"//", b"\\", b'"', b"|", b"{}", b"\x7f", b"[:]"]
    ),
    max_size=5,
).map(lambda parts: b"/" + b"".join(parts))

RIGHT_HEADERS = st.tuples(
    st.just(b"Host: x"),
    st.sampled_from([b"Content-Length: 3", b"Content-Length: 0", b"Connection: close", b"X-Other: 1"]),
    st.sampled_from([b"Accept: application/json", b"X: \t a b \t ", b"X:", b"X: a\xff", b"Upgrade: h2c"]),
).map(list)


@given(
    st.sampled_from([b"GET", b"POST", b"PUT", b"PATCH", b"DELETE", b"HEAD", b"OPTIONS", b"get"]),
    TARGETS,
    RIGHT_HEADERS,
)
@example(b"DELETE", b"/a", [b"Host: x", b"Connection: close"])
@example(b"PUT", b"/a", [b"Host: x", b"Content-Length: 3"])
@example(b"GET", b"/a#b", [b"Host: x"])
def test_a_request_whose_headers_came_before_is_what_it_is_alone(
    method: bytes, target: bytes, headers: list[bytes]
) -> None:
    """The parser caches the headers of the last request, and reuses the result if they are repeated."""
    end = b"\r\n".join([b"", *headers, b"", b""])
    known, fresh = RequestReader(), RequestReader()
    known.feed(b"GET /before HTTP/1.1" + end)
    before = known.next()
    assert isinstance(before, Started)
    known.feed(b"x" * before.head.content_length)
    while known.next() is not ENDED:
        pass
    known.next_request()
    for reader in (known, fresh):
        reader.feed(method + b" " + target + b" HTTP/1.1" + end)
    assert known.next() == fresh.next()


def test_headers_that_a_connection_repeats_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    anew: list[bytes] = []
    read_anew = RequestReader._read_anew

    def counted(self: RequestReader, raw: bytes) -> Started | None:
        anew.append(raw)
        return read_anew(self, raw)

    monkeypatch.setattr(RequestReader, "_read_anew", counted)
    requests = [b"GET /%d HTTP/1.1\r\nHost: x\r\nX: %d\r\n\r\n" % (n, n // 50) for n in range(500)]
    events = read([b"".join(requests)])
    started = [event for event in events if isinstance(event, Started)]
    assert [event.head.target for event in started] == [b"/%d" % n for n in range(500)]
    assert [event.head.headers[1][1] for event in started] == [b"%d" % (n // 50) for n in range(500)]
    assert len(anew) == 10


@pytest.mark.parametrize("length", [0, 1, 70_000])
def test_the_bytes_after_a_body_are_the_next_request(length: int) -> None:
    head = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % length
    events = read([(head + b"x" * length) * 3])
    assert [event for event in events if isinstance(event, bytes)] == [b"x" * length] * (3 if length else 0)
    assert sum(isinstance(event, Started) for event in events) == 3


def test_what_waits_behind_a_complete_request_is_counted() -> None:
    reader = RequestReader()
    reader.feed(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + b"GET /b")
    assert isinstance(reader.next(), Started)
    assert reader.next() is ENDED
    assert reader.next() is None
    assert reader.complete
    assert reader.waiting == len(b"GET /b")
