"""Differences between releases in requests for any resource, discovery and OpenAPI."""

from typing import Literal

from msgspec.structs import replace

from fakeapi.machinery.meta.wording import Wording
from fakeapi.releases.history import ReleaseValues, since

_STORE = "staging/src/k8s.io/apiserver/pkg/registry/generic/registry"
_CACHE = "staging/src/k8s.io/apiserver/pkg/storage/cacher"
_HANDLERS = "staging/src/k8s.io/apiserver/pkg/endpoints/handlers"
_META = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1"
_META_VALIDATION = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation"
_PATCH = "staging/src/k8s.io/apimachinery/pkg/util/strategicpatch"
_FIELD_MANAGER = "staging/src/k8s.io/apimachinery/pkg/util/managedfields"
_MERGE = "sigs.k8s.io/structured-merge-diff"
_DISCOVERY = "staging/src/k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
_OPENAPI = "staging/src/k8s.io/apiserver/pkg/endpoints"
_OPENAPI_TYPES = "k8s.io/kube-openapi/pkg/generators"
_EXTENSIONS = "staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver"
_METRICS_FORMAT = "staging/src/k8s.io/component-base/metrics"
_METRICS_OF_REQUESTS = "staging/src/k8s.io/apiserver/pkg/endpoints/metrics"
_METRICS_OF_STORAGE = "staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics"
_FIELD_ERRORS = "staging/src/k8s.io/apimachinery/pkg/util/validation/field"
_DECLARED = "staging/src/k8s.io/apiserver/pkg/registry/rest"
_CORE_TYPES = "pkg/apis/core"

_TOO_LONG = "may not be more than {} bytes"
_METRICS = "text/plain; version=0.0.4; charset=utf-8"
_DEFINITIONS_SCHEME = "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:{}"
_CUSTOM_SCHEME = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:{}"
_SCHEMA_PROPS = tuple(
    f"apiextensions/v1.JSONSchemaProps.{name}"
    for name in ("additionalItems", "additionalProperties", "example", "externalDocs", "items", "not")
)
_WORDS_32 = Wording(too_long=_TOO_LONG)
_WORDS_29 = replace(_WORDS_32, too_long="must have at most {} bytes")
_WORDS_27 = replace(_WORDS_29, quoted_resource_names=True)
_WORDS_34 = replace(_WORDS_32, json_values=True, empty_owner_member="must not be empty")
_WORDS_35 = replace(_WORDS_34, length_unit="bytes")
_WORDS_37 = replace(_WORDS_35, required_where_empty=True, applied="patch")


class RequestQuirks(ReleaseValues):
    """Describes how one release handles requests for any resource, discovery and OpenAPI.

    Contains only the behaviour that differs between releases.
    """

    list_resource_version_error_is_500: bool = since({27: True, 33: False}, _CACHE)
    """Whether a list from the watch cache with an invalid resourceVersion fails with 500, not 400."""

    list_parses_resource_version_before_continue: bool = since({27: True, 30: False}, _CACHE)
    """Whether a list parses the resourceVersion before the continue token.

    If so, the error for an invalid resourceVersion has priority. In other releases, the error says that the
    two parameters exclude each other.
    """

    watch_cache_serves_pages: bool = since({27: False, 31: True}, _CACHE)
    """Whether the watch cache also serves first pages, and lists without a resourceVersion.

    If so, the key in the watch cache's continue tokens begins with a slash.
    """

    uid_of_missing_object_conflicts: bool = since({27: True, 34: False}, _STORE)
    """Whether an update of a missing object with a uid fails with 409 instead of 404.

    The message of the 409 says that the precondition on the uid failed.
    """

    zero_creation_timestamp_is_null: bool = since({27: True, 34: False}, _META)
    """Whether an unset creationTimestamp is encoded as null instead of being omitted.

    Go's encoding/json keeps empty structs with `omitempty`, and omits them with `omitzero`.
    """

    delete_body_error_is_500: bool = since({27: True, 35: False}, _HANDLERS)
    """Whether a DELETE with a body that cannot be decoded fails with 500 instead of 400."""

    unsafe_deletes_may_be_dry_runs: bool = since({27: False, 37: True}, _META_VALIDATION)
    """Whether DeleteOptions may combine `ignoreStoreReadErrorWithClusterBreakingPotential` with `dryRun`."""

    dry_run_of_delete_shows_no_data: bool = since({27: False, 28: True}, _STORE)
    """Whether a dry run of a DELETE that removes the last finalizers shows an object without data.

    In other releases, the dry run shows the object without finalizers.
    """

    merge_keeps_directives: bool = since({27: True, 28: False}, _PATCH)
    """Whether objects that a strategic merge patch adds keep nested directives, such as `$patch`."""

    watch_cache_start: int = since({27: 1, 33: 2, 37: 1}, _CACHE)
    """The oldest resourceVersion from which a watch may start on a new server."""

    initial_events_blueprint: bool = since({27: False, 32: True, 33: False}, _CACHE)
    """Whether the bookmark after the initial events has an annotation with an empty list of the kind."""

    apply_checks_type_first: bool = since({27: False, 28: True}, _FIELD_MANAGER)
    """Whether server-side apply of another group, version or kind fails with `invalid object type`.

    In other releases, the apply fails later, because the version or the schema is not found.
    """

    managed_fields_allow_duplicates: bool = since({27: False, 29: True}, _MERGE)
    """Whether an object with duplicate items in a set or map list keeps its managedFields."""

    patches_are_checked_for_audit: bool = since({27: False, 37: True}, _HANDLERS)
    """Whether a patch that is not valid JSON or YAML is rejected before the server reads the object."""

    managed_fields_survive_errors: bool = since({27: False, 37: True}, _FIELD_MANAGER)
    """Whether writes keep the stored managedFields if their changed fields cannot be determined.

    For example, the managedFields of a custom object may name a version that its CustomResourceDefinition
    does not have. In other releases, such writes drop the managedFields. Follows `UpdateNoErrors` of
    k8s.io/apimachinery `pkg/util/managedfields`.
    """

    list_keys_may_be_absent: bool = since({27: False, 34: True}, _MERGE)
    """Whether an item of a map list may omit some of its keys, but not all.

    Such an item differs from all items that have the omitted keys.
    """

    managed_fields_order_matters: bool = since({27: False, 29: True}, _MERGE)
    """Whether managedFields record a list as changed if only the order of its items changed."""

    aggregated_discovery: tuple[str, ...] = since({27: ("v2beta1",), 30: ("v2", "v2beta1")}, _DISCOVERY)
    """Versions of apidiscovery.k8s.io that clients can request; the preferred version is first.

    The gate AggregatedDiscoveryRemoveBetaType removes v2beta1.
    """

    openapi_items_have_defaults: bool = since({27: True, 36: False}, _OPENAPI_TYPES)
    """Whether list items and map values in OpenAPI have Go's zero value as default."""

    definitions_scheme: str = since(
        {
            27: _DEFINITIONS_SCHEME.format(56),
            29: _DEFINITIONS_SCHEME.format(54),
            31: _DEFINITIONS_SCHEME.format(53),
            33: _DEFINITIONS_SCHEME.format(55),
            37: _DEFINITIONS_SCHEME.format(56),
        },
        _EXTENSIONS,
    )
    """Line in the Go source that defines the scheme of CustomResourceDefinitions.

    Errors about kinds that are not in the scheme print this line.
    """

    custom_scales_scheme: str = since(
        {
            27: _CUSTOM_SCHEME.format(721),
            28: _CUSTOM_SCHEME.format(719),
            32: _CUSTOM_SCHEME.format(725),
            34: _CUSTOM_SCHEME.format(730),
            35: _CUSTOM_SCHEME.format(781),
        },
        _EXTENSIONS,
    )
    """Line in the Go source that defines the scheme of query parameters for custom objects.

    Upstream does not find the Go type of a Scale in this scheme. The error prints this line.
    """

    openapi_opaque_items_have_defaults: bool = since({27: True, 29: False}, _OPENAPI_TYPES)
    """Whether quantities and times in lists and maps have an empty object as default in OpenAPI."""

    openapi_documents_mark_own_version: bool = since({27: False, 36: True}, _OPENAPI)
    """Whether an OpenAPI v3 document lists only its own version for kinds such as DeleteOptions.

    All API groups share these kinds. The list is in their x-kubernetes-group-version-kind.
    """

    openapi_without_text: tuple[str, ...] = since(
        {
            27: (
                "core/v1.NamespaceCondition.lastTransitionTime",
                "networking/v1.IngressRule.http",
                *_SCHEMA_PROPS,
            ),
            32: ("networking/v1.IngressRule.http", *_SCHEMA_PROPS),
            37: _SCHEMA_PROPS,
        },
        _OPENAPI_TYPES,
    )
    """Fields that have no description in OpenAPI.

    These fields refer to another type, and have no comment in the Go source.
    """

    openapi_lists_have_shards: bool = since({27: False, 36: True}, _OPENAPI)
    """Whether list, watch and deletecollection have the parameter `shardSelector` in OpenAPI."""

    openapi_requires_bodies: bool = since({27: False, 29: True}, _OPENAPI)
    """Whether the request bodies of writes are required in OpenAPI."""

    metrics_media_type: str = since(
        {
            27: _METRICS,
            31: f"{_METRICS}; escaping=values",
            33: f"{_METRICS}; escaping=underscores",
        },
        _METRICS_FORMAT,
    )
    """The Content-Type of /metrics. From 1.31 on, the type states how names of metrics are escaped."""

    metrics_name_resources: bool = since({27: False, 34: True}, _METRICS_OF_REQUESTS)
    """Whether metrics of watches and of stored objects have the labels `group` and `resource`.

    In other releases, watches have the label `kind`, and the only metric of stored objects is
    `apiserver_storage_objects`.
    """

    metrics_have_storage_objects: bool = since({27: True, 37: False}, _METRICS_OF_STORAGE)
    """Whether the metric `apiserver_storage_objects` is visible."""

    openapi_log_has_stream: bool = since({27: False, 32: True}, _CORE_TYPES)
    """Whether pods/log has the parameter `stream` in OpenAPI."""

    wording: Wording = since(
        {27: _WORDS_27, 29: _WORDS_29, 32: _WORDS_32, 34: _WORDS_34, 35: _WORDS_35, 37: _WORDS_37},
        _FIELD_ERRORS,
    )
    """Texts of errors about metadata, options and selectors."""

    too_long: str = since({27: "must have at most {} bytes", 32: _TOO_LONG}, _FIELD_ERRORS)
    """Detail of the error for a string or for metadata over its limit; `{}` is the limit in bytes."""

    declared_rules: Literal["unknown", "taken over", "of new kinds", "enforced"] = since(
        {27: "unknown", 33: "taken over", 36: "of new kinds", 37: "enforced"}, _DECLARED
    )
    """The kinds for which the server enforces declarative validation.

    - "unknown": no kinds, before 1.33
    - "taken over": all kinds, but only while the gate DeclarativeValidationTakeover is on, from 1.33
    - "of new kinds": kinds without other validation, in 1.36
    - "enforced": all kinds, from 1.37
    """
