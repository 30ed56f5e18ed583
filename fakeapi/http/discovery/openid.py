"""The OpenID Connect documents that let other programs verify service account tokens.

Follows k8s.io/kubernetes `pkg/routes/openidmetadata.go`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fakeapi.http.refusals import method_not_allowed
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery import codec

if TYPE_CHECKING:
    from fakeapi.registry.identity.token_signer import TokenSigner

CONFIGURATION = "/.well-known/openid-configuration"
KEYS = "/openid/v1/jwks"
_CACHED = (b"cache-control", b"public, max-age=3600")


def openid_document(request: Request, signer: Callable[[], "TokenSigner"]) -> Response | None:
    """Returns the OpenID configuration or the JSON Web Key Set; None for any other path.

    Raises ApiError 405 for methods except GET and HEAD.
    """
    path = request.path.removesuffix("/")
    if path not in (CONFIGURATION, KEYS):
        return None
    if request.method not in ("GET", "HEAD"):
        raise method_not_allowed()
    if path == KEYS:
        return Response(200, codec.encode(signer().key_set()), "application/jwk-set+json", headers=[_CACHED])
    address = f"{request.scheme}://{request.header(b'host')}"
    return Response(200, codec.encode(signer().configuration(address)), headers=[_CACHED])
