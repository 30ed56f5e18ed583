"""StatusError: a request that a server refused."""

from fakeapi.machinery.json_types import Object


class StatusError(Exception):
    """The server answered with an HTTP status of 400 or above, or with something other than an API response.

    - `code`: the HTTP status; 0 if the connection was lost or the response is malformed
    - `status`: the Status object of the response; empty if the response was not a JSON object
    - `reason`, `message`: from the Status; `message` is the response's text without a Status
    """

    def __init__(self, code: int, status: Object, text: str = "") -> None:
        self.code = code
        self.status = status
        self.reason: str = status.get("reason", "")
        self.message: str = status.get("message", text)
        super().__init__(
            f"{code} {self.reason}: {self.message}" if self.reason else f"{code}: {self.message}"
        )

    @classmethod
    def without_response(cls, reason: str, message: str) -> "StatusError":
        """Returns the error for a missing or malformed response, with code 0."""
        return cls(0, {"reason": reason, "message": message})

    @property
    def is_conflict(self) -> bool:
        """Whether the reason is Conflict: another client changed the object.

        Read the object again and retry.
        """
        return self.reason == "Conflict"

    @property
    def is_not_found(self) -> bool:
        """Whether the object or the path does not exist."""
        return self.code == 404

    @property
    def is_already_exists(self) -> bool:
        """Whether a create failed because the object exists."""
        return self.reason == "AlreadyExists"
