"""Decodes the responses of webhooks like client-go.

Follows k8s.io/client-go `rest/request.go` (transformResponse, Into). The first byte of the body decides
whether the body is JSON or YAML. The Content-Type must only be valid.
"""

from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.requests.decoding import YAML, Unreadable, parse, stated_type
from fakeapi.registry.webhooks.transport import Answer
from fakeapi.registry.webhooks.types import status_type

JSON = "application/json"
TEXT_MAX = 2048
"""Maximum number of bytes of a response body that error messages print."""

_WORDS = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    409: ("AlreadyExists", "the server reported a conflict"),
    422: ("Invalid", "the server rejected our request due to an error in our request"),
    429: (
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
    ),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: (
        "Timeout",
        (
            "the server was unable to return a response in the time allotted, but may still be processing "
            "the request"
        ),
    ),
}
_OWN_WORDS = {403: "Forbidden", 406: "NotAcceptable", 415: "UnsupportedMediaType"}
_NOT_ACCEPTABLE = "the server was unable to respond with a content type that the client supports"


class UnusableAnswer(Exception):
    """Raised if the response of a webhook is not a valid review. The message equals client-go's message.

    `status`: the ApiError if the response has an error status code or an invalid Content-Type; None for all
    other problems.
    """

    def __init__(self, reason: str, status: ApiError | None = None) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class ReviewType:
    """The expected type of the review in a webhook's response.

    - `schema`: the fields of the review.
    - `scheme_line`: the line of scheme.go in errors about unknown kinds (`webhook_scheme_line`).
    - `versions`: all versions of the API group that Kubernetes knows.
    """

    group: str
    version: str
    kind: str
    schema: Struct
    scheme_line: int
    versions: tuple[str, ...] = ("v1", "v1beta1")


def read_answer(answer: Answer, wanted: ReviewType) -> Object:
    """Decodes the review in a webhook's response. Fields that the response omits stay absent.

    Raises UnusableAnswer if the response is incomplete or empty, has an error status code or an invalid
    Content-Type, or is not a review of the expected type.
    """
    if answer.problem:
        raise UnusableAnswer(
            "unexpected error when reading response body. Please retry. Original error: " + answer.problem
        )
    media_type = answer.content_type or JSON
    problem = _media_type_problem(media_type)
    if problem:
        raise UnusableAnswer(f"Internal error occurred: {problem}", ApiError(500, "InternalError", problem))
    if not 200 <= answer.status <= 206:
        error = _sent_status(answer) or _error(answer)
        raise UnusableAnswer(error.message, error)
    if not answer.body:
        raise UnusableAnswer(
            f"0-length response with status code: {answer.status} and content type: {media_type}"
        )
    return _decoded(answer.body, wanted)


def _decoded(body: bytes, wanted: ReviewType) -> Object:
    try:
        value = _value_of(body)
        kind, api_version = stated_type(value)
    except Unreadable as error:
        raise UnusableAnswer(str(error)) from None
    problem = _type_problem(kind, api_version, wanted)
    if problem:
        raise UnusableAnswer(problem)
    try:
        return decode(value, wanted.schema)[0]
    except DecodeError as error:
        raise UnusableAnswer(str(error)) from None


def _value_of(body: bytes) -> Any:
    value, *_ = parse(body, JSON if body.lstrip()[:1] in {b"{", b"["} else YAML)
    return value


def _type_problem(kind: str, api_version: str, wanted: ReviewType) -> str:
    """Returns why client-go cannot decode a response of this kind and apiVersion; "" if client-go can.

    client-go can decode a response without kind or apiVersion.
    """
    group, _, version = api_version.rpartition("/")
    own = f"{wanted.version}.{wanted.kind}"
    if not kind or not api_version:
        return ""
    if (group, version, kind) == (wanted.group, wanted.version, wanted.kind):
        return ""
    if (api_version, kind) == ("v1", "Status") or (
        kind == wanted.kind and group == wanted.group and version in wanted.versions
    ):
        return f"converting ({version}.{kind}) to ({own}): unknown conversion"
    scheme = f'scheme "pkg/runtime/scheme.go:{wanted.scheme_line}"'
    return f'no kind "{kind}" is registered for version "{api_version}" in {scheme}'


def _media_type_problem(text: str) -> str:
    """Returns the error of Go's mime package for a media type; "" for a valid media type."""
    media_type, _, parameters = text.partition(";")
    essence = media_type.strip()
    if not essence:
        return "mime: no media type"
    if essence.count("/") > 1:
        return "mime: unexpected content after media subtype"
    if "/" in essence and not essence.partition("/")[2]:
        return "mime: expected token after slash"
    assignments = [parameter.strip() for parameter in parameters.split(";")]
    if any(parameter and "=" not in parameter for parameter in assignments):
        return "mime: invalid media parameter"
    return ""


def _sent_status(answer: Answer) -> ApiError | None:
    """Returns the error in a response body that is a Status.

    Returns None if the body is not a Status, or if the Status says Success.
    """
    try:
        value = _value_of(answer.body)
        if stated_type(value) != ("Status", "v1"):
            return None
        status, _ = decode(value, status_type())
    except (Unreadable, DecodeError):
        return None
    return None if status.get("status") == "Success" else error_of(status)


def error_of(status: Object) -> ApiError:
    """Converts a Status to an ApiError."""
    return ApiError(
        status.get("code") or 0, status.get("reason") or "", status.get("message") or "", _details(status)
    )


def _details(status: Object) -> Details | None:
    details = status.get("details")
    if details is None:
        return None
    causes = tuple(
        Cause(cause.get("reason") or "", cause.get("message") or "", cause.get("field") or "")
        for cause in details.get("causes") or ()
    )
    return Details(
        name=details.get("name") or "",
        group=details.get("group") or "",
        kind=details.get("kind") or "",
        uid=details.get("uid") or "",
        causes=causes,
        retry_after_seconds=details.get("retryAfterSeconds") or 0,
    )


def _error(answer: Answer) -> ApiError:
    """Returns the error for an HTTP status code, like NewGenericServerResponse of k8s.io/apimachinery."""
    text = "unknown"
    if not answer.content_type or answer.content_type.lower().startswith("text/"):
        text = answer.body[:TEXT_MAX].decode("utf-8", "replace").strip()
    code = answer.status
    reason = _OWN_WORDS.get(code, "Unknown")
    message = text if code in _OWN_WORDS else f"the server responded with the status code {code} but did not "
    if code == 406 and text in ("", "unknown"):
        message = _NOT_ACCEPTABLE
    elif code in _WORDS:
        reason, message = _WORDS[code]
    elif code >= 500:
        reason = "InternalError"
        message = f"an error on the server ({quote(text)}) has prevented the request from succeeding"
    elif code not in _OWN_WORDS:
        message += "return more information"
    return ApiError(code, reason, message, Details(causes=(Cause("UnexpectedServerResponse", text),)))
