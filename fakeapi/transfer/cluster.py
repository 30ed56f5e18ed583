"""Reads objects from a real cluster for an import or export, with their namespaces."""

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.shapes import malformed, object_of
from fakeapi.clients.verbs import Reader
from fakeapi.installing.plan import DEFINITION, EXTENSIONS
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.bounds import OBJECTS_MAX
from fakeapi.transfer.manifests import redact
from fakeapi.transfer.reading import Progress, ReadObject, State, no_progress, read_state
from fakeapi.transfer.selection import Selection, SelectionError, is_initial_namespace
from fakeapi.transfer.served import Served, discover

_NAMESPACE = ServedResource("", "v1", "namespaces", "Namespace", namespaced=False, has_status=True)
_DEFINITION = ServedResource(
    EXTENSIONS, "v1", "customresourcedefinitions", DEFINITION, namespaced=False, has_status=True
)


async def read_cluster(
    cluster: Reader,
    selection: Selection,
    *,
    target: Served | None = None,
    limit: int = OBJECTS_MAX,
    progress: Progress = no_progress,
) -> State:
    """Reads the selected objects of a cluster, without credentials and without the data of Secrets.

    Adds the namespaces of the objects, and the CustomResourceDefinitions that the target lacks.

    - `target`: the resources of the server to import into. The function reads each resource in the first
      version that this server serves too. None reads the preferred versions.
    - `limit`: the maximum number of objects.
    - `progress`: called before each resource.

    Raises one of these exceptions:

    - SelectionError if a selected resource or namespace does not exist.
    - TooManyObjects if there are more selected objects than `limit`.
    - StatusError for a failed discovery, missing authentication or an invalid label selector.

    Other refused requests become problems of the result.
    """
    served, problems = await discover(cluster)
    chosen = selection.chosen(served)
    kinds, missing = _versions(chosen, target)
    problems += [f"{resource}: the server serves none of the versions in the cluster" for resource in missing]
    state = await read_state(cluster, kinds, selection, limit=limit, progress=progress)
    if target is not None:
        await _add_definitions(cluster, state, target)
    await _add_namespaces(cluster, state, selection)
    for read in state.objects:
        redact(read.obj)
        _without_conversion(read.obj, problems)
    state.problems[:0] = problems
    return state


def _versions(chosen: Served, target: Served | None) -> tuple[list[ServedResource], list[str]]:
    """Returns the resources to read, each in one version, and the names of the resources to leave out.

    - `chosen`: the selected resources of the cluster, in all their versions.
    - `target`: the resources of the server to import into; None reads the preferred versions.

    Leaves out a resource if the target serves it only in other versions. Keeps a resource that the target
    does not serve in any version, because it may be a custom resource.
    """
    kinds, missing = [], []
    for key, versions in chosen.items():
        if target is None or key not in target:
            kinds.append(versions[0])
            continue
        known = {version.version for version in target[key]}
        shared = [version for version in versions if version.version in known]
        if shared:
            kinds.append(shared[0])
        else:
            missing.append(versions[0].qualified)
    return kinds, missing


async def _add_definitions(cluster: Reader, state: State, target: Served) -> None:
    """Adds to `state` the CustomResourceDefinitions of resources that the target does not serve.

    If a definition cannot be read, removes the objects of the resource and adds a problem.
    """
    read = {item.name for item in state.objects if item.kind.plural == _DEFINITION.plural}
    unknown = {
        item.kind.group_resource: item.kind
        for item in state.objects
        if item.kind.group_resource not in target and item.kind.qualified not in read
    }
    for key, kind in unknown.items():
        try:
            state.objects.append(await _one(cluster, _DEFINITION, kind.qualified))
        except StatusError as error:
            left = [item for item in state.objects if item.kind.group_resource != key]
            count = len(state.objects) - len(left)
            state.objects = left
            why = "nothing defines it" if error.is_not_found else f"its definition: {error}"
            state.problems.append(f"{kind.qualified}: {count} left out, as the server lacks it and {why}")


async def _add_namespaces(cluster: Reader, state: State, selection: Selection) -> None:
    """Adds to `state` the selected namespaces and the namespaces of the objects.

    If a namespace cannot be read, adds it with only its name. Raises SelectionError if a selected namespace
    does not exist.
    """
    read = {item.name for item in state.objects if item.kind.plural == "namespaces"}
    needed = dict.fromkeys((*selection.namespaces, *(item.namespace for item in state.objects)))
    for name in needed:
        if not name or name in read or is_initial_namespace(name):
            continue
        try:
            namespace = await _one(cluster, _NAMESPACE, name)
        except StatusError as error:
            if error.is_not_found and name in selection.namespaces:
                raise SelectionError(f"the cluster has no namespace {name!r}") from error
            state.problems.append(f"namespace {name}: made with its name alone: {error}")
            bare = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            namespace = ReadObject(_NAMESPACE, bare)
        state.objects.append(namespace)


async def _one(cluster: Reader, kind: ServedResource, name: str) -> ReadObject:
    stored = await cluster.get(kind.path(name=name))
    typed = {**stored, "apiVersion": kind.api_version, "kind": kind.kind}
    obj = object_of(typed, kind.api_version, kind.kind)
    if obj["metadata"]["name"] != name:
        raise malformed(f"is the {kind.kind} {obj['metadata']['name']!r:.80}, not {name!r:.80}")
    return ReadObject(kind, obj)


def _without_conversion(obj: Object, problems: list[str]) -> None:
    """Changes the conversion strategy of a CustomResourceDefinition from Webhook to None.

    The webhook exists only in the cluster. Adds a problem if the strategy was Webhook.
    """
    if obj["kind"] != DEFINITION:
        return
    spec = obj.get("spec")
    conversion = spec.get("conversion") if isinstance(spec, dict) else None
    if isinstance(spec, dict) and isinstance(conversion, dict) and conversion.get("strategy") == "Webhook":
        spec["conversion"] = {"strategy": "None"}
        problems.append(f"{DEFINITION} {obj['metadata']['name']}: its conversion webhook")
