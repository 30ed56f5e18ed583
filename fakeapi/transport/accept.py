"""Which representation a client gets, from its Accept header.

Two layers upstream look at the header and refuse in different words: the router compares bare media
types with what a path produces, and the handler, `pkg/endpoints/handlers/negotiation` of k8s.io/apiserver,
reads parameters and quality values.
"""

from dataclasses import dataclass
from functools import lru_cache

from fakeapi.machinery.errors import ApiError, Details

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
_ADVERTISED = (JSON, YAML, PROTOBUF)
_SERVED = (JSON, YAML)
_CACHED_HEADERS = 256
HUMAN_AGENTS = ("curl", "Wget", "Mozilla/5.0")


@dataclass(frozen=True, slots=True)
class Representation:
    """`kind`, `group` and `version` name a conversion such as Table; empty for the object itself."""

    media_type: str = JSON
    pretty: bool = False
    kind: str = ""
    group: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class _Clause:
    media_type: str
    subtype: str
    quality: float
    params: tuple[tuple[str, str], ...]


PLAIN = Representation()


@lru_cache(_CACHED_HEADERS)
def negotiate(header: str, *, watch: bool = False, convertible: bool = True) -> Representation:
    """The representation that fits best. Raises ApiError 406."""
    if not header:
        return PLAIN
    check_produced(header, watch=watch)
    for clause in sorted(_parse(header), key=_preference):
        for media_type in _SERVED:
            kind, _, subtype = media_type.partition("/")
            if clause.media_type in (kind, "*") and clause.subtype in (subtype, "*"):
                found = _with_params(media_type, dict(clause.params), watch=watch, convertible=convertible)
                if found is not None:
                    return found
    raise _not_acceptable(watch=watch)


@lru_cache(_CACHED_HEADERS)
def check_produced(header: str, *, watch: bool = False) -> None:
    """The router's look at the header: does it name a media type that the path has? Raises ApiError 406."""
    if not header:
        return
    bare = {f"{clause.media_type}/{clause.subtype}" for clause in _parse(header)}
    if not bare & {*_ADVERTISED, "*/*"}:
        raise _not_produced(watch=watch)


def _parse(header: str) -> list[_Clause]:
    clauses = []
    for part in header.split(","):
        media, *params = (piece.strip() for piece in part.split(";"))
        kind, slash, subtype = media.partition("/")
        if kind == "*" and not slash:
            subtype = "*"
        if not subtype:
            continue
        pairs = [tuple(piece.split("=", 1)) for piece in params if "=" in piece]
        quality = next((_quality(value) for name, value in pairs if name == "q"), 1.0)
        rest = tuple((name.strip(), value.strip()) for name, value in pairs if name != "q")
        clauses.append(_Clause(kind.strip(), subtype.strip(), quality, rest))
    return clauses


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0


def _preference(clause: _Clause) -> tuple[float, int]:
    """By quality, then the more specific first; otherwise in the order of the header."""
    wildcards = (clause.media_type == "*") * 2 + (clause.subtype == "*")
    return -clause.quality, wildcards


def _with_params(
    media_type: str, params: dict[str, str], *, watch: bool, convertible: bool
) -> Representation | None:
    """The representation with its parameters; None where they ask for what is not served."""
    if params.get("sv") not in (None, "", "v1"):
        return None
    if params.get("stream") not in (None, "", "watch"):
        return None
    kind, group, version = params.get("as", ""), params.get("g", ""), params.get("v", "")
    if ("as" in params or "g" in params or "v" in params) and not (
        convertible and _is_conversion(kind, group, version)
    ):
        return None
    return Representation(media_type, params.get("pretty") == "1", kind, group, version)


def _is_conversion(kind: str, group: str, version: str) -> bool:
    """Whether objects are served as this kind: not yet."""
    return False


def _not_produced(*, watch: bool) -> ApiError:
    names = ", ".join(
        (*_ADVERTISED, *(f"{name};stream=watch" for name in (JSON, PROTOBUF))) if watch else _ADVERTISED
    )
    return ApiError(
        406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {names}", Details()
    )


def _not_acceptable(*, watch: bool) -> ApiError:
    names = ", ".join(_ADVERTISED)
    return ApiError(406, "NotAcceptable", f"only the following media types are accepted: {names}")


def wants_pretty(query: dict[str, str], user_agent: str) -> bool:
    """Whether JSON is indented: by the parameter, else for clients that people look at."""
    asked = query.get("pretty")
    if asked:
        return asked in ("1", "t", "T", "TRUE", "true", "True")
    return user_agent.startswith(HUMAN_AGENTS)
