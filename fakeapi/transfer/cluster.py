"""Reads what is imported from a cluster: objects that the server can take, with all that they need."""

from fakeapi.controllers.api import Refused
from fakeapi.installing.plan import DEFINITION, EXTENSIONS
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.answers import malformed, object_of
from fakeapi.transfer.bounds import OBJECTS_MAX
from fakeapi.transfer.kinds import Getter, Served, ServedKind, discover
from fakeapi.transfer.manifests import redact
from fakeapi.transfer.reading import Progress, ReadObject, State, no_progress, read_state
from fakeapi.transfer.selection import Selection, SelectionError, is_initial_namespace

_NAMESPACE = ServedKind("", "v1", "namespaces", "Namespace", namespaced=False, has_status=True)
_DEFINITION = ServedKind(
    EXTENSIONS, "v1", "customresourcedefinitions", DEFINITION, namespaced=False, has_status=True
)


async def read_cluster(
    cluster: Getter,
    selection: Selection,
    *,
    target: Served | None = None,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> State:
    """Reads the chosen objects, without credentials and the data of Secrets.

    Of each resource it takes the first version that `target` serves too; without `target`, the preferred
    one. Definitions of custom resources that the target lacks, and the namespaces of what was read, are
    added. Raises Refused (401), SelectionError, TooManyObjects.
    """
    served, problems = await discover(cluster)
    chosen = selection.chosen(served)
    kinds, missing = _versions(chosen, target)
    problems += [f"{each}: the server does not serve a version of the cluster's" for each in missing]
    state = await read_state(cluster, kinds, selection, limit=limit, progress=progress)
    if target is not None:
        await _add_definitions(cluster, state, target)
    await _add_namespaces(cluster, state, selection)
    for each in state.objects:
        redact(each.obj)
        _without_conversion(each.obj, problems)
    state.problems[:0] = problems
    return state


def _versions(chosen: Served, target: Served | None) -> tuple[list[ServedKind], list[str]]:
    """The version of each resource to read, and the resources of which no version is served by the target.

    A resource of a group that the target does not know may be a custom one: it is read, to see.
    """
    kinds, missing = [], []
    for key, versions in chosen.items():
        if target is None or key not in target:
            kinds.append(versions[0])
            continue
        known = {each.version for each in target[key]}
        shared = [each for each in versions if each.version in known]
        if shared:
            kinds.append(shared[0])
        else:
            missing.append(versions[0].qualified)
    return kinds, missing


async def _add_definitions(cluster: Getter, state: State, target: Served) -> None:
    """Adds the definitions of kinds that the target lacks; without one, the objects are left out."""
    read = {each.name for each in state.objects if each.kind.plural == _DEFINITION.plural}
    unknown = {
        (each.kind.group, each.kind.plural): each.kind
        for each in state.objects
        if (each.kind.group, each.kind.plural) not in target and each.kind.qualified not in read
    }
    for key, kind in unknown.items():
        try:
            state.objects.append(await _one(cluster, _DEFINITION, kind.qualified))
        except Refused as error:
            left = [each for each in state.objects if (each.kind.group, each.kind.plural) != key]
            count = len(state.objects) - len(left)
            state.objects = left
            why = "nothing defines it" if error.is_missing else f"its definition: {error}"
            state.problems.append(f"{kind.qualified}: {count} left out, as the server lacks it and {why}")


async def _add_namespaces(cluster: Getter, state: State, selection: Selection) -> None:
    """Adds the namespaces that were named, and those of what was read. Raises SelectionError."""
    read = {each.name for each in state.objects if each.kind.plural == "namespaces"}
    needed = dict.fromkeys((*selection.namespaces, *(each.namespace for each in state.objects)))
    for name in needed:
        if not name or name in read or is_initial_namespace(name):
            continue
        try:
            found = await _one(cluster, _NAMESPACE, name)
        except Refused as error:
            if error.is_missing and name in selection.namespaces:
                raise SelectionError(f"the cluster has no namespace {name!r}") from error
            state.problems.append(f"namespace {name}: made with its name alone: {error}")
            bare = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            found = ReadObject(_NAMESPACE, bare)
        state.objects.append(found)


async def _one(cluster: Getter, kind: ServedKind, name: str) -> ReadObject:
    answer = await cluster.get(kind.path(name=name))
    typed = {**answer, "apiVersion": kind.api_version, "kind": kind.kind}
    obj = object_of(typed, kind.api_version, kind.kind)
    if obj["metadata"]["name"] != name:
        raise malformed(f"is the {kind.kind} {obj['metadata']['name']!r:.80}, not {name!r:.80}")
    return ReadObject(kind, obj)


def _without_conversion(obj: Object, problems: list[str]) -> None:
    """Takes a conversion webhook out of a definition, as it is in the cluster."""
    if obj["kind"] != DEFINITION:
        return
    spec = obj.get("spec")
    conversion = spec.get("conversion") if isinstance(spec, dict) else None
    if isinstance(spec, dict) and isinstance(conversion, dict) and conversion.get("strategy") == "Webhook":
        spec["conversion"] = {"strategy": "None"}
        problems.append(f"{DEFINITION} {obj['metadata']['name']}: without its conversion webhook")
