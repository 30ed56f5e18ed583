"""The source addresses of an audit event come from the headers of proxies, and end with the client's own."""

import pytest

from fakeapi.auditing.sources import source_addresses


@pytest.mark.parametrize(
    ("forwarded", "real", "remote", "expected"),
    [
        ("", "", "127.0.0.1", ["127.0.0.1"]),
        ("", "", "", []),
        ("10.0.0.1, 10.0.0.2", "", "127.0.0.1", ["10.0.0.1", "10.0.0.2", "127.0.0.1"]),
        ("10.0.0.1,unknown,", "", "127.0.0.1", ["10.0.0.1", "127.0.0.1"]),
        ("10.0.0.1", "10.0.0.1", "127.0.0.1", ["10.0.0.1", "127.0.0.1"]),
        ("10.0.0.1", "10.0.0.3", "127.0.0.1", ["10.0.0.1", "10.0.0.3", "127.0.0.1"]),
        ("127.0.0.1", "", "127.0.0.1", ["127.0.0.1"]),
        ("::ffff:10.0.0.1", "", "0:0::1", ["10.0.0.1", "::1"]),
        ("fe80::1%eth0", "x", "::1", ["::1"]),
    ],
)
def test_the_sources_of_a_request(forwarded: str, real: str, remote: str, expected: list[str]) -> None:
    headers = {b"x-forwarded-for": forwarded.encode(), b"x-real-ip": real.encode()}
    assert source_addresses(headers, remote) == expected
