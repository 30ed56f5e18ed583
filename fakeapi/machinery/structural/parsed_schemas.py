"""Caches parsed schemas, because the server needs the schema of a CustomResourceDefinition several times."""

from collections import OrderedDict
from threading import Lock

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.schema import Schema, parse_schema

SCHEMA_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of all cached schemas, in bytes of JSON.

A full cache drops the least recently used schemas.
"""


class ParsedSchemas:
    """A cache of parsed schemas by their JSON; threads may share it."""

    def __init__(self, bytes_max: int = SCHEMA_BYTES_MAX) -> None:
        self._left = bytes_max
        self._schemas: OrderedDict[bytes, Schema] = OrderedDict()
        self._lock = Lock()

    def parse(self, props: Object) -> Schema:
        """Returns the schema for canonical JSONSchemaProps, from the cache if possible.

        Raises SchemaTooDeep if the schema has too many levels.
        """
        text = codec.encode(props)
        with self._lock:
            schema = self._schemas.get(text)
            if schema is not None:
                self._schemas.move_to_end(text)
                return schema
        schema = parse_schema(props)
        with self._lock:
            if text not in self._schemas:
                self._schemas[text] = schema
                self._left -= len(text)
            while self._left < 0:
                self._left += len(self._schemas.popitem(last=False)[0])
        return schema


SCHEMAS = ParsedSchemas()
