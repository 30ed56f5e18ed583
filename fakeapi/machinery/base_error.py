"""FakeAPIError: the base class of all errors that fakeapi raises on purpose and exports."""


class FakeAPIError(Exception):
    """Base class of the public errors. `except FakeAPIError` catches each of them.

    Wrong arguments raise TypeError and ValueError, as in other Python code.
    """
