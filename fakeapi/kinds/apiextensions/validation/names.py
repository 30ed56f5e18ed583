"""Validates `spec.names` of a CustomResourceDefinition: the names of its custom resource."""

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1035_label

_MIXED = "may have mixed case, but should otherwise match: "


def validate_names(names: Object, path: str) -> list[FieldError]:
    """Validates the names of a custom resource. Does not report missing names; `validate_spec` does."""
    errors: list[FieldError] = []
    for name in ("plural", "singular"):
        errors += label_errors(names.get(name) or "", f"{path}.{name}")
    for name in ("kind", "listKind"):
        text = names.get(name) or ""
        why = is_dns1035_label(text.lower()) if text else []
        if why:
            errors.append(invalid(f"{path}.{name}", text, _MIXED + ",".join(why)))
    for index, text in enumerate(names.get("shortNames") or ()):
        errors += label_errors(text, f"{path}.shortNames[{index}]", required=True)
    kind = names.get("kind")
    if kind and kind == names.get("listKind"):
        errors.append(invalid(f"{path}.listKind", kind, "kind and listKind may not be the same"))
    for index, text in enumerate(names.get("categories") or ()):
        errors += label_errors(text, f"{path}.categories[{index}]", required=True)
    return errors


def label_errors(text: str, path: str, *, required: bool = False) -> list[FieldError]:
    """Returns an error if a string is not a DNS-1035 label. An empty string is valid unless `required`."""
    why = is_dns1035_label(text) if text or required else []
    return [invalid(path, text, ",".join(why))] if why else []
