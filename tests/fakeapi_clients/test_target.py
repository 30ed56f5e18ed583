"""Clients refuse server URLs that are invalid or contain a password."""

import pytest

from fakeapi.clients.target import TargetError, target_of_url


@pytest.mark.parametrize("url", ["127.0.0.1:1", "http://", "http://a:x", "http://a/?q", "ftp://a"])
def test_a_url_that_is_none_is_told(url: str) -> None:
    with pytest.raises(TargetError, match="is not the URL of a server"):
        target_of_url(url)


def test_a_password_in_a_url_is_refused() -> None:
    with pytest.raises(TargetError, match="process lists"):
        target_of_url("http://me:secret@a")
