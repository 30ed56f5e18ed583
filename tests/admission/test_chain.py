"""The server calls the admission plugins in a fixed order before every write."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import ClassVar

from fakeapi.admission.chain import Admission
from fakeapi.admission.plugin import AdmissionPlugin, PluginEntry, kinds
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import NO_STEPS
from tests.registry.world import World, in_world, refusal


class Recorder(AdmissionPlugin):
    """An admission plugin that records its calls.

    `mutate` adds a label to objects. `validate` refuses objects with the label `refuse`.
    """

    operations = frozenset(Operation)
    asked: ClassVar[list[tuple[str, str, bool]]] = []

    def mutate(self, attributes: Attributes) -> None:
        self.asked.append(("mutate", attributes.operation.value, attributes.old is not None))
        if attributes.obj is not None:
            meta = attributes.obj["metadata"]
            meta["labels"] = {**meta.get("labels", {}), "seen": attributes.operation.value}

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        self.asked.append(("validate", attributes.operation.value, attributes.old is not None))
        if "refuse" in (attributes.obj or {}).get("metadata", {}).get("labels", {}):
            raise attributes.forbidden("the recorder says so")
        return asyncio.sleep(0) if attributes.operation is Operation.CREATE else None


CLAIMS = (
    PluginEntry("Recorder", f"{__name__}:Recorder", kinds("resourceclaims.resource.k8s.io")),
    PluginEntry("Unused", "no.such.module:Plugin", kinds("pods")),
)


def recording(world: World, entries: Sequence[PluginEntry] = CLAIMS) -> list[tuple[str, str, bool]]:
    world.server.admission = Admission(entries, world.server)
    Recorder.asked.clear()
    return Recorder.asked


def test_every_write_is_mutated_before_and_validated_after_the_rules_of_its_kind() -> None:
    async def scenario(world: World) -> None:
        asked = recording(world)
        created = await world.create(world.claim("a"))
        assert created["metadata"]["labels"] == {"seen": "CREATE"}
        changed = await world.patch("a", {"metadata": {"labels": {"more": "1"}}})
        assert changed["metadata"]["labels"] == {"more": "1", "seen": "UPDATE"}
        await world.update(changed)
        await world.delete("a")
        writes = [("CREATE", False), ("UPDATE", True), ("UPDATE", True), ("DELETE", True)]
        assert asked == [(step, *write) for write in writes for step in ("mutate", "validate")]

    in_world(scenario)


def test_what_admission_sets_belongs_to_no_manager() -> None:
    async def scenario(world: World) -> None:
        recording(world)
        created = await world.create(world.claim("a", labels={"own": "1"}))
        fields = created["metadata"]["managedFields"][0]["fieldsV1"]
        assert fields["f:metadata"]["f:labels"] == {".": {}, "f:own": {}}

    in_world(scenario)


def test_a_refusal_is_a_403_that_names_the_object_and_stores_nothing() -> None:
    async def scenario(world: World) -> None:
        recording(world)
        error = await refusal(world.create(world.claim("a", labels={"refuse": ""})))
        assert (error.code, error.reason) == (403, "Forbidden")
        assert error.message == 'resourceclaims.resource.k8s.io "a" is forbidden: the recorder says so'
        assert isinstance(await refusal(world.delete("a")), ApiError)

    in_world(scenario)


def test_rules_of_the_kind_speak_before_validating_steps() -> None:
    async def scenario(world: World) -> None:
        asked = recording(world)
        body = world.claim("a", labels={"refuse": ""})
        body["spec"]["devices"]["requests"][0]["name"] = "Not A Name"
        assert (await refusal(world.create(body))).code == 422
        assert asked == [("mutate", "CREATE", False)]

    in_world(scenario)


def test_a_plugin_is_loaded_only_for_the_kinds_that_it_covers() -> None:
    async def scenario(world: World) -> None:
        recording(world)
        templates = world.resource("resourceclaimtemplates", "v1alpha3", "resource.k8s.io")
        assert world.server.admission.steps(templates, "", Operation.CREATE) is NO_STEPS

    in_world(scenario)
