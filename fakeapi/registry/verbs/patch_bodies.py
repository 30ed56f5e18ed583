"""Checks the syntax of a patch body before all other checks, so that audit can record the patch as JSON.

Follows `validateAndTranscodePatch` of k8s.io/apiserver `pkg/endpoints/handlers/patch.go`, new in 0.37.
"""

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.errors import bad_request
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from fakeapi.machinery.patch.media_types import APPLY_PATCH

_SPACES = b" \t\r\n\v\f"


def check_body(body: bytes, media_type: str) -> None:
    """Raises ApiError 400 if a patch is not JSON, or if an apply configuration is not YAML.

    Accepts every apply configuration that begins with `{` without a check.
    """
    if media_type != APPLY_PATCH:
        if not _is_json(body):
            raise bad_request("invalid JSON patch")
        return
    if body.lstrip(_SPACES).startswith(b"{"):
        return
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - loads PyYAML, only for YAML

    try:
        yaml_text.load(body)
    except yaml_text.YamlError as error:
        raise bad_request(f"error encoding patch: {error}") from None


def _is_json(body: bytes) -> bool:
    """Whether a body has valid JSON syntax, even if Go cannot decode one of its numbers."""
    try:
        decode_lenient(body)
    except JsonError:
        return not json_syntax_error(body)
    return True
