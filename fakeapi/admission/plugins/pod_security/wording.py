"""Builds parts of the messages about pods that violate a Pod Security level."""

from collections.abc import Iterator, Sequence

from fakeapi.machinery.json_types import Object


def quoted(names: Sequence[str]) -> str:
    """Returns the names as text of the form `"a", "b"`."""
    return ", ".join(f'"{name}"' for name in names)


def several(one: str, more: str, count: int) -> str:
    return one if count == 1 else more


def named(what: str, names: Sequence[str]) -> str:
    """Returns a noun and names, such as `containers "a", "b"`. `what`: the noun in the singular."""
    return f"{several(what, f'{what}s', len(names))} {quoted(names)}"


def setters(of_pod: bool, names: Sequence[str]) -> str:  # noqa: FBT001 - whether the pod itself sets it
    """Returns the setters of a field, such as `pod and container "a"`.

    `of_pod`: whether the pod sets the field. `names`: the names of the containers that set the field.
    """
    parts = ["pod"] if of_pod else []
    if names:
        parts.append(named("container", names))
    return " and ".join(parts)


def containers_of(spec: Object) -> Iterator[Object]:
    for name in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(name) or ()
