"""List: reads the selected objects of a resource at a resourceVersion, in pages.

Follows k8s.io/apiserver `pkg/storage/cacher` for lists from the watch cache, and `pkg/storage/etcd3` for
lists from etcd. Lists at an exact version and later pages come from etcd. The watch cache and etcd return
different errors.
"""

import sys
from dataclasses import replace

import msgspec

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.meta.field_selector import FieldSelector, Requirement
from fakeapi.registry.model.field_labels import NAME
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.turns import Turns
from fakeapi.registry.requests.continue_token import decode_token, encode_token
from fakeapi.registry.requests.options import ListOptions, ObjectReference, WatchOptions
from fakeapi.registry.requests.predicate import SelectionPredicate, predicate_of
from fakeapi.registry.requests.resource_version import check_key, parse_version, too_large, waited_for
from fakeapi.registry.stored.selected_runs import SelectedRuns
from fakeapi_storage import Compacted, Entry, FutureRevision, Page, Storage

PAGE_MAX = 10_000
"""Number of objects up to which a list with a limit and selectors enlarges its reads from the storage.

The first read has the size of the limit. If too few objects match, each further read is twice as large, up to
this number or the limit, whichever is larger. A list by the field that the watch cache indexes reads all
objects at once.
"""
_REVISION_MAX = 2**63 - 1
_TOO_OLD_TO_CONTINUE = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without the continue parameter, or use the continue token in this response to retrieve the "
    "remainder of the results. Continuing with the provided token results in an inconsistent list - objects "
    "that were created, modified, or deleted between the time the first chunk was returned and now may show "
    "up in the list."
)


class Listed(msgspec.Struct, frozen=True):
    """The result of a list request.

    - `entries`: the stored objects on this page.
    - `revision`: the resourceVersion of the list.
    - `continue_token`: the token for the next page; "" on the last page.
    - `remaining`: the number of objects on later pages; None if Kubernetes does not count these objects.
    - `shards`: the shard selector of the list; "" for none.
    """

    entries: list[Entry]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    shards: str = ""


def prefix_of(resource: Resource, target: ObjectReference) -> str:
    """Returns the common prefix of all storage keys that a list or watch covers."""
    return f"{resource.prefix}{target.namespace}/" if target.namespace else resource.prefix


def list_entries(
    storage: Storage, resource: Resource, target: ObjectReference, options: ListOptions
) -> Listed:
    """Returns the objects that match the selectors of `options`, sorted by storage key.

    Raises ApiError:

    - 400: the continue token or the resourceVersion is malformed
    - 410: the resourceVersion is compacted
    - 500: the shard selector is malformed, or the namespace is "." or ".." in a list from etcd
    - 500: the resourceVersion is malformed or in the future, if Kubernetes returns 500 for this list
    - 504: the storage has not reached the resourceVersion
    """
    chosen = predicate_for(resource, options)
    prefix = prefix_of(resource, target)
    plan = _plan(storage, resource, target, options)
    entries: list[Entry] = []
    limit = plan.limit
    indexed = _indexed(resource, options) if plan.from_cache else None
    start_after, at, size = plan.start_after, plan.at, 0 if indexed else limit
    while True:
        page = _page(storage, prefix, start_after, at, size, options)
        if indexed is not None:
            page = replace(page, entries=indexed.select(page.entries))
        more = _take(page, chosen, entries, limit, resource.selected)
        if not limit or not more or len(entries) >= limit:
            break
        start_after, at, size = page.entries[-1].key, page.revision, max(size, min(2 * size, PAGE_MAX))
    token, remaining = "", None
    if limit and more:
        leads = plan.from_cache and resource.release.quirks.watch_cache_serves_pages
        token = encode_token(f"{entries[-1].key}\0", prefix, page.revision, slash=leads)
        remaining = page.remaining if chosen.everything else None
    shards = "" if chosen.shards is None else str(chosen.shards)
    return Listed(entries, page.revision, token, remaining, shards)


def _indexed(resource: Resource, options: ListOptions) -> SelectionPredicate | None:
    """Returns a predicate for the field that the watch cache indexes, for example spec.nodeName of pods.

    Returns None if the kind has no such field, or if the list does not select the field by an exact value.
    """
    name = resource.field_labels.indexed
    value = options.fields.requires_exact_match(name) if options.fields is not None and name else None
    if name is None or value is None:
        return None
    selector = FieldSelector((Requirement(name, value),))
    return predicate_of(None, selector, resource.field_labels.fields_of, known=resource.selectable_fields)


def predicate_for(resource: Resource, options: ListOptions | WatchOptions) -> SelectionPredicate:
    """Returns the selectors of a list or watch. Raises ApiError 500 if the shard selector is malformed."""
    return predicate_of(
        options.labels,
        options.fields,
        resource.field_labels.fields_of,
        options.shards,
        resource.selectable_fields,
    )


async def read_fields(
    storage: Storage, resource: Resource, target: ObjectReference, fields: FieldSelector, limit: int = 0
) -> None:
    """Reads the fields that a list or watch compares, before all objects are compared in one step.

    Lets the event loop run other tasks meanwhile. The fields are cached, so the step does not decode
    the objects again. Stops after `limit` matching objects; 0 for no limit. Reads nothing if the cache cannot
    hold all objects.
    """
    known = resource.selectable_fields
    if known is None:
        return
    entries = storage.list(prefix_of(resource, target), start_after=None, limit=None, at=None).entries
    if sum([len(entry.value) for entry in entries]) > known.bound:
        return
    turns = Turns()
    matching = 0
    for entry in entries:
        if limit:
            matching += fields.matches(known.of(entry.value))
            if matching == limit:
                return
        elif entry.value not in known:
            known.of(entry.value)
        else:
            continue
        await turns.give_turn_if_over()


def _take(
    page: Page, chosen: SelectionPredicate, entries: list[Entry], limit: int, selected: SelectedRuns
) -> bool:
    """Adds the matching entries of a page to `entries`, up to the limit; returns whether more entries follow.

    - `chosen`: the selectors of the list.
    - `limit`: the maximum number of entries; 0 for no limit.
    - `selected`: the cache of entries that label selectors match.

    Like Kubernetes, also returns True if entries follow, but none of them match.
    """
    if chosen.everything:
        entries += page.entries
        return page.more
    if not limit:
        entries += selected.select(chosen, page.entries)
        return page.more
    for entry in page.entries:
        if len(entries) == limit:
            return True
        if chosen.matches(entry):
            entries.append(entry)
    return page.more


def _asks_for_one(resource: Resource, target: ObjectReference, options: ListOptions) -> bool:
    """Whether a field selector names a single object.

    For such a list, Kubernetes reads only the key of this object, and ignores the limit.
    """
    if options.fields is None or options.continue_token or resource.kind.namespaced != bool(target.namespace):
        return False
    return options.fields.requires_exact_match(NAME) is not None


class _Plan(msgspec.Struct, frozen=True):
    """The storage reads that a list request needs."""

    start_after: str | None = None
    """The storage key after which the list begins; None to begin with the first object."""

    at: int | None = None
    """The storage revision to read; None for the newest revision."""

    limit: int = 0
    """Maximum number of entries to return; 0 for no limit."""

    from_cache: bool = False
    """Whether upstream serves the list from the watch cache instead of etcd."""


def _plan(storage: Storage, resource: Resource, target: ObjectReference, options: ListOptions) -> _Plan:
    quirks, version = resource.release.quirks, options.resource_version
    if version and not options.continue_token and not quirks.list_resource_version_error_is_500:
        _requested(version)
    if not _from_cache(resource, options):
        return _storage_plan(storage, resource, target, options)
    minimum = parse_version(version) if version else 0
    if minimum > storage.revision:
        raise waited_for(minimum, storage.revision)
    pages = version != "0" and not _asks_for_one(resource, target, options)
    return _Plan(limit=options.limit if pages else 0, from_cache=True)


def _from_cache(resource: Resource, options: ListOptions) -> bool:
    """Whether upstream serves the list from the watch cache.

    The watch cache never serves lists at an exact version, or with a continue token. The watch cache serves
    other lists with a resourceVersion. If such a list has a limit, the resourceVersion must be "0". Newer
    releases also serve lists without a resourceVersion from the watch cache, and lists with a limit and
    resourceVersionMatch=NotOlderThan.
    """
    version = options.resource_version
    if options.continue_token or options.match == "Exact":
        return False
    if resource.release.quirks.watch_cache_serves_pages:
        return not (options.limit and version not in ("", "0") and not options.match)
    return bool(version) and (not options.limit or version == "0")


def _storage_plan(
    storage: Storage, resource: Resource, target: ObjectReference, options: ListOptions
) -> _Plan:
    version, match = options.resource_version, options.match
    prefix = prefix_of(resource, target)
    check_key(resource.kind.resource, target.namespace)
    if version and resource.release.quirks.list_parses_resource_version_before_continue:
        _requested(version)
    if options.continue_token:
        key, revision = decode_token(options.continue_token, prefix)
        if version and version != "0":
            raise errors.bad_request("specifying resource version is not allowed when using continue")
        return _Plan(_before(key, prefix), revision if revision > 0 else None, options.limit)
    single = _asks_for_one(resource, target, options)
    limit = 0 if single else options.limit
    requested = _requested(version) if version else 0
    exact = requested > 0 and (match == "Exact" or (not match and limit > 0))
    if requested > (_REVISION_MAX if exact else storage.revision):
        raise too_large(requested, storage.revision)
    return _Plan(None, requested if exact else None, limit)


def _requested(version: str) -> int:
    """Returns the resourceVersion of a list as a number. Raises ApiError 400 for a malformed text."""
    try:
        return parse_version(version)
    except ApiError as error:
        raise errors.bad_request(f"invalid resource version: {error.message}") from None


def _before(key: str, prefix: str) -> str | None:
    """Returns the storage key after which a list resumes, so that the list begins with `key`.

    Returns None if the list begins at the start of the prefix. If `key` ends in NUL, returns the key without
    NUL; the list then begins after that key.
    """
    if key.endswith("\0"):
        return key.rstrip("\0")
    if key == prefix:
        return None
    return f"{key[:-1]}{chr(ord(key[-1]) - 1)}{chr(sys.maxunicode)}"


def _page(
    storage: Storage, prefix: str, start_after: str | None, at: int | None, limit: int, options: ListOptions
) -> Page:
    try:
        return storage.list(prefix, start_after=start_after, limit=limit or None, at=at)
    except Compacted:
        if options.continue_token:
            key, _ = decode_token(options.continue_token, prefix)
            token = encode_token(key, prefix, -1)
            raise errors.expired(_TOO_OLD_TO_CONTINUE, token) from None
        raise errors.expired(errors.LIST_TOO_OLD) from None
    except FutureRevision:
        raise ApiError(500, "", "etcdserver: mvcc: required revision is a future revision") from None
