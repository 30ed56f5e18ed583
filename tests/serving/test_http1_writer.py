"""The tests parse the output of the HTTP/1 response writer with h11."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.serving.http1_writer import ResponseWriter


@given(
    st.sampled_from([200, 201, 204, 304, 404, 503]),
    st.lists(st.binary(max_size=50), max_size=5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_a_client_reads_what_was_written(
    status: int,
    pieces: list[bytes],
    declared: bool,  # noqa: FBT001 - hypothesis
    is_head: bool,  # noqa: FBT001 - hypothesis
    http_1_0: bool,  # noqa: FBT001 - hypothesis
    closes: bool,  # noqa: FBT001 - hypothesis
) -> None:
    bodiless = is_head or status in {204, 304}
    body = b"" if bodiless else b"".join(pieces)
    headers = [(b"x-a", b"b")] + ([(b"content-length", b"%d" % len(body))] if declared else [])
    writer = ResponseWriter(http_1_0=http_1_0, is_head=is_head, closes=closes)
    data = writer.start(status, b"Phrase", headers)
    data += b"".join(writer.data(piece) for piece in ([] if bodiless else pieces)) + writer.end()
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="HEAD" if is_head else "GET", target="/", headers=[("host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(data)
    response = client.next_event()
    assert isinstance(response, h11.Response)
    assert (response.status_code, response.reason) == (status, b"Phrase")
    assert (b"x-a", b"b") in list(response.headers)
    assert ((b"connection", b"close") in list(response.headers)) == writer.closes
    received = b""
    if writer.closes:
        client.receive_data(b"")
    while isinstance(event := client.next_event(), h11.Data):
        received += bytes(event.data)
    assert isinstance(event, h11.EndOfMessage)
    assert received == body


@pytest.mark.parametrize("value", [b"a\r\nb: c", b"a\nb", b"a\rb", b"a\0b"])
def test_a_header_cannot_become_two(value: bytes) -> None:
    with pytest.raises(ValueError, match="line break"):
        ResponseWriter(http_1_0=False, is_head=False, closes=False).start(200, b"OK", [(b"a", value)])


def test_a_body_is_as_long_as_was_declared() -> None:
    writer = ResponseWriter(http_1_0=False, is_head=False, closes=False)
    writer.start(200, b"OK", [(b"content-length", b"2")])
    with pytest.raises(ValueError, match="longer"):
        writer.data(b"abc")
    writer.data(b"a")
    with pytest.raises(ValueError, match="shorter"):
        writer.end()
