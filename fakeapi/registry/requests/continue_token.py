"""Continue tokens: strings that say where the next page of a list begins.

Follows k8s.io/apiserver `pkg/storage/continue.go`.
"""

import base64
import posixpath

from fakeapi.machinery import codec, errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Field, Scalar, ScalarKind, Struct

TOKEN_VERSION = "meta.k8s.io/v1"  # noqa: S105 - a format's name, not a secret

_NOT_BASE64 = lazy_pattern("[^A-Za-z0-9_-]")


def encode_token(start_key: str, prefix: str, revision: int, *, slash: bool = False) -> str:
    """Returns a token that continues a list at `start_key`, with the objects of `revision`.

    - `revision`: -1 stands for the newest revision.
    - `slash`: whether the key in the token begins with a slash, as in tokens of the watch cache. The slash
      does not change the meaning of the token.
    """
    start = f"{'/' if slash else ''}{start_key.removeprefix(prefix)}"
    data = codec.encode({"v": TOKEN_VERSION, "rv": revision, "start": start})
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_token(token: str, prefix: str) -> tuple[str, int]:
    """Returns the start key and the revision of a continue token.

    If the key ends in NUL, the list continues after this key. The token of each page ends in NUL. Raises
    ApiError 400 if the token is malformed.
    """
    data = _from_base64(token)
    try:
        fields = codec.decode(data)
    except codec.JsonError:
        raise _bad_token(json_syntax_error(data)) from None
    try:
        decoded, _ = decode(_folded(fields), _TOKEN)
    except DecodeError as error:
        raise _bad_token(str(error)) from None
    if decoded["v"] != TOKEN_VERSION:
        raise _bad_token(f"server does not recognize this encoded version {decoded['v']}")
    revision, start = decoded["rv"], decoded["start"]
    if revision == 0:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not start:
        raise _bad_token("encoded start key empty (version meta.k8s.io/v1)")
    key = start if start.startswith("/") else f"/{start}"
    if posixpath.normpath(key.rstrip("\0")) != key.rstrip("\0"):
        raise _bad_token(start)
    return prefix + key[1:], revision


def _folded(fields: object) -> object:
    """Returns a token's JSON object with lower-case names, because Go's encoding/json ignores case."""
    return {name.lower(): value for name, value in fields.items()} if isinstance(fields, dict) else fields


_STRING, _INT64 = Scalar(ScalarKind.STRING, "string"), Scalar(ScalarKind.INTEGER, "int64")
_TOKEN = Struct(
    "storage.continueToken",
    {
        "v": Field("v", _STRING, omitempty=False),
        "rv": Field("rv", _INT64, omitempty=False),
        "start": Field("start", _STRING, omitempty=False),
    },
)


def _from_base64(token: str) -> bytes:
    """Decodes base64. Raises ApiError 400 with the position of the invalid byte in the message, like Go."""
    bad = _NOT_BASE64.search(token)
    whole = bad.start() if bad else len(token)
    if bad or whole % 4 == 1:
        raise _bad_token(f"illegal base64 data at input byte {whole if bad else whole - 1}")
    return base64.urlsafe_b64decode(token + "=" * (-whole % 4))


def _bad_token(why: str) -> ApiError:
    return errors.bad_request(f"invalid continue token: continue key is not valid: {why}")
