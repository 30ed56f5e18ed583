"""Responses in protobuf: stories that ask for them, and their objects as JSON for the comparison."""

from random import Random
from typing import Any

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.schema.protobuf import decode, unwrap
from fakeapi.releases import Release
from tests.differential.exchanges.stories import Story, StoryWriter
from tests.differential.exchanges.subjects import Subject

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"


class ProtobufReader:
    """Decodes objects and lists of the kinds of a release. An unknown kind becomes its name and bytes."""

    def __init__(self, release: Release) -> None:
        schemas = release.all_kinds.schemas
        self._types: dict[tuple[str, str], Struct] = {("v1", "Status"): schemas.struct("meta/v1.Status")}
        for kind in release.kinds:
            self._types[kind.api_version, kind.kind] = kind.schema
            if kind.list_type_name:
                list_type = schemas.struct(kind.list_type_name)
                self._types[kind.api_version, kind.list_kind] = list_type

    def read(self, data: bytes) -> Any:
        """Returns the object in a protobuf body, with its kind and apiVersion."""
        kind, api_version, message = unwrap(data)
        schema = self._types.get((api_version, kind))
        fields: dict[str, Any] = {"bytes": message.hex()} if schema is None else decode(message, schema)
        return {**fields, "kind": kind, "apiVersion": api_version}


def protobuf_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story whose requests ask for protobuf, unless they ask for a Table or partial objects."""
    story = StoryWriter(random, subject, number).write()
    for request in story:
        request["headers"] = {"accept": MEDIA_TYPE, **request.get("headers", {})}
    return story
