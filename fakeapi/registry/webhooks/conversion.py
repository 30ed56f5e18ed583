"""ConversionWebhook: converts custom objects between versions by calling a webhook.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/conversion/webhook_converter.go` and its messages. If
the conversion of one object fails, the whole call fails.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.fmt import go_type
from fakeapi.machinery.golang.json_decoding import json_kind
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_annotations, validate_labels
from fakeapi.registry.webhooks.answers import ReviewType
from fakeapi.registry.webhooks.clients import CallFailed, NoClient, WebhookClients
from fakeapi.registry.webhooks.types import conversion_review_type
from fakeapi.releases import Quirks

GROUP = "apiextensions.k8s.io"
_KIND = "ConversionReview"
_VERSIONS = ("v1", "v1beta1")
_SUCCESS = "Success"


class ConversionFailed(Exception):
    """Raised if a webhook did not convert all objects. The message equals upstream's."""


class _Wrong(Exception):
    """Raised if the webhook's response, or an object in the response, is invalid."""


@dataclass(frozen=True, slots=True)
class ConversionWebhook:
    """The conversion webhook of a CustomResourceDefinition.

    - `config`: the `clientConfig` of the definition.
    - `versions`: the `conversionReviewVersions` of the definition. Calls use the first version in this list
      that the server supports.
    - `quirks`: the quirks of the release.
    """

    clients: WebhookClients
    config: Mapping[str, Any]
    versions: Sequence[str]
    quirks: Quirks

    @classmethod
    def of_definition(
        cls, definition: Mapping[str, Any], clients: WebhookClients, quirks: Quirks
    ) -> "ConversionWebhook":
        """Returns the webhook of a CustomResourceDefinition whose conversion strategy is Webhook."""
        webhook = definition["spec"]["conversion"]["webhook"]
        return cls(clients, webhook["clientConfig"], webhook.get("conversionReviewVersions") or (), quirks)

    async def convert(self, obj: Object, api_version: str) -> Object:
        """Converts an object to another version of its API group.

        Does not call the webhook if the object already has this version, or has only kind and apiVersion.
        Raises ConversionFailed if the call fails or the webhook returns an invalid object.
        """
        if obj.get("apiVersion") == api_version or _is_empty(obj):
            return {**obj, "apiVersion": api_version}
        subject = _type_of(obj)
        (converted,) = await self._asked([obj], api_version, subject)
        try:
            document = _object_of(converted)
        except _Wrong as wrong:
            raise ConversionFailed(str(wrong)) from None
        say = f"conversion webhook for {subject} returned invalid"
        try:
            _check_type(obj, document, api_version, say=f"{say} object at index 0: ")
            _check_identity(obj, document, say=f"{say} object: ")
            return _with_metadata_of(obj, document, say=f"{say} metadata: ")
        except _Wrong as wrong:
            raise ConversionFailed(str(wrong)) from None

    async def convert_list(self, objects: Sequence[Object], api_version: str, list_kind: str) -> list[Object]:
        """Converts the objects of a list to one API version, with at most one call.

        Raises ConversionFailed if the call fails or the webhook returns an invalid object.
        """
        others = [obj for obj in objects if obj.get("apiVersion") != api_version]
        if not others:
            return list(objects)
        subject = f"{api_version}, Kind={list_kind}"
        converted = iter(enumerate(await self._asked(others, api_version, subject)))
        try:
            return [
                obj
                if obj.get("apiVersion") == api_version
                else _listed(obj, next(converted), api_version, subject)
                for obj in objects
            ]
        except _Wrong as wrong:
            raise ConversionFailed(str(wrong)) from None

    async def _asked(self, objects: Sequence[Object], api_version: str, subject: str) -> list[Any]:
        """Calls the webhook; returns one converted object for each object in the request.

        `subject`: the type of the objects, for error messages. Raises ConversionFailed if the call fails, or
        if the number of returned objects is wrong.
        """
        version = next((name for name in self.versions if name in _VERSIONS), None)
        if version is None:
            raise ConversionFailed("no supported conversion review versions")
        uid = str(uuid4())
        schema = conversion_review_type(version)
        review_type = ReviewType(GROUP, version, _KIND, schema, self.quirks.webhook_scheme_line)
        request = {"uid": uid, "desiredAPIVersion": api_version, "objects": list(objects)}
        empty: Object = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
        review = {
            "kind": _KIND,
            "apiVersion": f"{GROUP}/{version}",
            "request": request,
            "response": empty,
        }
        try:
            converted = _converted(await self.clients.call(self.config, review, review_type), uid, version)
        except NoClient as error:
            raise ConversionFailed(str(error)) from error
        except (CallFailed, _Wrong) as error:
            raise ConversionFailed(f"conversion webhook for {subject} failed: {error}") from error
        if len(converted) != len(objects):
            counts = f"{len(converted)} objects, expected {len(objects)}"
            raise ConversionFailed(f"conversion webhook for {subject} returned {counts}")
        return converted


def _converted(review: Object, uid: str, version: str) -> list[Any]:
    """Returns the converted objects in a ConversionReview from the webhook.

    Raises _Wrong if the review is invalid or reports a failure.
    """
    response = review.get("response")
    if version == "v1":
        stated = f"{review.get('apiVersion') or '/'}, Kind={review.get('kind') or ''}"
        expected = f"{GROUP}/{version}, Kind={_KIND}"
        if stated != expected:
            raise _Wrong(f"expected webhook response of {expected}, got {stated}")
    if response is None:
        raise _Wrong("no response provided")
    if version == "v1" and response.get("uid", "") != uid:
        raise _Wrong(f"expected response.uid={quote(uid)}, got {quote(response.get('uid') or '')}")
    result = response.get("result") or {}
    status = result.get("status") or ""
    if status != _SUCCESS:
        raise _Wrong(result.get("message") or f"response.result.status was '{status}', not 'Success'")
    objects: list[Any] = response.get("convertedObjects") or []
    return objects


def _listed(obj: Object, converted: tuple[int, Any], api_version: str, subject: str) -> Object:
    """Checks a converted list item, and returns it with the metadata of the original object.

    - `obj`: the original object.
    - `converted`: the index of the item in the response, and the item.
    - `subject`: the type of the objects, for error messages.

    Raises _Wrong if the item is invalid.
    """
    index, value = converted
    say = f"conversion webhook for {subject} returned invalid converted object at index {index}: "
    try:
        document = _object_of(value)
    except _Wrong as wrong:
        raise _Wrong(f"{say}{wrong}") from None
    _check_type(obj, document, api_version, say=say)
    _check_identity(obj, document, say=say)
    of_metadata = f"conversion webhook for {subject} returned invalid metadata in object at index {index}: "
    return _with_metadata_of(obj, document, say=of_metadata)


def _object_of(value: Any) -> Object:
    value = codec.value_of(value)
    if value is None:
        raise _Wrong("unexpected end of JSON input")
    if not isinstance(value, dict):
        kind = json_kind(value)
        raise _Wrong(f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
    if not value.get("kind"):
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        raise _Wrong(f"Object 'Kind' is missing in '{text}'")
    return value


def _check_type(obj: Object, converted: Object, api_version: str, *, say: str) -> None:
    received = _text(converted, "apiVersion")
    if received != api_version:
        raise _Wrong(f"{say}invalid groupVersion (expected {api_version}, received {received})")
    if _text(converted, "kind") != obj.get("kind"):
        raise _Wrong(f"{say}invalid kind (expected {obj.get('kind')}, received {_text(converted, 'kind')})")


def _check_identity(obj: Object, converted: Object, *, say: str) -> None:
    old, new = obj.get("metadata") or {}, converted.get("metadata")
    named = new if isinstance(new, dict) else {}
    for member, label in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        one, other = _text(old, member), _text(named, member)
        if one != other:
            raise _Wrong(f"{say}must have the same {label}: {one} != {other}")


def _with_metadata_of(obj: Object, converted: Object, *, say: str) -> Object:
    """Returns the converted object with the metadata of the original, except for labels and annotations.

    The webhook may change labels and annotations. `say`: the beginning of error messages. Raises _Wrong if
    the webhook returned invalid metadata.
    """
    if "metadata" not in converted:
        raise _Wrong(f"{say}missing metadata in converted object")
    answered = converted["metadata"]
    if not isinstance(answered, dict):
        raise _Wrong(f"{say}invalid metadata of type {go_type(answered)} in converted object")
    metadata = dict(obj.get("metadata") or {})
    for member in ("labels", "annotations"):
        values = answered.get(member)
        if values is None:
            metadata.pop(member, None)
            continue
        _check_texts(values, metadata.get(member) or {}, member, say)
        metadata[member] = values
    return {**converted, "metadata": metadata}


def _check_texts(values: Any, before: Object, member: str, say: str) -> None:
    if not isinstance(values, dict):
        raise _Wrong(f"{say}invalid metadata.{member} of type {go_type(values)} in converted object")
    for key, value in values.items():
        if not isinstance(value, str):
            why = f"must be a string, but is {go_type(value)} in converted object"
            raise _Wrong(f"{say}metadata.{member}[{key}] {why}")
    if values == before:
        return
    validate = (
        partial(validate_labels, path="metadata.labels")
        if member == "labels"
        else partial(validate_annotations, path="metadata.annotation")
    )
    errors: list[FieldError] = validate(values)
    if errors:
        texts = list(dict.fromkeys(map(str, errors)))
        raise _Wrong(say + (texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"))


def _text(obj: Object, member: str) -> str:
    value = obj.get(member)
    return value if isinstance(value, str) else ""


def _is_empty(obj: Object) -> bool:
    """Whether an object has only kind and apiVersion.

    The server does not send such objects to the webhook.
    """
    return set(obj) == {"kind", "apiVersion"}


def _type_of(obj: Object) -> str:
    return f"{obj.get('apiVersion') or '/'}, Kind={obj.get('kind') or ''}"
