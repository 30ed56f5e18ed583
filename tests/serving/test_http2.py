"""A running server handles HTTP/2 connections; the tests send and receive single frames."""

import contextlib
import logging
import ssl
from collections.abc import Iterator

import h2.config
import h2.connection
import h2.errors
import h2.exceptions
import h2.settings
import pytest

from fakeapi.serving.certificates import issue
from fakeapi.serving.http2 import RESETS, STREAMS
from fakeapi.serving.runner import Runner
from tests.serving.asking import ask, connected, raw, turns
from tests.serving.h2client import Client
from tests.serving.stub import Stub

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, PRIORITY, HEADERS, CONTINUATION, DATA, WINDOW_UPDATE = 4, 6, 2, 1, 9, 0, 8
ASK = b"\x83\x86\x04\x05/echo\x41\x01x"
"""The headers of a POST to /echo with the host x, encoded with HPACK."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


@pytest.fixture
def client(runner: Runner) -> Iterator[Client]:
    with Client(raw(runner)) as client:
        yield client


def test_http2_is_spoken_without_tls_by_prior_knowledge(client: Client) -> None:
    assert client.answer(client.request("/constant")) == ("200", b"constant 2")


def test_http2_is_negotiated_over_tls(stub: Stub) -> None:
    certificates = issue(["127.0.0.1"])
    runner = Runner(stub, tls=certificates.server)
    runner.start()
    trust = ssl.create_default_context(cadata=certificates.ca.decode())
    trust.set_alpn_protocols(["h2", "http/1.1"])
    with Client(trust.wrap_socket(raw(runner), server_hostname="127.0.0.1")) as client:
        assert client.answer(client.request("/constant")) == ("200", b"constant 2")
    runner.stop()


def test_the_application_sees_path_query_and_host(client: Client) -> None:
    stream = client.request("/scope?a=b", extra=(("accept", "text/plain"),))
    assert client.answer(stream) == ("200", b"GET|/scope|a=b|host=x accept=text/plain")


def test_spaces_around_the_value_of_a_header_are_ignored(client: Client) -> None:
    client.h2.config.normalize_outbound_headers = client.h2.config.validate_outbound_headers = False
    for value in ("text/plain ", " text/plain", "\ttext/plain \t"):
        stream = client.request("/scope", extra=(("accept", value),))
        assert client.answer(stream) == ("200", b"GET|/scope||host=x accept=text/plain")


def test_a_watch_survives_thousands_of_requests_beside_it(client: Client, stub: Stub) -> None:
    watch = client.request("/watch")
    for _ in range(1_100):
        assert client.answer(client.request("/constant"))[0] == "200"
    assert client.bodies[watch] == b"event\n"
    assert stub.watching == 1


def test_all_announced_streams_can_be_used_and_one_more_is_refused_alone(
    runner: Runner, stub: Stub, client: Client
) -> None:
    while not client.greeted:
        client.receive()
    assert client.h2.remote_settings.max_concurrent_streams == STREAMS
    for _ in range(STREAMS):
        client.begin("/watch")
    client.flush()
    while len(client.statuses) < STREAMS:
        client.receive()
    assert stub.watching == STREAMS
    client.h2.remote_settings.update({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 2 * STREAMS})
    client.h2.remote_settings.acknowledge()
    refused = client.request("/constant")
    client.answer(refused)
    assert client.reset == {refused: h2.errors.ErrorCodes.REFUSED_STREAM}
    assert not client.ended
    client.h2.reset_stream(1)
    client.flush()
    stub.wait_for(lambda: stub.watching == STREAMS - 1)
    assert client.answer(client.request("/constant"))[0] == "200"


def test_bodies_larger_than_the_window_arrive(client: Client) -> None:
    assert client.answer(client.request("/echo", bytes(5_000_000))) == ("200", b"5000000")


def test_a_body_that_nobody_reads_closes_its_window_alone(client: Client, stub: Stub) -> None:
    unread = client.begin("/unread", ended=False)
    while not client.greeted:
        client.receive()
    sent = 0
    while room := min(client.h2.local_flow_control_window(unread), 16_384):
        client.h2.send_data(unread, bytes(room))
        sent += room
        client.flush()
    assert sent == 256 * 1024
    assert client.answer(client.request("/echo", bytes(1_000_000))) == ("200", b"1000000")
    stub.disconnected.set()


def test_an_early_answer_leaves_the_rest_of_the_connection_alone(client: Client) -> None:
    watch = client.request("/watch")
    early = client.request("/early", bytes(1_000_000))
    assert client.answer(early)[0] == "415"
    assert client.answer(client.request("/constant"))[0] == "200"
    assert not client.is_over(watch)


def test_the_body_of_a_request_that_was_answered_is_asked_for_no_more(client: Client) -> None:
    early = client.begin("/early", ended=False)
    client.flush()
    while early not in client.reset:
        client.receive()
    assert client.reset == {early: h2.errors.ErrorCodes.NO_ERROR}
    assert client.bodies[early] == b"early"


def test_large_headers_are_taken(client: Client) -> None:
    assert client.answer(client.request("/constant?labelSelector=" + "x" * 100_000))[0] == "200"


@pytest.mark.parametrize("path", ["/constant/\N{SNOWMAN}", "constant", "http://x/constant"])
def test_what_is_no_path_resets_its_stream_alone(client: Client, path: str) -> None:
    stream = client.request(path)
    client.answer(stream)
    assert client.reset == {stream: h2.errors.ErrorCodes.PROTOCOL_ERROR}
    assert client.answer(client.request("/constant"))[0] == "200"


def test_a_failing_application_is_a_500(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "fakeapi.serving"):
        assert client.answer(client.request("/fail"))[0] == "500"
    assert "The application failed at GET /fail" in caplog.text


def test_a_response_that_breaks_off_is_reset(client: Client) -> None:
    stream = client.request("/break")
    client.answer(stream)
    assert client.reset == {stream: h2.errors.ErrorCodes.INTERNAL_ERROR}
    assert client.answer(client.request("/constant"))[0] == "200"


def test_a_client_that_does_not_read_stops_its_producer_alone(
    runner: Runner, client: Client, stub: Stub
) -> None:
    client.acknowledge = False
    flood = client.request("/flood")
    while len(client.bodies.get(flood, b"")) < 65_535:
        client.receive()
    turns(runner, 1_000)  # an application without a limit would continue in each of them
    assert stub.flooded <= 2
    client.acknowledge = True
    client.h2.increment_flow_control_window(65_535)
    client.flush()
    assert client.answer(client.request("/constant"))[0] == "200"
    client.h2.reset_stream(flood)
    client.flush()
    stub.wait_for(lambda: "stopped" in stub.calls)
    assert client.answer(client.request("/constant"))[0] == "200"
    runner.call(stub.let_go)


def test_a_response_is_not_made_while_its_window_is_closed(
    runner: Runner, client: Client, stub: Stub
) -> None:
    client.h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
    client.flush()
    flood = client.request("/flood")
    assert client.answer(client.request("/whole/0"))[0] == "200"
    turns(runner, 100)
    assert "flooding" not in stub.calls
    client.h2.increment_flow_control_window(1, flood)
    client.flush()
    while bytes(client.bodies.get(flood, b"")) != b"\0":
        client.receive()


def test_send_raises_for_a_stalled_client_that_leaves(runner: Runner, stub: Stub) -> None:
    with Client(raw(runner), acknowledge=False) as client:
        flood = client.request("/flood")
        while len(client.bodies.get(flood, b"")) < 65_535:
            client.receive()
    stub.wait_for(lambda: "stopped" in stub.calls)


def test_stop_ends_watches_and_then_the_connection(stub: Stub) -> None:
    runner = Runner(stub, grace=600)
    runner.start()
    with Client(raw(runner)) as client:
        watch = client.request("/watch")
        while watch not in client.bodies:
            client.receive()
        runner.stop()
        with contextlib.suppress(ConnectionError):
            assert client.answer(watch) == ("200", b"event\n")
        assert watch in client.ended


@pytest.mark.parametrize(
    "junk",
    [
        pytest.param(frame(HEADERS, 5, 99, b"\xff" * 4), id="headers-that-are-none"),
        pytest.param(frame(WINDOW_UPDATE, 0, 0, bytes(4)), id="window-of-nothing"),
        pytest.param(frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 2, id="window-beyond-its-limit"),
        pytest.param(frame(DATA, 0, 1, bytes(20_000)), id="frame-beyond-its-limit"),
        pytest.param(frame(HEADERS, 1, 99, ASK) + frame(CONTINUATION, 0, 99, b"") * 10_000, id="no-end"),
        pytest.param(
            frame(HEADERS, 1, 99, ASK) + frame(CONTINUATION, 0, 99, b"\0\1a\1b" * 3_000) * 130, id="too-long"
        ),
    ],
)
def test_a_broken_frame_ends_its_connection_alone(runner: Runner, client: Client, junk: bytes) -> None:
    client.answer(client.request("/constant"))
    with contextlib.suppress(ConnectionError):
        client.sock.sendall(junk)
    with pytest.raises((ConnectionError, h2.exceptions.ProtocolError)):
        client.answer(client.request("/constant"))
    with Client(raw(runner)) as other:
        assert other.answer(other.request("/constant"))[0] == "200"


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param(frame(PING, 0, 0, b"12345678") * 5_000, id="pings"),
        pytest.param(frame(SETTINGS, 0, 0, b"") * 5_000, id="settings"),
        pytest.param(
            b"".join(frame(PRIORITY, 0, 1 + 2 * n, b"\0\0\0\0\1") for n in range(5_000)), id="priorities"
        ),
        pytest.param(frame(HEADERS, 4, 1, ASK) + frame(DATA, 0, 1, b"") * 5_000, id="empty-data"),
        pytest.param(frame(0xEE, 0xFF, 0, bytes(100)) * 5_000, id="unknown-frames"),
    ],
)
def test_a_flood_of_small_frames_leaves_others_their_turn(
    runner: Runner, flood: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with raw(runner) as flooding, connected(runner) as other:
        flooding.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + flood)
        assert ask(other, "/constant")[0] == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_streams_that_are_reset_as_soon_as_they_are_opened_end_their_connection(
    runner: Runner, client: Client, stub: Stub
) -> None:
    """CVE-2023-39325 (rapid reset): a stream costs the client two small frames, but the server a request."""
    with contextlib.suppress(ConnectionError):
        for _ in range(3 * RESETS):
            client.h2.reset_stream(client.begin("/watch"), h2.errors.ErrorCodes.CANCEL)
        client.flush()
        client.until_closed()
    assert client.goodbye == h2.errors.ErrorCodes.ENHANCE_YOUR_CALM
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200
    stub.wait_for(lambda: stub.watching == 0)


def test_streams_that_the_client_makes_the_server_reset_count_as_well(runner: Runner, client: Client) -> None:
    """CVE-2025-8671: the client makes the server reset its streams, here with invalid requests."""
    with contextlib.suppress(ConnectionError):
        for _ in range(3 * RESETS):
            client.begin("constant")
        client.flush()
        client.until_closed()
    assert client.goodbye == h2.errors.ErrorCodes.ENHANCE_YOUR_CALM


def test_as_many_watches_as_may_be_open_may_be_ended_at_once(client: Client, stub: Stub) -> None:
    watches = [client.request("/watch") for _ in range(STREAMS)]
    while len(client.statuses) < STREAMS:
        client.receive()
    for watch in watches:
        client.h2.reset_stream(watch, h2.errors.ErrorCodes.CANCEL)
    client.flush()
    stub.wait_for(lambda: stub.watching == 0)
    assert client.answer(client.request("/constant"))[0] == "200"
    assert client.goodbye is None


def test_a_half_open_stream_and_a_plain_connect_harm_nobody(runner: Runner, client: Client) -> None:
    client.begin("/echo", ended=False)
    client.h2.send_headers(
        client.h2.get_next_available_stream_id(), [(":method", "CONNECT"), (":authority", "x")]
    )
    client.flush()
    with contextlib.suppress(ConnectionError):
        client.answer(client.request("/constant"))
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200
