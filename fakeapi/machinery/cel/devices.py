"""CEL environments for device selectors, and for selectors of v1alpha2's named resources.

Follows k8s.io/dynamic-resource-allocation `cel` and `structured/namedresources/cel`.
"""

from fakeapi.machinery.cel.declarations import KUBERNETES
from fakeapi.machinery.cel.environment import Environment, Extent
from fakeapi.machinery.cel.types import Type, read

BASE_LIBRARIES = KUBERNETES | {"standard", "mixed comparisons", "strings", "formatting", "sets", "optionals"}
"""Names of the CEL libraries that device selectors may use in every release."""

_ATTRIBUTE_KINDS = {
    "quantity": "kubernetes.Quantity",
    "bool": "bool",
    "int": "int",
    "intslice": "list(int)",
    "string": "string",
    "stringslice": "list(string)",
    "version": "kubernetes.Semver",
}

_DEVICE = "kubernetes.DRADevice"
_DEVICE_FIELDS = {
    "driver": read("string"),
    "attributes": read("map(string, map(string, any))"),
    "capacity": read("map(string, map(string, kubernetes.Quantity))"),
}
_SHARES_FIELD = {"allowMultipleAllocations": read("bool")}
_LISTED_FIELDS = {"attributes": read("map(string, map(string, dyn))")}
_ENTRIES, _DOMAIN, _NAME, _VALUE, _DRIVER = 32, 63, 32, 64, 63
_DEVICE_EXTENT = Extent(
    fields={
        "driver": Extent(_DRIVER),
        "allowMultipleAllocations": Extent(1),
        "attributes": Extent(
            _ENTRIES,
            keys=Extent(_DOMAIN),
            elements=Extent(_ENTRIES, keys=Extent(_NAME), elements=Extent(_VALUE), any_field=True),
        ),
        "capacity": Extent(
            _ENTRIES, keys=Extent(_DOMAIN), elements=Extent(_ENTRIES, keys=Extent(_NAME), elements=Extent())
        ),
    }
)


def device_environment(
    libraries: frozenset[str], *, constructible: bool, shared: bool = False, listed: bool = False
) -> Environment:
    """Returns the CEL environment of device selectors, with the functions of `libraries`.

    - `constructible`: whether expressions may construct a device, see `Environment`.
    - `shared`: whether the field `device.allowMultipleAllocations` exists.
    - `listed`: whether attributes may be lists, and the function `includes` exists.
    """
    fields = _DEVICE_FIELDS | (_SHARES_FIELD if shared else {}) | (_LISTED_FIELDS if listed else {})
    return Environment(
        variables={"device": Type("struct", _DEVICE)},
        libraries=libraries | {"includes"} if listed else libraries,
        structs={_DEVICE: fields},
        extents={"device": _DEVICE_EXTENT},
        constructible=constructible,
    )


def attribute_type(environment: Environment) -> Type:
    """Returns the declared CEL type of the values in `device.attributes`: `any` or `dyn`."""
    return environment.structs[_DEVICE]["attributes"].parameters[1].parameters[1]


def named_resources_environment(libraries: frozenset[str]) -> Environment:
    """Returns the CEL environment of the named resources selectors of resource.k8s.io/v1alpha2.

    Expressions may use the functions of `libraries`. The variables `attributes.string`, `attributes.int` and
    so on are maps from attribute name to value.
    """
    return Environment(
        variables={f"attributes.{kind}": read(f"map(string, {of})") for kind, of in _ATTRIBUTE_KINDS.items()},
        libraries=libraries,
    )
