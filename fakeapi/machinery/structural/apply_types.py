"""Makes the type that server-side apply, merge patches and field sets of custom objects follow.

Follows k8s.io/apiserver `pkg/endpoints/handlers/fieldmanager` (TypeConverter) and k8s.io/kube-openapi
`pkg/schemaconv`, as they see the schema that apiextensions publishes for a kind.
"""

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.schema import Schema


def apply_type(schema: Schema | None, object_meta: Struct) -> Struct:
    """The type of whole objects of a kind; `object_meta` is the release's own ObjectMeta.

    Without a schema every field but apiVersion, kind and metadata is deduced from the value.
    """
    raise NotImplementedError
