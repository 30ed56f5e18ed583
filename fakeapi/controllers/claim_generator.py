"""ClaimGenerator: creates ResourceClaims from ResourceClaimTemplates, for pods and PodGroups.

Follows k8s.io/kubernetes `pkg/controller/resourceclaim`.
"""

from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.workloads.owners import controller_of
from fakeapi.machinery.json_types import Object

ANNOTATION = "resource.kubernetes.io/pod-claim-name"
GENERATED_NAME_MAX = 57
"""Maximum length of a generateName. The API server adds five characters to a generateName."""


class TemplateMissing(Exception):
    """Raised if a claim cannot be created because its ResourceClaimTemplate does not exist."""


class ClaimGenerator:
    """Creates and finds the generated ResourceClaims of pods and PodGroups (the owners)."""

    def __init__(self, api: InProcessClient, claims: Informer, templates: Informer) -> None:
        self._api = api
        self._claims = claims
        self._templates = templates
        self._by_owner: dict[str, dict[str, None]] = {}
        """The keys of the claims by the uid of their controller, in the order of their creation."""
        claims.on_change(self._claim_changed)

    def _claim_changed(self, old: Object | None, new: Object | None) -> None:
        before, after = _owner_uid(old), _owner_uid(new)
        key = key_of(new or old or {})
        if before is not None and before != after:
            keys = self._by_owner.get(before, {})
            keys.pop(key, None)
            if not keys:
                self._by_owner.pop(before, None)
        if after is not None:
            self._by_owner.setdefault(after, {})[key] = None

    async def claim_for(self, owner: Object, name: str, template_name: str, *, by_pod: bool = False) -> str:
        """Finds or creates the generated claim of an owner; returns the name of the claim.

        - `name`: the name of the claim in the owner's spec.
        - `by_pod`: whether the claim is named after the owner and the claim in its spec, as in 1.27.

        Raises StatusError if the creation fails, and TemplateMissing if the template does not exist.
        """
        known = self.find(owner, name)
        if known is not None:
            return str(known["metadata"]["name"])
        namespace = owner["metadata"]["namespace"]
        template = self._templates.get(namespace, template_name)
        if template is None:
            place = self._templates.resource
            missing = f'{place.plural}.{place.group} "{template_name}" not found'
            raise TemplateMissing(f'resource claim template "{template_name}": {missing}')
        claim = self._generated(owner, name, template, by_pod=by_pod)
        created = await self._api.create(self._claims.resource.path(namespace), claim)
        return str(created["metadata"]["name"])

    def find(self, owner: Object, name: str) -> Object | None:
        """Returns the generated claim for a claim in an owner's spec; None if no such claim exists.

        The status of the owner may not contain the name of this claim yet.
        """
        for key in self._by_owner.get(owner["metadata"]["uid"], ()):
            claim = self._claims.objects[key]
            annotations = claim["metadata"].get("annotations") or {}
            if annotations.get(ANNOTATION) == name:
                return claim
        return None

    def _generated(self, owner: Object, name: str, template: Object, *, by_pod: bool) -> Object:
        """Returns a new ResourceClaim from a template, with `owner` as its controller."""
        spec, metadata = template["spec"], owner["metadata"]
        template_metadata = spec.get("metadata") or {}
        annotations = template_metadata.get("annotations") or {}
        reference = {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "controller": True,
        }
        new: Object = {"annotations": {**annotations, ANNOTATION: name}, "ownerReferences": [reference]}
        if by_pod:
            new["name"] = f"{metadata['name']}-{name}"
            new["annotations"] = annotations
            reference["blockOwnerDeletion"] = True
        else:
            new["generateName"] = _generated_name(metadata["name"], name)
        if template_metadata.get("labels"):
            new["labels"] = template_metadata["labels"]
        resource = self._claims.resource
        return {
            "kind": resource.kind,
            "apiVersion": resource.api_version,
            "metadata": new,
            "spec": spec["spec"],
        }


def _owner_uid(claim: Object | None) -> str | None:
    """Returns the uid of the controller of a claim; None for a claim without a controller."""
    reference = None if claim is None else controller_of(claim)
    return None if reference is None else str(reference["uid"])


def _generated_name(owner: str, claim: str) -> str:
    """Returns the generateName `OWNER-CLAIM-` of a generated claim.

    If the name would be too long, shortens both parts in proportion and omits the last hyphen.
    """
    name = f"{owner}-{claim}-"
    length = len(name)
    if length <= GENERATED_NAME_MAX:
        return name
    cut = owner[: len(owner) * GENERATED_NAME_MAX // length]
    return f"{cut}-{claim[: len(claim) * GENERATED_NAME_MAX // length]}"
