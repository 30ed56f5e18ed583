"""The CEL variables that describe a write, for match conditions of webhooks and for policies.

Follows k8s.io/apiserver `pkg/admission/plugin/cel` (CreateAdmissionRequest).
"""

from typing import Any

from fakeapi.admission.admission_request import admission_request, options_of
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite, plain
from fakeapi.registry.model.resource import Resource


def variables_of(write: VersionedWrite, resource: Resource) -> dict[str, Any]:
    """Returns the values of CEL variables, such as `object` and `request`, by name, as decoded JSON.

    `resource`: the resource in the API version that the objects must have.
    """
    attributes = write.attributes
    request = admission_request(attributes, resource, "")
    del request["uid"]
    empty = {"subResource": "", "requestSubResource": "", "name": "", "namespace": ""}
    user = {"username": "", "uid": "", "groups": [], "extra": {}, **request["userInfo"]}
    request = {**empty, **request, "userInfo": user, "dryRun": attributes.dry_run}
    return {
        "object": plain(write.new_in(resource)),
        "oldObject": plain(write.old_in(resource)),
        "request": {**request, "options": options_of(attributes)},
        "namespaceObject": None,
    }
