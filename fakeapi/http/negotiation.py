"""Content negotiation: reads the Accept and Content-Type headers.

In kube-apiserver, two layers check each header, and their error messages differ. The router
(emicklei/go-restful) compares media types without parameters. The handler, k8s.io/apiserver
`pkg/endpoints/handlers/negotiation`, also reads parameters and quality values.
"""

from functools import cmp_to_key

import msgspec
from msgspec.structs import replace

from fakeapi.http.header_cache import cached_by_header
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.patch.media_types import (
    APPLY_CBOR_PATCH,
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_MERGE_PATCH,
)
from fakeapi.registry.requests.decoding import CBOR, PROTOBUF, YAML
from fakeapi.releases import Release

JSON = "application/json"
OFFERED = (JSON, YAML, PROTOBUF)
"""The media types for objects in releases without CBOR, in the order in which error messages list them."""
STREAMED = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
CBOR_SEQUENCE = "application/cbor-seq"
"""The media type of a watch in CBOR: a CBOR sequence (RFC 8742)."""
LISTED = OFFERED + STREAMED
"""The media types that the router accepts for a list or a watch, in releases without CBOR."""
PATCH_TYPES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)
CUSTOM_PATCH_TYPES = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)
"""The patch types for custom objects. Strategic merge patch is missing, because it needs a Go type."""
HUMAN_AGENTS = ("curl", "Wget", "Mozilla/5.0")

TABLE = "Table"
PARTIAL = "PartialObjectMetadata"
PARTIAL_LIST = "PartialObjectMetadataList"
_INSERTION_SORTED_MAX = 12
_META_VERSIONS = ("meta.k8s.io/v1", "meta.k8s.io/v1beta1")
_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PARAMETER = lazy_pattern(rf";[ \t]*({_WORD})[ \t]*=")
_WELL_FORMED = lazy_pattern(
    rf"[ \t]*{_WORD}(?:/{_WORD})?[ \t]*"
    rf'(?:;[ \t]*{_WORD}=(?:{_WORD}|"(?:[^"\\]|\\.)*")[ \t]*)*(?:;[ \t]*)?'
)
_TRUE = ("1", "t", "T", "TRUE", "true", "True")


class Representation(msgspec.Struct, frozen=True):
    """The negotiated form of a response.

    `kind` and `api_version`: the conversion that the client requests, such as Table; empty for no conversion.
    """

    media_type: str = JSON
    pretty: bool = False
    kind: str = ""
    api_version: str = ""


class Offer(msgspec.Struct, frozen=True):
    """The media types that a release accepts and returns.

    - `answered`: the types for objects and lists, in the order in which error messages list them.
    - `streamed`: the types for watches, in the order in which error messages list them.
    - `patches` and `custom_patches`: the patch types for built-in and for custom resources.
    - `listed`: the types that the router accepts for a list or a watch.
    - `without_protobuf`: the types for objects whose kind has no protobuf message.
    """

    answered: tuple[str, ...] = OFFERED
    streamed: tuple[str, ...] = STREAMED
    patches: tuple[str, ...] = PATCH_TYPES
    custom_patches: tuple[str, ...] = CUSTOM_PATCH_TYPES
    listed: tuple[str, ...] = LISTED
    without_protobuf: tuple[str, ...] = (JSON, YAML)


ALWAYS = Offer()
_WITH_CBOR = Offer(
    (*OFFERED, CBOR),
    (*STREAMED, CBOR_SEQUENCE),
    (*PATCH_TYPES, APPLY_CBOR_PATCH),
    (*CUSTOM_PATCH_TYPES, APPLY_CBOR_PATCH),
    (*OFFERED, CBOR, *STREAMED, CBOR_SEQUENCE),
    (JSON, YAML, CBOR),
)
_CBOR_GATE = "CBORServingAndStorage"


def offer_of(release: Release) -> Offer:
    """Returns the media types that a release accepts and returns."""
    return _WITH_CBOR if release.gates.get(_CBOR_GATE) else ALWAYS


PLAIN = Representation()
Conversions = frozenset[tuple[str, str]]
"""The (kind, apiVersion) pairs to which the objects of a path can be converted."""

NO_CONVERSION: Conversions = frozenset()
METADATA: Conversions = frozenset(
    (kind, version) for kind in (PARTIAL, PARTIAL_LIST) for version in _META_VERSIONS
)
METADATA_OR_TABLE: Conversions = METADATA | {(TABLE, version) for version in _META_VERSIONS}


class _Clause(msgspec.Struct, frozen=True):
    """A clause of an Accept header: a media type with its quality and parameters."""

    kind: str
    subtype: str
    quality: float
    params: dict[str, str]

    def covers(self, media_type: str) -> bool:
        kind, _, subtype = media_type.partition("/")
        if self.kind == "*":
            return self.subtype == "*"
        return self.kind == kind and self.subtype in (subtype, "*")

    def precedes(self, other: "_Clause") -> bool:
        """Whether the package goautoneg prefers this clause to the other clause.

        This is not a consistent order, because a concrete type precedes a wildcard of any quality. For
        example, `text/*;q=1` and `text/html;q=0.1` each precede the other.
        """
        return (
            self.quality > other.quality
            or (other.kind == "*" != self.kind)
            or (other.subtype == "*" != self.subtype)
        )


@cached_by_header
def negotiate(
    header: str,
    conversions: Conversions = METADATA_OR_TABLE,
    offered: tuple[str, ...] = OFFERED,
    *,
    plain_protobuf: bool = True,
) -> Representation:
    """Returns the representation that an Accept header prefers.

    - `header`: the Accept header; an empty header gives JSON.
    - `conversions`: the (kind, apiVersion) pairs, such as Table, to which the objects can be converted.
    - `offered`: the media types that the server can return.
    - `plain_protobuf`: whether the server can return unconverted objects in protobuf.

    Raises ApiError 406 if the client accepts nothing that the server can return.
    """
    if not header:
        return PLAIN
    for clause in parse(header):
        for media_type in offered:
            if clause.covers(media_type):
                representation = _with_params(media_type, clause.params, conversions)
                if representation is not None and (
                    plain_protobuf or representation.kind or media_type != PROTOBUF
                ):
                    return representation
    raise not_acceptable(offered)


@cached_by_header
def check_produced(header: str, produced: tuple[str, ...] = OFFERED) -> None:
    """Raises the router's ApiError 406 if an Accept header has neither `*/*` nor a media type of the path.

    `produced`: the media types that the path can return. An empty header accepts all media types.
    """
    if not header:
        return
    for part in header.split(","):
        bare = part.partition(";")[0].strip(" ")
        if bare == "*/*" or bare in produced:
            return
    raise not_routed(produced)


def not_routed(produced: tuple[str, ...]) -> ApiError:
    """Returns the error 406 of go-restful's router. `produced`: the media types to list in the message."""
    return ApiError(
        406,
        "NotAcceptable",
        f"406: Not Acceptable\n\nAvailable representations: {', '.join(produced)}",
        Details(),
    )


def check_streamable(shape: Representation, streamed: tuple[str, ...] = STREAMED) -> None:
    """Raises ApiError 406 if `shape` is YAML, because the server cannot send a watch in YAML.

    `streamed`: the media types to list in the error message.
    """
    if shape.media_type == YAML:
        raise not_acceptable(streamed)


def parse(header: str) -> list[_Clause]:
    """Returns the clauses of an Accept header, ordered by preference as in github.com/munnerz/goautoneg.

    The preference is not a consistent order (see `_Clause.precedes`), so the result depends on the sorting
    algorithm. For up to twelve clauses, both Go and this function use insertion sort. The order of more
    clauses can differ from Go's.
    """
    clauses = [clause for part in header.split(",") if (clause := _clause(part)) is not None]
    if len(clauses) > _INSERTION_SORTED_MAX:
        return sorted(clauses, key=cmp_to_key(_compared))
    ordered: list[_Clause] = []
    for clause in clauses:
        place = len(ordered)
        while place and clause.precedes(ordered[place - 1]):
            place -= 1
        ordered.insert(place, clause)
    return ordered


def _compared(first: _Clause, second: _Clause) -> int:
    return second.precedes(first) - first.precedes(second)


def _clause(part: str) -> _Clause | None:
    media, *pieces = part.strip(" ").split(";")
    kind, *rest = (word.strip(" ") for word in media.split("/"))
    if not any(rest) and kind == "*":
        rest = ["*"]
    if len(rest) != 1 or not rest[0]:
        return None
    quality, params = 1.0, {}
    for piece in pieces:
        name, equals, value = piece.partition("=")
        if not equals or not value or "=" in value:
            continue
        if name.strip(" ") == "q":
            quality = _quality(value)
        else:
            params[name.strip(" ")] = value.strip(" ")
    return _Clause(kind, rest[0], quality, params)


def _quality(text: str) -> float:
    """Returns a quality value as a number; 0 for invalid text, like Go's ParseFloat."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _with_params(media_type: str, params: dict[str, str], conversions: Conversions) -> Representation | None:
    """Returns the representation for a media type with parameters; None for an unsupported parameter."""
    if params.get("sv") not in (None, "", "v1" if conversions else ""):
        return None
    stream = params.get("stream")
    if stream and (stream != "watch" or media_type == YAML):
        return None
    pretty = params.get("pretty") == "1"
    if not params.keys() & {"as", "g", "v"}:
        return Representation(media_type, pretty)
    kind, api_version = params.get("as", ""), f"{params.get('g', '')}/{params.get('v', '')}"
    if (kind, api_version) not in conversions:
        return None
    return Representation(media_type, pretty, kind, api_version)


def not_acceptable(offered: tuple[str, ...]) -> ApiError:
    """Returns the error 406 of the handlers in k8s.io/apiserver.

    `offered`: the media types to list in the message.
    """
    return ApiError(
        406, "NotAcceptable", f"only the following media types are accepted: {', '.join(offered)}"
    )


def prettified(shape: Representation, query: dict[str, str], user_agent: str) -> Representation:
    """Returns the representation, with `pretty` set if the client wants indented JSON.

    A parameter `pretty=1` in the Accept header has already set `pretty`. Otherwise the query parameter
    `pretty` decides. Without a value of this parameter, curl, Wget and browsers get indented JSON.
    """
    asked = query.get("pretty")
    pretty = asked in _TRUE if asked else user_agent.startswith(HUMAN_AGENTS)
    return replace(shape, pretty=True) if pretty and not shape.pretty else shape


def check_patch_route(content_type: str, content_length: str, patches: tuple[str, ...] = PATCH_TYPES) -> None:
    """Checks the Content-Type of a patch like go-restful `jsr311.go`, kube-apiserver's router.

    Raises ApiError 415 if the header lists no patch type; 406 if the request also has no body.
    """
    if any(part.partition(";")[0].strip(" ") in patches for part in content_type.split(",")):
        return
    if content_length.strip() in ("", "0"):
        raise not_routed(())
    raise ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", Details())


def patch_type(content_type: str, patches: tuple[str, ...] = PATCH_TYPES) -> str:
    """Returns the patch type in a Content-Type header.

    This is the text before the first semicolon, with spaces and case unchanged. Raises ApiError 415 if the
    type is not in `patches`.
    """
    media_type = content_type.partition(";")[0] or content_type
    if media_type not in patches:
        raise unsupported_media_type(*patches)
    return media_type


def body_type(content_type: str, offered: tuple[str, ...] = OFFERED) -> str:
    """Returns the media type in a Content-Type header; JSON if the header is empty.

    Raises ApiError 415 if the type is not in `offered`.
    """
    if not content_type:
        return JSON
    media_type = parsed_media_type(content_type)
    if media_type in offered:
        return media_type
    raise unsupported_media_type(*offered)


def unsupported_media_type(*accepted: str) -> ApiError:
    media_types = ", ".join(accepted)
    return ApiError(
        415,
        "UnsupportedMediaType",
        f"the body of the request was in an unknown format - accepted media types include: {media_types}",
    )


@cached_by_header
def parsed_media_type(header: str) -> str:
    """Returns the media type in a Content-Type header, in lower case.

    Returns "" if Go's package mime rejects the header.
    """
    if not _WELL_FORMED.fullmatch(header):
        return ""
    names = [name.lower() for name in _PARAMETER.findall(header)]
    return header.partition(";")[0].strip().lower() if len(set(names)) == len(names) else ""
