"""Lists: at which version, which page, and what the continue token says.

Follows k8s.io/apiserver `pkg/storage/cacher` (which lists the watch cache answers: without limit and
continue, from a version on) and `pkg/storage/etcd3` (the others, exact versions and pages), and
`pkg/storage/continue.go` for the token.
"""

import base64
import posixpath
import re
from dataclasses import dataclass

from fakeapi.machinery import codec, errors
from fakeapi.machinery.decoding import DecodeError, decode
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.schema import Field, Scalar, ScalarKind, Struct
from fakeapi.machinery.strictjson import json_syntax_error
from fakeapi.registry.call import ListOptions, Target
from fakeapi.registry.resource import Resource
from fakeapi.registry.selectable import NAME
from fakeapi.registry.selection import Selection, selection
from fakeapi.registry.versions import parse_version
from fakeapi_storage import Compacted, Entry, FutureRevision, Page, Storage

PAGE_MAX = 10_000
"""A limited list looks at twice as many objects each time that too few were selected, up to so many."""

TOO_LARGE_RETRY_SECONDS = 1
TOKEN_VERSION = "meta.k8s.io/v1"  # noqa: S105 - a format's name, not a secret

_NOT_BASE64 = re.compile("[^A-Za-z0-9_-]")
_TOO_OLD_TO_CONTINUE = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without the continue parameter, or use the continue token in this response to retrieve the "
    "remainder of the results. Continuing with the provided token results in an inconsistent list - objects "
    "that were created, modified, or deleted between the time the first chunk was returned and now may show "
    "up in the list."
)


@dataclass(frozen=True, slots=True)
class Listed:
    """One answer to a list. `remaining` is None where Kubernetes does not say."""

    entries: list[Entry]
    revision: int
    continue_token: str = ""
    remaining: int | None = None


def prefix_of(resource: Resource, target: Target) -> str:
    """The storage prefix of what a list or watch covers."""
    return f"{resource.prefix}{target.namespace}/" if target.namespace else resource.prefix


def list_entries(storage: Storage, resource: Resource, target: Target, options: ListOptions) -> Listed:
    """The selected objects in the order of namespace and name.

    Raises ApiError: 400 for a bad continue token, 410 for a version that is compacted, 504 for one that
    is not there yet, 500 for one that is no number.
    """
    chosen = selection(options.labels, options.fields, resource.selectable.fields_of)
    prefix = prefix_of(resource, target)
    start_after, at, limit = _where(storage, resource, prefix, options)
    if _asks_for_one(resource, target, options):
        limit = 0
    from_cache = at is None and not options.continue_token
    entries: list[Entry] = []
    size = limit
    while True:
        page = _page(storage, prefix, start_after, at, size, options)
        more = _take(page, chosen, entries, limit)
        if not limit or not more or len(entries) >= limit:
            break
        start_after, at, size = page.entries[-1].key, page.revision, max(size, min(2 * size, PAGE_MAX))
    token, remaining = "", None
    if limit and more:
        leads = from_cache and resource.release.quirks.first_page_token_has_slash
        token = encode_token(entries[-1].key, prefix, page.revision, slash=leads)
        remaining = page.remaining if chosen.everything else None
    if not resource.is_stored:
        entries = [resource.seen(entry) for entry in entries]
    return Listed(entries, page.revision, token, remaining)


def _take(page: Page, chosen: Selection, entries: list[Entry], limit: int) -> bool:
    """Adds what is selected to `entries`, up to the limit; says whether anything comes after the last one.

    An object after the last one counts, selected or not, as it does upstream.
    """
    if chosen.everything:
        entries += page.entries
        return page.more
    for entry in page.entries:
        if limit and len(entries) == limit:
            return True
        if chosen.matches(entry):
            entries.append(entry)
    return page.more


def _asks_for_one(resource: Resource, target: Target, options: ListOptions) -> bool:
    """Whether a selector names the one object that can be meant: upstream gets it, and knows no pages."""
    if options.fields is None or options.continue_token or resource.kind.namespaced != bool(target.namespace):
        return False
    return options.fields.requires_exact_match(NAME) is not None


def _where(
    storage: Storage, resource: Resource, prefix: str, options: ListOptions
) -> tuple[str | None, int | None, int]:
    """(start after this key, at this revision, at most so many) for what the options ask."""
    version = options.resource_version
    if options.continue_token:
        start_after, revision = decode_token(options.continue_token, prefix)
        if version and version != "0":
            raise errors.bad_request("specifying resource version is not allowed when using continue")
        return start_after, revision if revision > 0 else None, options.limit
    if not version:
        return None, None, options.limit
    wanted = _list_version(resource, version)
    if wanted == 0:
        return None, None, 0  # from the cache, which knows no pages
    if options.match == "Exact" or (not options.match and options.limit):
        return None, wanted, options.limit
    if wanted > storage.revision:
        raise too_large(wanted, storage.revision)
    return None, None, options.limit


def _list_version(resource: Resource, text: str) -> int:
    try:
        return parse_version(text)
    except ApiError as error:
        if resource.release.quirks.list_resource_version_error_is_500:
            raise
        raise errors.bad_request(f"invalid resource version: {error.message}") from None


def too_large(wanted: int, current: int) -> ApiError:
    """504: a version that the server has not reached."""
    cause = errors.Cause("ResourceVersionTooLarge", "Too large resource version")
    return ApiError(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {wanted}, current: {current}",
        Details(causes=(cause,), retry_after_seconds=TOO_LARGE_RETRY_SECONDS),
        retry_after=TOO_LARGE_RETRY_SECONDS,
    )


def _page(
    storage: Storage, prefix: str, start_after: str | None, at: int | None, limit: int, options: ListOptions
) -> Page:
    try:
        return storage.list(prefix, start_after=start_after, limit=limit or None, at=at)
    except Compacted:
        if options.continue_token:
            token = encode_token(start_after or "", prefix, -1)
            raise _expired(_TOO_OLD_TO_CONTINUE, token) from None
        raise _expired("The resourceVersion for the provided list is too old.") from None
    except FutureRevision:
        raise ApiError(500, "", "etcdserver: mvcc: required revision is a future revision") from None


def _expired(message: str, token: str = "") -> ApiError:
    return ApiError(410, "Expired", message, Details(continue_token=token) if token else None)


def encode_token(last_key: str, prefix: str, revision: int, *, slash: bool = False) -> str:
    """A token that goes on after `last_key`, at `revision` (-1: at whatever is the present then).

    `slash`: with one before the key, which means the same.
    """
    start = f"{'/' if slash else ''}{last_key.removeprefix(prefix)}\0"
    data = codec.encode({"v": TOKEN_VERSION, "rv": revision, "start": start})
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_token(token: str, prefix: str) -> tuple[str, int]:
    """(the key after which to go on, the revision). Raises ApiError 400."""
    data = _from_base64(token)
    try:
        fields = codec.decode(data)
    except codec.JsonError:
        raise _bad_token(json_syntax_error(data)) from None
    try:
        found, _ = decode(fields, _TOKEN)
    except DecodeError as error:
        raise _bad_token(str(error)) from None
    if found["v"] != TOKEN_VERSION:
        raise _bad_token(f"server does not recognize this encoded version {found['v']}")
    revision, start = found["rv"], found["start"]
    if revision == 0:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not start:
        raise _bad_token("encoded start key empty (version meta.k8s.io/v1)")
    key = start if start.startswith("/") else f"/{start}"
    if posixpath.normpath(key.rstrip("\0")) != key.rstrip("\0"):
        raise _bad_token(start)
    return prefix + key[1:].rstrip("\0"), revision


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
    """Raises ApiError 400 that names the first byte which is none of base64's, as Go does."""
    bad = _NOT_BASE64.search(token)
    whole = bad.start() if bad else len(token)
    if bad or whole % 4 == 1:
        raise _bad_token(f"illegal base64 data at input byte {whole if bad else whole - 1}")
    return base64.urlsafe_b64decode(token + "=" * (-whole % 4))


def _bad_token(why: str) -> ApiError:
    return errors.bad_request(f"invalid continue token: continue key is not valid: {why}")
