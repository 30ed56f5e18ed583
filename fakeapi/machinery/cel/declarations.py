"""Declarations of the functions in each CEL library of Kubernetes.

Names, types and overload ids come from cel-go (`common/stdlib`, `ext`, `cel/library.go`) and from
k8s.io/apiserver `pkg/cel/library`. Each line has the name of a function and its overloads, in the order in
which the type checker tries the overloads. The receiver type of a method precedes the dot.
"""

from collections.abc import Iterator
from functools import cache

import msgspec

from fakeapi.machinery.cel.types import Type, read, read_all
from fakeapi.machinery.lazy_pattern import lazy_pattern


class Overload(msgspec.Struct, frozen=True):
    """A signature of a CEL function.

    `member`: whether the function is a method.
    `arguments`: the types of the arguments; the first argument of a method is its receiver.
    `parameters`: the type parameters of the arguments and the result.
    """

    id: str
    member: bool
    arguments: tuple[Type, ...]
    result: Type
    parameters: tuple[Type, ...]


Functions = dict[str, tuple[Overload, ...]]

_TIMESTAMP_PARTS = {
    "getFullYear": "timestamp_to_year",
    "getMonth": "timestamp_to_month",
    "getDayOfYear": "timestamp_to_day_of_year",
    "getDayOfMonth": "timestamp_to_day_of_month",
    "getDate": "timestamp_to_day_of_month_1_based",
    "getDayOfWeek": "timestamp_to_day_of_week",
    "getHours": "timestamp_to_hours",
    "getMinutes": "timestamp_to_minutes",
    "getSeconds": "timestamp_to_seconds",
    "getMilliseconds": "timestamp_to_milliseconds",
}
_DURATION_PARTS = ("Hours", "Minutes", "Seconds", "Milliseconds")
_COMPARABLE = {
    "bool": ("bool", "bool"),
    "int64": ("int", "int"),
    "int64_double": ("int", "double"),
    "int64_uint64": ("int", "uint"),
    "uint64": ("uint", "uint"),
    "uint64_double": ("uint", "double"),
    "uint64_int64": ("uint", "int"),
    "double": ("double", "double"),
    "double_int64": ("double", "int"),
    "double_uint64": ("double", "uint"),
    "string": ("string", "string"),
    "bytes": ("bytes", "bytes"),
    "timestamp": ("timestamp", "timestamp"),
    "duration": ("duration", "duration"),
}
_ORDERED = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


def _compared(*, across_types: bool) -> Iterator[str]:
    operators = (("_<_", "less"), ("_<=_", "less_equals"), ("_>_", "greater"), ("_>=_", "greater_equals"))
    for operator, name in operators:
        for types, (left, right) in _COMPARABLE.items():
            if (left != right) is across_types:
                yield f"{operator} {name}_{types}({left}, {right}) bool"


def _parts() -> Iterator[str]:
    for function, overload in _TIMESTAMP_PARTS.items():
        yield f"{function} timestamp.{overload}() int; timestamp.{overload}_with_tz(string) int"
    for part in _DURATION_PARTS:
        yield f"get{part} duration.duration_to_{part.lower()}() int"


_STANDARD = """
_?_:_  conditional(bool, A, A) A
_&&_   logical_and(bool, bool) bool
_||_   logical_or(bool, bool) bool
!_     logical_not(bool) bool
@not_strictly_false  not_strictly_false(bool) bool
_==_   equals(A, A) bool
_!=_   not_equals(A, A) bool
_+_    add_bytes(bytes, bytes) bytes; add_double(double, double) double
_+_    add_duration_duration(duration, duration) duration
_+_    add_duration_timestamp(duration, timestamp) timestamp
_+_    add_timestamp_duration(timestamp, duration) timestamp; add_int64(int, int) int
_+_    add_list(list(A), list(A)) list(A); add_string(string, string) string; add_uint64(uint, uint) uint
_/_    divide_double(double, double) double; divide_int64(int, int) int; divide_uint64(uint, uint) uint
_%_    modulo_int64(int, int) int; modulo_uint64(uint, uint) uint
_*_    multiply_double(double, double) double; multiply_int64(int, int) int; multiply_uint64(uint, uint) uint
-_     negate_double(double) double; negate_int64(int) int
_-_    subtract_double(double, double) double; subtract_duration_duration(duration, duration) duration
_-_    subtract_int64(int, int) int; subtract_timestamp_duration(timestamp, duration) timestamp
_-_    subtract_timestamp_timestamp(timestamp, timestamp) duration; subtract_uint64(uint, uint) uint
_[_]   index_list(list(A), int) A; index_map(map(A, B), A) B
@in    in_list(A, list(A)) bool; in_map(A, map(A, B)) bool
size   size_bytes(bytes) int; bytes.bytes_size() int; size_list(list(A)) int; list(A).list_size() int
size   size_map(map(A, B)) int; map(A, B).map_size() int; size_string(string) int; string.string_size() int
type   type(A) type(A)
bool   bool_to_bool(bool) bool; string_to_bool(string) bool
bytes  bytes_to_bytes(bytes) bytes; string_to_bytes(string) bytes
double    double_to_double(double) double; int64_to_double(int) double
double    string_to_double(string) double; uint64_to_double(uint) double
duration  duration_to_duration(duration) duration; int64_to_duration(int) duration
duration  string_to_duration(string) duration
dyn    to_dyn(A) dyn
int    int64_to_int64(int) int; double_to_int64(double) int; duration_to_int64(duration) int
int    string_to_int64(string) int; timestamp_to_int64(timestamp) int; uint64_to_int64(uint) int
string string_to_string(string) string; bool_to_string(bool) string; bytes_to_string(bytes) string
string double_to_string(double) string; duration_to_string(duration) string; int64_to_string(int) string
string timestamp_to_string(timestamp) string; uint64_to_string(uint) string
timestamp timestamp_to_timestamp(timestamp) timestamp; int64_to_timestamp(int) timestamp
timestamp string_to_timestamp(string) timestamp
uint   uint64_to_uint64(uint) uint; double_to_uint64(double) uint; int64_to_uint64(int) uint
uint   string_to_uint64(string) uint
contains   string.contains_string(string) bool
endsWith   string.ends_with_string(string) bool
startsWith string.starts_with_string(string) bool
matches    matches(string, string) bool; string.matches_string(string) bool
"""

_STRINGS = """
charAt      string.string_char_at_int(int) string
indexOf     string.string_index_of_string(string) int; string.string_index_of_string_int(string, int) int
lastIndexOf string.string_last_index_of_string(string) int
lastIndexOf string.string_last_index_of_string_int(string, int) int
lowerAscii  string.string_lower_ascii() string
upperAscii  string.string_upper_ascii() string
replace     string.string_replace_string_string(string, string) string
replace     string.string_replace_string_string_int(string, string, int) string
split       string.string_split_string(string) list(string)
split       string.string_split_string_int(string, int) list(string)
substring   string.string_substring_int(int) string; string.string_substring_int_int(int, int) string
trim        string.string_trim() string
join        list(string).list_join() string; list(string).list_join_string(string) string
"""

_FORMATTING = """
format         string.string_format(list(dyn)) string
strings.quote  strings_quote(string) string
"""

_SETS = """
sets.contains   list_sets_contains_list(list(T), list(T)) bool
sets.equivalent list_sets_equivalent_list(list(T), list(T)) bool
sets.intersects list_sets_intersects_list(list(T), list(T)) bool
"""

_OPTIONALS = """
optional.of              optional_of(V) optional(V)
optional.ofNonZeroValue  optional_ofNonZeroValue(V) optional(V)
optional.none            optional_none() optional(V)
value     optional(V).optional_value() V
hasValue  optional(V).optional_hasValue() bool
or        optional(V).optional_or_optional(optional(V)) optional(V)
orValue   optional(V).optional_orValue_value(V) V
_?._      select_optional_field(dyn, string) optional(V)
_[?_]     list_optindex_optional_int(list(V), int) optional(V)
_[?_]     optional_list_optindex_optional_int(optional(list(V)), int) optional(V)
_[?_]     map_optindex_optional_value(map(K, V), K) optional(V)
_[?_]     optional_map_optindex_optional_value(optional(map(K, V)), K) optional(V)
_[_]      optional_list_index_int(optional(list(V)), int) optional(V)
_[_]      optional_map_index_value(optional(map(K, V)), K) optional(V)
"""

_OPTIONAL_LISTS = """
first      list(V).list_first() optional(V)
last       list(V).list_last() optional(V)
optional.unwrap  optional_unwrap(list(optional(V))) list(V)
unwrapOpt  list(optional(V)).optional_unwrapOpt() list(V)
"""

_TWO_VARIABLES = """
cel.@mapInsert  @mapInsert_map_key_value(map(K, V), K, V) map(K, V)
cel.@mapInsert  @mapInsert_map_map(map(K, V), map(K, V)) map(K, V)
"""

_LIST_FUNCTIONS = """
isSorted {ordered}
sum      {summed}
max      {maxima}
min      {minima}
indexOf     list(A).list_a_index_of_int(A) int
lastIndexOf list(A).list_a_last_index_of_int(A) int
"""

_REGULAR_EXPRESSIONS = """
find     string.string_find_string(string) string
findAll  string.string_find_all_string(string) list(string)
findAll  string.string_find_all_string_int(string, int) list(string)
"""

_URLS = """
url      string_to_url(string) kubernetes.URL
getScheme       kubernetes.URL.url_get_scheme() string
getHost         kubernetes.URL.url_get_host() string
getHostname     kubernetes.URL.url_get_hostname() string
getPort         kubernetes.URL.url_get_port() string
getEscapedPath  kubernetes.URL.url_get_escaped_path() string
getQuery        kubernetes.URL.url_get_query() map(string, list(string))
isURL    is_url_string(string) bool
"""

_QUANTITIES = """
quantity    string_to_quantity(string) kubernetes.Quantity
isQuantity  is_quantity_string(string) bool
sign        quantity_sign(kubernetes.Quantity) int
isGreaterThan  kubernetes.Quantity.quantity_is_greater_than(kubernetes.Quantity) bool
isLessThan     kubernetes.Quantity.quantity_is_less_than(kubernetes.Quantity) bool
compareTo      kubernetes.Quantity.quantity_compare_to(kubernetes.Quantity) int
asApproximateFloat  kubernetes.Quantity.quantity_get_float() double
asInteger   kubernetes.Quantity.quantity_get_int() int
isInteger   kubernetes.Quantity.quantity_is_integer() bool
add  kubernetes.Quantity.quantity_add(kubernetes.Quantity) kubernetes.Quantity
add  kubernetes.Quantity.quantity_add_int(int) kubernetes.Quantity
sub  kubernetes.Quantity.quantity_sub(kubernetes.Quantity) kubernetes.Quantity
sub  kubernetes.Quantity.quantity_sub_int(int) kubernetes.Quantity
"""

_VERSIONS = """
semver    string_to_semver(string) kubernetes.Semver
isSemver  is_semver_string(string) bool
isGreaterThan  kubernetes.Semver.semver_is_greater_than(kubernetes.Semver) bool
isLessThan     kubernetes.Semver.semver_is_less_than(kubernetes.Semver) bool
compareTo      kubernetes.Semver.semver_compare_to(kubernetes.Semver) int
major  kubernetes.Semver.semver_major() int
minor  kubernetes.Semver.semver_minor() int
patch  kubernetes.Semver.semver_patch() int
"""

_AUTHORIZER = """
path   authz.Authorizer.authorizer_path(string) authz.PathCheck
group  authz.Authorizer.authorizer_group(string) authz.GroupCheck
serviceAccount  authz.Authorizer.authorizer_serviceaccount(string, string) authz.Authorizer
resource     authz.GroupCheck.groupcheck_resource(string) authz.ResourceCheck
subresource  authz.ResourceCheck.resourcecheck_subresource(string) authz.ResourceCheck
namespace    authz.ResourceCheck.resourcecheck_namespace(string) authz.ResourceCheck
name         authz.ResourceCheck.resourcecheck_name(string) authz.ResourceCheck
check    authz.PathCheck.pathcheck_check(string) authz.Decision
check    authz.ResourceCheck.resourcecheck_check(string) authz.Decision
errored  authz.Decision.decision_errored() bool
error    authz.Decision.decision_error() string
allowed  authz.Decision.decision_allowed() bool
reason   authz.Decision.decision_reason() string
"""

_SEMVER_NORMALIZATION = """
semver    string_bool_to_semver(string, bool) kubernetes.Semver
isSemver  is_semver_string_bool(string, bool) bool
"""

_LISTS = """
slice     list(T).list_slice(int, int) list(T)
flatten   list(list(T)).list_flatten() list(T); list(dyn).list_flatten_int(int) list(dyn)
sort      {sorted}
@sortByAssociatedKeys  {sorted_by}
lists.range  lists_range(int) list(int)
reverse   list(T).list_reverse() list(T)
distinct  list(T).list_distinct() list(T)
"""

_INCLUDES = """
includes  dyn.dra_includes_dyn_dyn(dyn) bool
"""

_PATCHES = """
jsonpatch.escapeKey  string_jsonpatch_escapeKey_string(string) string
"""

_AUTHORIZATION_SELECTORS = """
fieldSelector  authz.ResourceCheck.authorizer_fieldselector(string) authz.ResourceCheck
labelSelector  authz.ResourceCheck.authorizer_labelselector(string) authz.ResourceCheck
"""

_ADDRESSES = """
ip      string_to_ip(string) net.IP; net.CIDR.cidr_ip() net.IP
family  net.IP.ip_family() int
ip.isCanonical        ip_is_canonical(string) bool
isUnspecified         net.IP.ip_is_unspecified() bool
isLoopback            net.IP.ip_is_loopback() bool
isLinkLocalMulticast  net.IP.ip_is_link_local_multicast() bool
isLinkLocalUnicast    net.IP.ip_is_link_local_unicast() bool
isGlobalUnicast       net.IP.ip_is_global_unicast() bool
isIP    is_ip(string) bool
string  ip_to_string(net.IP) string; cidr_to_string(net.CIDR) string
cidr    string_to_cidr(string) net.CIDR
containsIP    net.CIDR.cidr_contains_ip_string(string) bool; net.CIDR.cidr_contains_ip_ip(net.IP) bool
containsCIDR  net.CIDR.cidr_contains_cidr_string(string) bool; net.CIDR.cidr_contains_cidr(net.CIDR) bool
prefixLength  net.CIDR.cidr_prefix_length() int
masked  net.CIDR.cidr_masked() net.CIDR
isCIDR  is_cidr(string) bool
"""

_NAMED_FORMATS = (
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
)

_FORMATS = """
validate      kubernetes.NamedFormat.format-validate(string) optional(list(string))
format.named  format-named(string) optional(kubernetes.NamedFormat)
"""


_AUTHORIZATION = "kubernetes.authorization."


def _listed(name: str, result: str) -> str:
    """Returns the overloads of a list function, one for each element type.

    The element types are all ordered types; for `sum`, they are the types that can be added.
    """
    return "; ".join(
        f"list({of}).list_{of}_{name}() {result.format(of)}"
        for of in (_ORDERED if name != "sum" else ("int", "uint", "double", "duration"))
    )


_SORTED = {
    **{name: name for name in ("int", "uint", "double", "bool")},
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "string": "string",
    "bytes": "bytes",
}
"""Element types of sortable lists: CEL type -> its name in overload ids."""

_TABLES = {
    "standard": _STANDARD + "\n".join([*_compared(across_types=False), *_parts()]),
    "mixed comparisons": "\n".join(_compared(across_types=True)),
    "strings": _STRINGS,
    "formatting": _FORMATTING,
    "sets": _SETS,
    "optionals": _OPTIONALS,
    "optional lists": _OPTIONAL_LISTS,
    "bindings": "",
    "two variables": _TWO_VARIABLES,
    "list functions": _LIST_FUNCTIONS.format(
        ordered=_listed("is_sorted", "bool"),
        summed=_listed("sum", "{}"),
        maxima=_listed("max", "{}"),
        minima=_listed("min", "{}"),
    ),
    "regular expressions": _REGULAR_EXPRESSIONS,
    "urls": _URLS,
    "quantities": _QUANTITIES,
    "versions": _VERSIONS,
    "authorizer": _AUTHORIZER,
    "semver normalization": _SEMVER_NORMALIZATION,
    "lists": _LISTS.format(
        sorted="; ".join(f"list({each}).list_{name}_sort() list({each})" for each, name in _SORTED.items()),
        sorted_by="; ".join(
            f"list(T).list_{name}_sortByAssociatedKeys(list({each})) list(T)"
            for each, name in _SORTED.items()
        ),
    ),
    "includes": _INCLUDES,
    "authorization selectors": _AUTHORIZATION_SELECTORS,
    "addresses": _ADDRESSES,
    "patches": _PATCHES,
    "formats": _FORMATS
    + "".join(f"format.{name} format-{name}() kubernetes.NamedFormat\n" for name in _NAMED_FORMATS),
}

LIBRARIES = frozenset(_TABLES)
"""Names of all CEL libraries.

`bindings` contains only macros. `lists`, `optionals` and `two variables` contain functions and macros.
"""

KUBERNETES = frozenset((
    "list functions", "regular expressions", "urls", "quantities", "versions", "authorizer",
))  # fmt: skip
"""Names of Kubernetes' own CEL libraries that device selectors may use in every release."""

_OVERLOAD = lazy_pattern(r"(?:(.+?)\.)?([@\w-]+)\((.*)\) (\S.*)")


@cache
def functions_of(libraries: frozenset[str]) -> Functions:
    """Returns the functions of CEL libraries by function name. Raises KeyError for an unknown library."""
    functions: dict[str, list[Overload]] = {}
    places = {library: place for place, library in enumerate(_TABLES)}
    for library in sorted(libraries, key=places.__getitem__):
        for line in filter(None, _TABLES[library].splitlines()):
            name, overloads = line.split(None, 1)
            functions.setdefault(name, []).extend(map(_overload, overloads.split("; ")))
    return {name: tuple(overloads) for name, overloads in functions.items()}


def _overload(text: str) -> Overload:
    parts = _OVERLOAD.fullmatch(text.replace("authz.", _AUTHORIZATION))
    assert parts is not None, text
    target, identity, arguments, result = parts.groups()
    types = read_all(arguments) if target is None else (read(target), *read_all(arguments))
    returned = read(result)
    names = dict.fromkeys(name for of in (*types, returned) for name in _parameters(of))
    return Overload(identity, target is not None, types, returned, tuple(names))


def _parameters(of: Type) -> Iterator[Type]:
    if of.kind == "param":
        yield of
    for inner in of.parameters:
        yield from _parameters(inner)
