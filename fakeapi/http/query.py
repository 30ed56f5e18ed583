"""Parses the query parameters of a request into the options of its verb.

Follows k8s.io/apimachinery `pkg/runtime/conversion.go` for single values, and
`pkg/apis/meta/internalversion/validation` for valid combinations.
"""

from urllib.parse import parse_qsl

from msgspec.structs import replace

from fakeapi.http.header_cache import cached_by_header
from fakeapi.machinery import errors
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.field_errors import FieldError, forbidden, not_supported
from fakeapi.machinery.golang import numbers
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.machinery.meta.options import (
    UNSAFE_DELETE,
    validate_delete_options,
    validate_patch_options,
    validate_write_options,
)
from fakeapi.machinery.patch.media_types import APPLY_PATCH
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.field_labels import NAME
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import DeleteOptions, ListOptions, WatchOptions, WriteOptions

FIELD_MANAGER_LENGTH_MAX = 128

BAD_ESCAPE = lazy_pattern(rb"%(?![0-9a-fA-F]{2})")


class Query:
    """The query parameters of one request.

    `first`: the first value of each parameter. The method `all` returns all values of one parameter.
    """

    __slots__ = ("_pairs", "first")

    def __init__(self, query_string: bytes) -> None:
        self._pairs: list[tuple[str, str]] = []
        self.first: dict[str, str] = {}
        if not query_string:
            return
        text = _readable(query_string).decode("latin-1")
        self._pairs = parse_qsl(text, keep_blank_values=True) if text else []
        for name, value in self._pairs:
            self.first.setdefault(name, value)

    def text(self, name: str) -> str:
        return self.first.get(name, "")

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]

    def flag(self, name: str) -> bool:
        """Whether a parameter is present with a value other than "0" and "false"."""
        return self.optional_flag(name) or False

    def optional_flag(self, name: str) -> bool | None:
        value = self.first.get(name)
        return None if value is None else value != "0" and value.lower() != "false"

    def integer(self, name: str) -> int | None:
        """Returns the value of an integer parameter; None if the parameter is missing.

        Raises ApiError 400 with Go's message if the value is not an integer.
        """
        value = self.first.get(name)
        return None if value is None else parse_int(value)


def _readable(query_string: bytes) -> bytes:
    """Returns the query without parameters that have invalid escapes or semicolons, like Go's net/url."""
    if b";" not in query_string and not BAD_ESCAPE.search(query_string):
        return query_string
    parts = query_string.split(b"&")
    return b"&".join(part for part in parts if b";" not in part and not BAD_ESCAPE.search(part))


def parse_int(text: str) -> int:
    """Parses a decimal int64. Raises ApiError 400 with the message of Go's strconv for other text."""
    try:
        return numbers.parse_int(text)
    except ValueError as error:
        raise errors.bad_request(str(error)) from None


@cached_by_header
def manager_of(user_agent: str) -> str:
    """Returns the default field manager: the User-Agent up to its first slash, cut to 128 bytes.

    Removes unprintable characters.
    """
    manager = ""
    for character in user_agent.split("/", 1)[0]:
        if character.isprintable():
            if len((manager + character).encode()) > FIELD_MANAGER_LENGTH_MAX:
                break
            manager += character
    return manager


def write_options(
    query: Query,
    user_agent: str,
    kind: str,
    resource: Resource,
    user: User,
    *,
    patch_type: str = "",
    body_bytes: int = 0,
    exact: bool = False,
) -> WriteOptions:
    """Returns the options of a create, update or patch request.

    - `kind`: CreateOptions, UpdateOptions or PatchOptions.
    - `patch_type`: the media type of a patch; empty for a create or an update.
    - `body_bytes`: the size of the request body.
    - `exact`: whether the response keeps opaque values of DRA drivers byte for byte, as protobuf does.

    Raises ApiError 422 for invalid parameters.
    """
    if not query.first and patch_type != APPLY_PATCH:
        return WriteOptions(
            manager_of(user_agent),
            user=user,
            body_bytes=body_bytes,
            exact=exact,
            patches=bool(patch_type),
        )
    dry_run = query.all("dryRun")
    sent = {
        "dryRun": dry_run,
        "fieldManager": query.text("fieldManager"),
        "fieldValidation": query.text("fieldValidation"),
        "force": query.optional_flag("force"),
    }
    wording = resource.release.quirks.wording
    if kind == "PatchOptions":
        field_errors = validate_patch_options(sent, apply=patch_type == APPLY_PATCH, wording=wording)
    else:
        field_errors = validate_write_options(sent, wording)
    if field_errors:
        raise errors.invalid(Qualified("meta.k8s.io", kind), "", field_errors)
    return WriteOptions(
        manager=query.text("fieldManager") or manager_of(user_agent),
        dry_run=bool(dry_run),
        validation=query.text("fieldValidation") or "Warn",
        force=bool(sent["force"]),
        user=user,
        given_manager=query.text("fieldManager"),
        given_validation=query.text("fieldValidation"),
        body_bytes=body_bytes,
        exact=exact,
        patches=bool(patch_type),
    )


def delete_options(
    query: Query,
    body: dict[str, object] | None,
    resource: Resource,
    user: User,
    *,
    exact: bool = False,
) -> DeleteOptions:
    """Returns the options of a delete request from its body, or from the query if the request has no body.

    `exact`: whether the response keeps opaque values of DRA drivers byte for byte, as protobuf does. Raises
    ApiError 400 for a parameter that is not an integer, and 422 for invalid options.
    """
    options: dict[str, object] = _delete_query(query) if body is None else body
    if not resource.release.gates.enabled("AllowUnsafeMalformedObjectDeletion"):
        options.pop(UNSAFE_DELETE, None)
    quirks = resource.release.quirks
    field_errors = validate_delete_options(
        options, quirks.wording, unsafe_dry_run=quirks.unsafe_deletes_may_be_dry_runs
    )
    if field_errors:
        raise errors.invalid(Qualified("meta.k8s.io", "DeleteOptions"), "", field_errors)
    preconditions = options.get("preconditions")
    conditions = preconditions if isinstance(preconditions, dict) else {}
    grace, propagation, orphan = (
        options.get(name) for name in ("gracePeriodSeconds", "propagationPolicy", "orphanDependents")
    )
    return DeleteOptions(
        dry_run=bool(options.get("dryRun")),
        grace_seconds=grace if isinstance(grace, int) else None,
        propagation=propagation if isinstance(propagation, str) else None,
        orphan=orphan if isinstance(orphan, bool) else None,
        uid=conditions.get("uid"),
        resource_version=conditions.get("resourceVersion"),
        user=user,
        exact=exact,
    )


def _delete_query(query: Query) -> dict[str, object]:
    options: dict[str, object] = {}
    grace = query.integer("gracePeriodSeconds")
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    orphan = query.optional_flag("orphanDependents")
    if orphan is not None:
        options["orphanDependents"] = orphan
    if query.first.get("propagationPolicy") is not None:
        options["propagationPolicy"] = query.text("propagationPolicy")
    if query.all("dryRun"):
        options["dryRun"] = query.all("dryRun")
    conditions = {name: query.text(name) for name in ("uid", "resourceVersion") if query.text(name)}
    if conditions:
        options["preconditions"] = conditions
    return options


def get_version(query: Query) -> str:
    """Returns the resourceVersion parameter of a get request.

    Raises ApiError 400 if the request has the removed parameter `export`.
    """
    if query.flag("export"):
        words = "the export parameter, deprecated since v1.14, is no longer supported"
        raise errors.bad_request(words)
    return query.text("resourceVersion")


def list_options(query: Query, resource: Resource) -> ListOptions:
    """Returns the options of a list request.

    Raises ApiError 400 for malformed parameters or selectors, and 422 for invalid combinations of parameters.
    """
    query.integer("timeoutSeconds")
    limit = query.integer("limit") or 0
    labels, fields = _selectors(query, resource)
    options = ListOptions(
        labels=labels,
        fields=fields,
        limit=max(0, limit),
        continue_token=query.text("continue"),
        resource_version=query.text("resourceVersion"),
        match=query.text("resourceVersionMatch"),
        shards=_shards(query, resource),
    )
    _refuse(_list_errors(options, query))
    _check_field_labels(fields, resource)
    return options


def watch_options(query: Query, resource: Resource, name: str = "") -> WatchOptions:
    """Returns the options of a watch request.

    `name`: the name of the object in the path; empty for a collection. A request without the parameter
    `watch`, to a path below /watch, is validated like a list.

    Raises ApiError 400 for malformed parameters or selectors, and 422 for invalid combinations of parameters.
    """
    timeout = query.integer("timeoutSeconds")
    query.integer("limit")
    labels, fields = _selectors(query, resource)
    version, match = query.text("resourceVersion"), query.text("resourceVersionMatch")
    initial = query.optional_flag("sendInitialEvents")
    asked = query.flag("watch")
    lists_first = asked and resource.release.gates.enabled("WatchList")
    if lists_first and initial is None and not match and version in ("", "0"):
        initial, match = True, "NotOlderThan"
    options = WatchOptions(
        labels=labels,
        fields=fields,
        resource_version=version,
        match=match,
        bookmarks=query.flag("allowWatchBookmarks"),
        send_initial_events=initial,
        timeout_seconds=timeout,
        shards=_shards(query, resource),
    )
    if asked:
        _refuse(_watch_errors(options, query, resource))
    else:
        _refuse(_list_errors(ListOptions(None, None, 0, query.text("continue"), version, match), query))
    _check_field_labels(fields, resource)
    return replace(options, fields=_named(fields, name)) if name else options


def _named(fields: field_selector.FieldSelector | None, name: str) -> field_selector.FieldSelector:
    """Returns a field selector for the object `name`: `fields`, or a new selector if `fields` is empty.

    Raises ApiError 400 if `fields` does not require this name.
    """
    if fields is None or fields.empty:
        return field_selector.FieldSelector((field_selector.Requirement(NAME, name),))
    if fields.requires_exact_match(NAME) != name:
        raise errors.bad_request("fieldSelector metadata.name doesn't match requested name")
    return fields


def _selectors(
    query: Query, resource: Resource
) -> tuple[label_selector.Selector | None, field_selector.FieldSelector | None]:
    labels, fields = query.text("labelSelector"), query.text("fieldSelector")
    try:
        return (
            label_selector.parse(labels) if labels else None,
            _with_newer_labels(field_selector.parse(fields), resource) if fields else None,
        )
    except ValueError as error:
        raise errors.bad_request(str(error)) from None


def _shards(query: Query, resource: Resource) -> str:
    """Returns the shard selector of the query; "" if the feature gate ShardedListAndWatch is disabled."""
    return query.text("shardSelector") if resource.release.gates.enabled("ShardedListAndWatch") else ""


def _with_newer_labels(
    fields: field_selector.FieldSelector, resource: Resource
) -> field_selector.FieldSelector:
    """Replaces the deprecated field labels in a field selector; returns the new selector."""
    older = resource.field_labels.older
    if not older:
        return fields
    return field_selector.FieldSelector(
        tuple(
            replace(requirement, field=older.get(requirement.field, requirement.field))
            for requirement in fields.requirements
        )
    )


def _check_field_labels(fields: field_selector.FieldSelector | None, resource: Resource) -> None:
    if fields is None:
        return
    try:
        field_selector.check_labels(fields, resource.field_labels.labels, resource.field_labels.refusal)
    except ValueError as error:
        raise errors.bad_request(str(error)) from None


def _refuse(field_errors: list[FieldError]) -> None:
    if field_errors:
        raise errors.invalid(Qualified("meta.k8s.io", "ListOptions"), "", field_errors)


def _list_errors(options: ListOptions, query: Query) -> list[FieldError]:
    field_errors: list[FieldError] = []
    name, match = "resourceVersionMatch", options.match
    if match:
        if not options.resource_version:
            field_errors.append(forbidden(name, f"{name} is forbidden unless resourceVersion is provided"))
        if options.continue_token:
            field_errors.append(forbidden(name, f"{name} is forbidden when continue is provided"))
        if match not in ("Exact", "NotOlderThan"):
            field_errors.append(not_supported(name, match, ("Exact", "NotOlderThan", "")))
        if match == "Exact" and options.resource_version == "0":
            field_errors.append(forbidden(name, f'{name} "exact" is forbidden for resourceVersion "0"'))
    if query.optional_flag("sendInitialEvents") is not None:
        field_errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return field_errors


def _watch_errors(options: WatchOptions, query: Query, resource: Resource) -> list[FieldError]:
    field_errors: list[FieldError] = []
    name, match, initial = "resourceVersionMatch", options.match, options.send_initial_events
    if initial is not None:
        if match != "NotOlderThan":
            field_errors.append(
                forbidden(name, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
            )
        if not resource.release.gates.enabled("WatchList"):
            words = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
            field_errors.append(forbidden("sendInitialEvents", words))
    if match:
        if initial is None:
            field_errors.append(
                forbidden(name, f"{name} is forbidden for watch unless sendInitialEvents is provided")
            )
        if match != "NotOlderThan":
            field_errors.append(not_supported(name, match, ("NotOlderThan",)))
        if query.text("continue"):
            field_errors.append(forbidden(name, f"{name} is forbidden when continue is provided"))
    return field_errors
