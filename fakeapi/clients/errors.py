"""StatusError: raised for a request without a successful response."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.json_types import Object

if TYPE_CHECKING:
    import ssl


class StatusError(FakeAPIError):
    """Raised if the response to a request is an error, or is not a valid response of the API.

    - `code`: the HTTP status of the response; 0 if the response is malformed or was lost.
    - `status`: the Status in the response; {} if the body is not a JSON object. If `code` is 0, `status`
      contains only the reason and the message.
    - `reason`: the reason in `status`, such as "Conflict"; "" if it has none.
    - `message`: the message in `status`; if it has none, the text of the response.
    - `request`: the verb and object of the request, such as "update resourceclaims/status default/gpu"; "" if
      unknown.

    The text of the error also contains the argument `hints`, such as unknown fields of the written object.
    """

    def __init__(
        self, code: int, status: Object, text: str = "", *, request: str = "", hints: Iterable[str] = ()
    ) -> None:
        self.code = code
        self.status = status
        self.request = request
        self.reason: str = status.get("reason", "")
        self.message: str = status.get("message", text)
        answer = f"{code} {self.reason}: {self.message}" if self.reason else f"{code}: {self.message}"
        refusal = f"{request} was refused: {answer}" if request else answer
        super().__init__("\n    ".join([refusal, *self._causes(), *hints]))

    def _causes(self) -> list[str]:
        """Returns the causes in the Status that its message does not contain."""
        details = self.status.get("details")
        causes = details.get("causes") if isinstance(details, dict) else None
        texts = []
        for cause in causes if isinstance(causes, list) else ():
            text = str(cause.get("message", "")) if isinstance(cause, dict) else ""
            if text and text not in self.message:
                field = cause.get("field", "")
                texts.append(f"{field}: {text}" if field else text)
        return texts

    @classmethod
    def without_response(cls, reason: str, message: str) -> "StatusError":
        """Returns a StatusError with code 0, for a lost or malformed response.

        `reason` and `message`: as in a Status.
        """
        return cls(0, {"reason": reason, "message": message})

    @property
    def is_conflict(self) -> bool:
        """Whether the reason is Conflict, usually because another client has changed the object.

        The caller can read the object again and retry.
        """
        return self.reason == "Conflict"

    @property
    def is_not_found(self) -> bool:
        """Whether the object or the path does not exist."""
        return self.code == 404

    @property
    def is_already_exists(self) -> bool:
        """Whether the object could not be created because an object with its name exists."""
        return self.reason == "AlreadyExists"


def untrusted_text(url: str, error: "ssl.SSLCertVerificationError") -> str:
    """Returns the message for a server at `url` whose certificate is not trusted."""
    return f"the certificate of {url} is not trusted: {error.verify_message}"
