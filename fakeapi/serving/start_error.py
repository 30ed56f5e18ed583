"""StartError: the reason why a server cannot start."""

from fakeapi.machinery.base_error import FakeAPIError


class StartError(FakeAPIError):
    """Raised if the server cannot start. The message is one line for the user."""
