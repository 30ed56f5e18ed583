"""serviceaccounts/token: creates tokens of ServiceAccounts, which may be bound to an object.

Follows TokenREST of k8s.io/kubernetes `pkg/registry/core/serviceaccount/storage` and `pkg/serviceaccount`.
"""

from fakeapi.machinery import codec, errors
from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang import times
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.stored import form as stored_form
from fakeapi.releases import Gates

SECONDS_MIN = 600
SECONDS_MAX = 1 << 32
PROJECTED_SECONDS = 3607
"""The lifetime, in seconds, that kubelets request for projected tokens.

Old clients may not renew such tokens, so the server extends the lifetime to EXTENDED_SECONDS.
"""
EXTENDED_SECONDS = 365 * 24 * 3600

_KIND = Qualified("authentication.k8s.io", "TokenRequest")
_BINDABLE = {"Pod": "pods", "Node": "nodes", "Secret": "secrets"}
_UID_GATE = "TokenRequestServiceAccountUIDValidation"
_NODES_GATE = "ServiceAccountTokenNodeBinding"


async def create_token(request: ServerWrite, body: Object) -> WriteResult:
    """Creates a token for a ServiceAccount.

    Raises ApiError:

    - 400 or 422: the request is invalid
    - 404: the ServiceAccount or the bound object does not exist
    - 409: the ServiceAccount or the bound object has another uid than the request says
    """
    server, resource, target = request.server, request.resource, request.target
    _check_body_name(target, body["metadata"])
    account = stored_form.decode(
        server.store.newest_entry(resource, ObjectReference(target.namespace, target.name))
    )
    _check_uid(resource, target, account, body["metadata"], request.warnings)
    token = _manager(resource).update(None, body, request.options.manager, server.store.now())
    spec, now = token["spec"], int(server.store.clock.now())
    audiences = server.tokens.audiences
    spec["audiences"] = spec.get("audiences") or audiences
    problems = _spec_errors(spec)
    if problems:
        raise errors.invalid(_KIND, "", problems)
    gates, objects = resource.release.gates, server.objects
    bound = _bound_objects(objects, target, spec.get("boundObjectRef"), gates)
    own: Object = {"namespace": target.namespace, "serviceaccount": _named(account)}
    seconds = lifetime = spec["expirationSeconds"]
    if "pod" in bound and seconds == PROJECTED_SECONDS and spec["audiences"] == audiences:
        lifetime, own["warnafter"] = EXTENDED_SECONDS, now + seconds
    claims = {
        "aud": spec["audiences"],
        "exp": now + lifetime,
        "iat": now,
        "nbf": now,
        "sub": f"system:serviceaccount:{target.namespace}:{target.name}",
        "kubernetes.io": {**own, **bound},
    }
    if gates.enabled("ServiceAccountTokenJTI"):
        claims["jti"] = server.store.clock.uid()
    await server.tokens.keep_key()
    status = {
        "token": server.tokens.signer.sign(claims),
        "expirationTimestamp": times.now_text(now + seconds),
    }
    metadata = {
        **token["metadata"],
        "name": target.name,
        "namespace": target.namespace,
        "creationTimestamp": server.store.now(),
    }
    if resource.release.quirks.token_requests_have_uids:
        metadata.setdefault("uid", account["metadata"]["uid"])
    answer = {**token, "metadata": in_order(metadata), "status": status}
    return WriteResult(codec.encode(answer), created=True)


def _check_body_name(target: ObjectReference, meta: Object) -> None:
    for name, value in (("name", target.name), ("namespace", target.namespace)):
        body_value = meta.get(name)
        if body_value and body_value != value:
            why = f"must match the service account {name} if specified"
            raise errors.invalid(_KIND, target.name, [invalid(f"metadata.{name}", body_value, why)])


def _check_uid(
    resource: Resource, target: ObjectReference, account: Object, meta: Object, warnings: Warnings
) -> None:
    """Raises ApiError 409 if the request has a uid that differs from the uid of the ServiceAccount.

    If the gate TokenRequestServiceAccountUIDValidation is off, adds a warning instead. Ignores the uid up to
    1.33.

    - `account`: the stored ServiceAccount
    - `meta`: the metadata in the request body
    """
    body_uid, uid = meta.get("uid"), account["metadata"]["uid"]
    if not resource.release.quirks.token_requests_have_uids or not body_uid or body_uid == uid:
        return
    why = f"the UID in the token request ({body_uid}) does not match the UID of the service account ({uid})"
    if resource.release.gates.enabled(_UID_GATE):
        raise errors.conflict(_KIND, target.name, why)
    later = "In the future, this will return a conflict error"
    warnings.add(f"{why} but {_UID_GATE} is not enabled. {later}")


def _manager(resource: Resource) -> FieldManager:
    """Returns the object that sets the managedFields of TokenRequests. TokenRequests are never stored."""
    body = resource.subresources["token"].body_type
    kind, convert = body.kind, body.versions.convert
    return FieldManager(kind.schema, body.api_version, kind.kind, "token", (), convert)


def _spec_errors(spec: Object) -> list[FieldError]:
    seconds, path = spec["expirationSeconds"], "spec.expirationSeconds"
    if seconds < SECONDS_MIN:
        return [invalid(path, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > SECONDS_MAX:
        return [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _bound_objects(
    objects: ClusterObjects, target: ObjectReference, reference: Object | None, gates: Gates
) -> Object:
    """Returns the token's claims about the bound object, and about the node of a bound pod.

    Raises ApiError:

    - 400: a token cannot be bound to the kind of object, or to this pod
    - 404: the object does not exist
    - 409: the uid of the object differs from the uid in `reference`

    `target`: the ServiceAccount
    `reference`: the `boundObjectRef` of the request; None if the token is not bound
    """
    if reference is None:
        return {}
    kind, name, version = (reference.get(field, "") for field in ("kind", "name", "apiVersion"))
    group, slash, rest = version.rpartition("/")
    if group or kind not in _BINDABLE:
        printed = f"{group}/{rest if slash else version}, Kind={kind}"
        raise errors.bad_request(f"cannot bind token to object of type {printed}")
    if kind == "Node" and not gates.enabled(_NODES_GATE):
        why = f'cannot bind token to a Node object as the "{_NODES_GATE}" feature-gate is disabled'
        raise errors.bad_request(why)
    bound_object = objects.get("", _BINDABLE[kind], "" if kind == "Node" else target.namespace, name)
    if bound_object is None:
        raise errors.not_found(Qualified("", _BINDABLE[kind]), name)
    if kind == "Pod" and bound_object["spec"].get("serviceAccountName", "") != target.name:
        raise errors.bad_request(
            f"cannot bind token for serviceaccount {quote(target.name)} to pod running with different "
            "serviceaccount name."
        )
    uid = reference.get("uid")
    if uid and uid != bound_object["metadata"]["uid"]:
        raise errors.conflict(
            Qualified("", kind),
            name,
            f"the UID in the bound object reference ({uid}) does not match the UID in record. The object "
            "might have been deleted and then recreated",
        )
    bound: Object = {kind.lower(): _named(bound_object)}
    node = bound_object["spec"].get("nodeName") if kind == "Pod" else None
    if node and gates.enabled("ServiceAccountTokenPodNodeInfo"):
        of_node = objects.get("", "nodes", "", node)
        bound["node"] = {"name": node} if of_node is None else _named(of_node)
    return bound


def _named(obj: Object) -> Object:
    return {"name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]}
