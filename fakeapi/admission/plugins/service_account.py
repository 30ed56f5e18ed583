"""ServiceAccount: sets the service account of pods and mounts its token.

Follows k8s.io/kubernetes `plugin/pkg/admission/serviceaccount`. The plugin creates the account `default` for
the first pod that needs it, because the service account controller may not run.
"""

from collections.abc import Awaitable, Iterable, Iterator

from fakeapi.admission.field_order import sort_fields, sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.kinds.core.pod.mirror_pods import is_mirror
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.generated_names import generated_name
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.verbs.creating import create

DEFAULT = "default"
MOUNTS_ALL = "kubernetes.io/enforce-mountable-secrets"
VOLUME_PREFIX = "kube-api-access-"
MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
TOKEN_SECONDS = 3607
"""Lifetime of the token in the projected volume, in seconds.

kube-apiserver recognizes the tokens of this plugin by this unusual number, and extends the lifetime of the
tokens.
"""

_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_SECRET_SOURCES = (
    ("azureFile", "secretName"),
    ("secret", "secretName"),
    *(
        (name, "secretRef")
        for name in ("cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos")
    ),
    ("csi", "nodePublishSecretRef"),
)
_CALLED = {
    "initContainers": "init container",
    "containers": "container",
    "ephemeralContainers": "ephemeral container",
}


class ServiceAccount(AdmissionPlugin):
    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Sets the service account of a new pod, mounts its token and adds its imagePullSecrets.

        Mounts no token if the pod or its service account disables automountServiceAccountToken. Adds no
        imagePullSecrets to a pod that already has imagePullSecrets. Raises ApiError 403 if the service
        account does not exist, or if a mirror pod uses a service account or a Secret.
        """
        if attributes.operation is not Operation.CREATE:
            return None
        pod = attributes.new_object()
        if is_mirror(pod):
            _check_mirror(attributes)
            return None
        spec = pod["spec"]
        if not spec.get("serviceAccountName"):
            spec["serviceAccountName"] = spec["serviceAccount"] = DEFAULT
            sort_spec(attributes)
        if spec["serviceAccountName"] == DEFAULT and self._find(attributes, DEFAULT) is None:
            return self._with_default(attributes)
        self._fill_in(attributes, self._account(attributes))
        return None

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the service account does not exist or forbids a Secret of the pod.

        With the annotation `kubernetes.io/enforce-mountable-secrets`, a service account allows only the
        Secrets that it lists.
        """
        pod = attributes.new_object()
        is_new = attributes.operation is Operation.CREATE
        if not is_new and attributes.subresource != "ephemeralcontainers":
            return
        if is_new and is_mirror(pod):
            _check_mirror(attributes)
            return
        account = self._account(attributes)
        enforces = (account["metadata"].get("annotations") or {}).get(MOUNTS_ALL) in _TRUE
        if not enforces:
            return
        problem = next(_problems(pod["spec"], account, is_new=is_new), "")
        if problem:
            raise attributes.forbidden(problem)

    def _account(self, attributes: Attributes) -> Object:
        pod = attributes.new_object()
        namespace, name = attributes.namespace, pod["spec"].get("serviceAccountName", "")
        if not name:
            called = pod["metadata"].get("name", "")
            raise attributes.forbidden(f"no service account specified for pod {namespace}/{called}")
        account = self._find(attributes, name)
        if account is None and name == DEFAULT and attributes.dry_run:
            return {"metadata": {"name": name}}
        if account is None:
            why = f'serviceaccount "{name}" not found'
            raise attributes.forbidden(f"error looking up service account {namespace}/{name}: {why}")
        return account

    def _find(self, attributes: Attributes, name: str) -> Object | None:
        return self.objects.get("", "serviceaccounts", attributes.namespace, name)

    async def _with_default(self, attributes: Attributes) -> None:
        """Creates the service account `default`, except in a dry run. Then sets the fields of the pod."""
        if not attributes.dry_run:
            resource = self.objects.find("", "v1", "serviceaccounts")
            assert resource is not None, "there are pods"
            body = resource.empty_object()
            body["metadata"] |= {"name": DEFAULT, "namespace": attributes.namespace}
            obj = resource.body_type.default(body)
            target = ObjectReference(attributes.namespace)
            options = WriteOptions(manager="kube-controller-manager")
            await create(WriteRequest(self.server, resource, target, options), obj)
        self._fill_in(attributes, self._account(attributes))

    def _fill_in(self, attributes: Attributes, account: Object) -> None:
        spec = attributes.new_object()["spec"]
        mounts = spec.get("automountServiceAccountToken")
        if mounts is None:
            mounts = account.get("automountServiceAccountToken")
        if mounts is not False:
            self._mount(attributes)
        secrets = account.get("imagePullSecrets") or []
        if not spec.get("imagePullSecrets") and secrets:
            spec["imagePullSecrets"] = [{"name": secret.get("name", "")} for secret in secrets]
        sort_spec(attributes)

    def _mount(self, attributes: Attributes) -> None:
        """Mounts a volume with the token in each container that does not mount a volume at MOUNT_PATH."""
        spec, schema = attributes.new_object()["spec"], attributes.resource.schema
        names = [volume["name"] for volume in spec.get("volumes") or ()]
        present = next((name for name in names if name.startswith(VOLUME_PREFIX)), None)
        name = present or generated_name(VOLUME_PREFIX, self.objects.store.clock.suffix())
        mounted = False
        for field in ("initContainers", "containers"):
            for container in spec.get(field) or ():
                mounts = container.get("volumeMounts") or []
                if all(mount["mountPath"] != MOUNT_PATH for mount in mounts):
                    added = {"name": name, "readOnly": True, "mountPath": MOUNT_PATH}
                    container["volumeMounts"] = [*mounts, added]
                    sort_fields(container, schema, "spec", field)
                    mounted = True
        if mounted and present is None:
            spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(name)]


def _token_volume(name: str) -> Object:
    token = {"expirationSeconds": TOKEN_SECONDS, "path": "token"}
    authority = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": token},
        {"configMap": authority},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 0o644}}


def _check_mirror(attributes: Attributes) -> None:
    """Raises ApiError 403 if a mirror pod uses a service account, a Secret or a service account token."""
    spec = attributes.new_object()["spec"]
    if spec.get("serviceAccountName"):
        raise attributes.forbidden("a mirror pod may not reference service accounts")
    if any(secret_names(spec)):
        raise attributes.forbidden("a mirror pod may not reference secrets")
    if any("serviceAccountToken" in source for source in projected_sources(spec.get("volumes") or ())):
        raise attributes.forbidden("a mirror pod may not use ServiceAccountToken volume projections")


def secret_names(spec: Object) -> Iterator[str]:
    """Yields the names of all Secrets that a pod references.

    Also yields "", for references without a name and for volumes that do not reference a Secret.
    """
    for secret in spec.get("imagePullSecrets") or ():
        yield secret.get("name", "")
    for field in _CALLED:
        for container in spec.get(field) or ():
            for _, name in _secrets_of_environment(container):
                yield name
    for volume in spec.get("volumes") or ():
        for source, member in _SECRET_SOURCES:
            reference = (volume.get(source) or {}).get(member) or ""
            yield reference if isinstance(reference, str) else reference.get("name", "")
    for projected in projected_sources(spec.get("volumes") or ()):
        yield (projected.get("secret") or {}).get("name", "")


def projected_sources(volumes: Iterable[Object]) -> Iterator[Object]:
    """Yields the sources of all projected volumes in `volumes`."""
    for volume in volumes:
        yield from (volume.get("projected") or {}).get("sources") or ()


def _secrets_of_environment(container: Object) -> Iterator[tuple[str, str]]:
    """Yields (use, Secret name) for each Secret in the environment variables of a container.

    The use is, for example, "envVar PASSWORD" or "envFrom".
    """
    for variable in container.get("env") or ():
        reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
        if reference is not None:
            yield f"envVar {variable['name']}", reference.get("name", "")
    for source in container.get("envFrom") or ():
        if source.get("secretRef") is not None:
            yield "envFrom", source["secretRef"].get("name", "")


def _problems(spec: Object, account: Object, *, is_new: bool) -> Iterator[str]:
    """Yields an error for each Secret of the pod that its service account does not list.

    `is_new`: False for an update of ephemeralContainers, for which the function checks only these containers.
    """
    known = {secret.get("name", "") for secret in account.get("secrets") or ()}
    end = f"is not allowed because service account {account['metadata']['name']} does not reference that"
    if is_new:
        for volume in spec.get("volumes") or ():
            name = (volume.get("secret") or {}).get("secretName", "")
            if volume.get("secret") is not None and name not in known:
                yield f'volume with secret.secretName="{name}" {end} secret'
    for field in ("initContainers", "containers") if is_new else ("ephemeralContainers",):
        for container in spec.get(field) or ():
            for use, name in _secrets_of_environment(container):
                if name not in known:
                    called = f"{_CALLED[field]} {container['name']}"
                    yield f'{called} with {use} referencing secret.secretName="{name}" {end} secret'
    if is_new:
        pulls = {secret.get("name", "") for secret in account.get("imagePullSecrets") or ()}
        for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
            name = secret.get("name", "")
            if name not in pulls:
                yield f'imagePullSecrets[{index}].name="{name}" {end} imagePullSecret'
