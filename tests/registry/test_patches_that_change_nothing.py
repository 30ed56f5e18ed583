"""A patch without changes creates no new resourceVersion, no watch event and no new field owner."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.patch.media_types import MERGE_PATCH, STRATEGIC_MERGE_PATCH
from tests.registry.world import World, in_world, version_of

LATER = 3600
WORDS = st.sampled_from(["a", "b", "x.example.com", "1"])
NAMES = st.sampled_from(["a", "b", "c", "d"])
WORD_MAPS = st.dictionaries(WORDS, WORDS, min_size=1, max_size=3)

OWNERS = st.lists(NAMES, min_size=1, unique=True, max_size=3).map(
    lambda names: [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"uid-{name}"} for name in names]
)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "labels": WORD_MAPS,
        "annotations": WORD_MAPS,
        "finalizers": st.lists(NAMES.map("example.com/{}".format), min_size=1, max_size=3, unique=True),
        "ownerReferences": OWNERS,
    },
)
REQUESTS = st.lists(NAMES, min_size=1, max_size=3, unique=True).map(
    lambda names: [{"name": name, "deviceClassName": "gpu.example.com"} for name in names]
)
CONSUMERS = st.lists(NAMES, max_size=3, unique=True).map(
    lambda names: [{"resource": "pods", "name": name, "uid": f"uid-{name}"} for name in names]
)
ALLOCATION = {
    "devices": {
        "results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "node", "device": "gpu-0"}]
    }
}
MERGED = ("finalizers", "ownerReferences", "reservedFor")
"""The list fields of a 1.31 ResourceClaim that a strategic merge patch merges instead of replacing."""


@st.composite
def parts_of(draw: st.DrawFn, value: Any, *, strategic: bool, name: str = "") -> Any:
    """Draws a part of a value. A patch with this part does not change the value.

    - Map: draws some members, and sometimes null for a member that the map lacks.
    - List that the patch merges: draws some items in their order, because a patch also reorders items.
    - Other values: draws the whole value.

    `strategic`: whether the patch is a strategic merge patch. `name`: the field name of the value.
    """
    if isinstance(value, dict):
        part = {
            key: draw(parts_of(value[key], strategic=strategic, name=key))
            for key in sorted(value)
            if draw(st.booleans())
        }
        return part | ({"nobody": None} if name in ("labels", "annotations") and draw(st.booleans()) else {})
    if strategic and name in MERGED:
        return [member for member in value if draw(st.booleans())]
    return value


@pytest.mark.parametrize("subresource", ["", "status"])
@pytest.mark.parametrize("media_type", [MERGE_PATCH, STRATEGIC_MERGE_PATCH])
@settings(max_examples=25)
@given(metadata=METADATA, consumers=CONSUMERS, data=st.data())
def test_a_patch_that_says_what_is_so_makes_no_version_no_event_and_no_owner(
    media_type: str, subresource: str, metadata: dict[str, Any], consumers: Any, data: st.DataObject
) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("claim", **metadata))
        status = {"allocation": ALLOCATION, "reservedFor": consumers} if consumers else {}
        stored = await world.update({**created, "status": status}, subresource="status")
        watch = world.watch(resource_version=str(version_of(stored)))
        world.clock.seconds += LATER

        patch = data.draw(parts_of(stored, strategic=media_type == STRATEGIC_MERGE_PATCH), label="patch")
        manager = data.draw(st.sampled_from(["tester", "another"]), label="manager")
        answer = await world.patch("claim", patch, media_type, subresource, manager=manager)
        assert answer == stored
        assert world.storage.revision == version_of(stored)

        changed = await world.patch("claim", {"metadata": {"labels": {"changed": "yes"}}})
        assert [event.revision for event in await watch.next()] == [version_of(changed)]

    in_world(scenario)
