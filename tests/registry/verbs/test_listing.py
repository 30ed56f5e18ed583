"""Lists: order, selectors and resourceVersions, and pages that show the objects at one resourceVersion."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.requests import continue_token
from fakeapi_storage import Page
from tests.registry.world import World, in_world, names, version_of

PREFIX = "/resource.k8s.io/v1alpha3/resourceclaims/default/"


async def filled(world: World, count: int) -> None:
    for number in range(count):
        await world.create(world.claim(f"c{number}", labels={"odd": str(number % 2)}))


def refused(world: World, **options: object) -> ApiError:
    with pytest.raises(ApiError) as caught:
        world.list(**options)  # type: ignore[arg-type]
    return caught.value


def test_a_list_is_in_the_order_of_namespace_and_name() -> None:
    async def scenario(world: World) -> None:
        for name in ("b", "a-b", "a", "a.b"):
            await world.create(world.claim(name))
        await world.create(world.claim("zz"), namespace="default")
        await world.create(world.claim("aa"), namespace="kube-system")
        assert names(world.list()) == ["a", "a-b", "a.b", "b", "zz"]
        assert names(world.list(namespace="")) == ["a", "a-b", "a.b", "b", "zz", "aa"]
        assert names(world.list(namespace="kube-public")) == []

    in_world(scenario)


def test_a_list_has_the_newest_version_whatever_changed_last() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 2)
        elsewhere = await world.create(world.claim("x"), namespace="kube-system")
        assert world.list().revision == version_of(elsewhere)

    in_world(scenario)


@pytest.mark.parametrize(
    ("labels", "fields", "expected"),
    [
        ("odd=1", "", ["c1", "c3"]),
        ("odd in (0,2)", "", ["c0", "c2", "c4"]),
        ("!odd", "", []),
        ("", "metadata.name=c3", ["c3"]),
        ("", "metadata.name!=c3", ["c0", "c1", "c2", "c4"]),
        ("odd=1", "metadata.name=c2", []),
        ("", "metadata.namespace=default,metadata.name=c0", ["c0"]),
        ("", "", ["c0", "c1", "c2", "c3", "c4"]),
    ],
)
def test_selectors_choose_what_is_listed(labels: str, fields: str, expected: list[str]) -> None:
    async def scenario(world: World) -> None:
        await filled(world, 5)
        assert names(world.list(labels=labels, fields=fields)) == expected

    in_world(scenario)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("labels", ["", "odd=0"])
def test_pages_together_are_the_list(limit: int, labels: str) -> None:
    async def scenario(world: World) -> None:
        await filled(world, 5)
        whole = names(world.list(labels=labels))
        values: list[str] = []
        page = world.list(labels=labels, limit=limit)
        values += names(page)
        while page.continue_token:
            assert len(page.entries) == limit
            if not labels:
                assert page.remaining == len(whole) - len(values)
            page = world.list(labels=labels, limit=limit, continue_token=page.continue_token)
            values += names(page)
        assert page.remaining is None
        assert values == whole

    in_world(scenario)


def test_a_full_page_promises_more_wherever_objects_are_left_to_look_at() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 4)
        full = world.list(labels="odd=0", limit=2)
        assert names(full) == ["c0", "c2"]
        rest = world.list(labels="odd=0", limit=2, continue_token=full.continue_token)
        assert (names(rest), rest.continue_token) == ([], "")

    in_world(scenario)


def test_the_one_object_that_a_selector_names_comes_without_pages() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 4)
        listing = world.list(fields="metadata.name=c1", limit=1)
        assert (names(listing), listing.continue_token) == (["c1"], "")
        anywhere = world.list(fields="metadata.name=c1", limit=1, namespace="")
        assert (names(anywhere), bool(anywhere.continue_token)) == (["c1"], True)

    in_world(scenario)


def test_a_limit_that_few_objects_fill_is_looked_for_in_growing_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(world: World) -> None:
        await filled(world, 100)
        steps: list[int] = []
        ask = world.storage.list

        def counted(prefix: str, **options: Any) -> Page:
            steps.append(options["limit"])
            return ask(prefix, **options)

        monkeypatch.setattr(world.storage, "list", counted)
        assert names(world.list(labels="odd=2", limit=1)) == []
        assert steps == [1, 2, 4, 8, 16, 32, 64]

    in_world(scenario)


@pytest.mark.parametrize(("release", "leads"), [("1.30", b""), ("1.31", b"/")])
def test_the_first_token_of_a_list_of_the_present_leads_with_a_slash_from_1_31(
    release: str, leads: bytes
) -> None:
    async def scenario(world: World) -> None:
        await filled(world, 3)

        def start(**options: Any) -> tuple[str, bytes]:
            token = world.list(limit=1, **options).continue_token
            return token, json.loads(base64.urlsafe_b64decode(token + "=="))["start"].encode()

        token, first = start()
        assert first == leads + b"c0\0"
        assert start(continue_token=token)[1] == b"c1\0"
        assert start(resource_version=str(world.storage.revision))[1] == b"c0\0"

    in_world(scenario, release)


def test_later_pages_hold_still_while_objects_change() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 6)
        first = world.list(limit=2)
        await world.delete("c2")
        await world.patch("c3", {"metadata": {"labels": {"new": ""}}})
        await world.create(world.claim("c25"))
        second = world.list(limit=9, continue_token=first.continue_token)
        assert names(second) == ["c2", "c3", "c4", "c5"]
        assert second.revision == first.revision
        assert b'"new"' not in second.entries[1].value

    in_world(scenario)


def test_an_exact_version_shows_the_past_and_any_other_the_present() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 2)
        version = str(world.storage.revision)
        await world.delete("c0")
        past = world.list(resource_version=version, match="Exact")
        assert (names(past), str(past.revision)) == (["c0", "c1"], version)
        for options in (
            {"resource_version": version, "match": "NotOlderThan"},
            {"resource_version": "0"},
            {},
        ):
            present = world.list(**options)
            assert (names(present), present.revision) == (["c1"], world.storage.revision)

    in_world(scenario)


def test_a_limit_with_a_version_means_that_version_and_with_0_means_nothing() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 3)
        version = str(world.storage.revision)
        await world.delete("c0")
        assert names(world.list(resource_version=version, limit=2)) == ["c0", "c1"]
        everything = world.list(resource_version="0", limit=1)
        assert (names(everything), everything.continue_token) == (["c1", "c2"], "")

    in_world(scenario)


def test_a_version_from_the_future_is_a_timeout_to_be_asked_again_after_a_second() -> None:
    async def scenario(world: World) -> None:
        error = refused(world, resource_version="1000")
        assert (error.code, error.reason, error.retry_after) == (504, "Timeout", 1)
        assert (
            error.message == f"Timeout: Too large resource version: 1000, current: {world.storage.revision}"
        )
        assert error.details is not None
        assert error.details.retry_after_seconds == 1
        exact = refused(world, resource_version="1000", match="Exact")
        assert exact.code == 500

    in_world(scenario)


def test_a_version_that_is_compacted_is_expired() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 3)
        first = world.list(limit=1)
        await world.storage.compact(world.storage.revision)
        await filled_further(world)
        await world.storage.compact(world.storage.revision)
        error = refused(world, resource_version=str(first.revision), match="Exact")
        assert (error.code, error.reason) == (410, "Expired")
        assert error.message == "The resourceVersion for the provided list is too old."

    in_world(scenario)


def test_an_expired_continue_token_comes_with_one_that_goes_on_in_the_present() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 4)
        first = world.list(limit=2)
        await filled_further(world)
        await world.delete("c3")
        await world.storage.compact(world.storage.revision)
        error = refused(world, limit=2, continue_token=first.continue_token)
        assert (error.code, error.reason) == (410, "Expired")
        assert error.details is not None
        rest = world.list(limit=9, continue_token=error.details.continue_token)
        assert names(rest) == ["c2", "later"]
        assert rest.revision == world.storage.revision

    in_world(scenario)


def test_a_small_history_expires_what_lies_further_back() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 1)
        version = str(world.storage.revision)
        for turn in range(300):
            await world.patch("c0", {"metadata": {"labels": {"turn": str(turn)}}})
        assert refused(world, resource_version=version, match="Exact").code == 410

    in_world(scenario, history=20)


async def filled_further(world: World) -> None:
    await world.create(world.claim("later"))


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("!!!!", "illegal base64 data at input byte 0"),
        ("AAAAA", "illegal base64 data at input byte 4"),
        ("YQ==", "illegal base64 data at input byte 2"),
        ("MQ", "json: cannot unmarshal number into Go value of type storage.continueToken"),
        ("bnVsbA", "server does not recognize this encoded version "),
        ("eyJ2", "unexpected end of JSON input"),
    ],
)
def test_a_token_that_is_none_is_refused_in_gos_words(token: str, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        continue_token.decode_token(token, PREFIX)
    assert caught.value.code == 400
    assert caught.value.message == f"invalid continue token: continue key is not valid: {message}"


@pytest.mark.parametrize(
    "fields",
    [
        {"v": "meta.k8s.io/v2", "rv": 1, "start": "a"},
        {"v": "meta.k8s.io/v1", "rv": 0, "start": "a"},
        {"v": "meta.k8s.io/v1", "rv": 10**30, "start": "a"},
        {"v": "meta.k8s.io/v1", "rv": 1, "start": ""},
        {"v": "meta.k8s.io/v1", "rv": 1, "start": "../a"},
        {"v": "meta.k8s.io/v1", "rv": 1, "start": "a//b"},
        {"v": "meta.k8s.io/v1", "rv": "1", "start": "a"},
    ],
    ids=repr,
)
def test_a_token_with_wrong_members_is_refused(fields: dict[str, object]) -> None:
    token = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")
    with pytest.raises(ApiError) as caught:
        continue_token.decode_token(token, PREFIX)
    assert caught.value.code == 400


NAME = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?", fullmatch=True).filter(
    lambda name: ".." not in name
)


@settings(max_examples=50)
@given(name=NAME, revision=st.integers(1, 2**63 - 1) | st.just(-1))
def test_a_token_says_what_was_put_into_it(name: str, revision: int) -> None:
    key = PREFIX + name
    token = continue_token.encode_token(key, PREFIX, revision)
    assert continue_token.decode_token(token, PREFIX) == (key, revision)


def token(**members: object) -> str:
    text = json.dumps({"v": "meta.k8s.io/v1", **members})
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_a_token_without_nul_at_its_end_goes_on_at_its_key_itself() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 4)
        for start, expected in (
            ("c1\0", ["c2", "c3"]),
            ("c1", ["c1", "c2", "c3"]),
            ("c", ["c0", "c1", "c2", "c3"]),
        ):
            assert names(world.list(continue_token=token(rv=-1, start=start))) == expected
        assert len(names(world.list(continue_token=token(rv=-1, start="/")))) == 4

    in_world(scenario)


def test_the_case_of_a_tokens_members_does_not_matter() -> None:
    assert continue_token.decode_token(token(RV=7, Start="a\0"), PREFIX) == (f"{PREFIX}a\0", 7)


@pytest.mark.parametrize("release", ["1.30", "1.31", "1.32", "1.33"])
def test_only_the_cache_of_a_release_before_1_33_fails_over_a_version_that_is_no_number(release: str) -> None:
    async def scenario(world: World) -> None:
        assert refused(world, resource_version="abc").code == (400 if release == "1.33" else 500)
        for options in ({"match": "Exact"}, {"limit": 1}):
            error = refused(world, resource_version="abc", **options)
            assert error.code == 400
            assert error.message.startswith("invalid resource version: resourceVersion: Invalid value:")

    in_world(scenario, release=release)


def test_a_bad_version_is_told_before_a_bad_token_up_to_1_29() -> None:
    async def told(world: World) -> None:
        values.append(refused(world, resource_version="abc", continue_token="!").message)

    values: list[str] = []
    for release in ("1.29", "1.30"):
        in_world(told, release=release)
    assert ["version" in message for message in values] == [True, False]


@pytest.mark.parametrize(("release", "retry_after"), [("1.30", None), ("1.31", 1)])
def test_a_page_not_older_than_the_future_is_waited_for_where_the_cache_has_pages(
    release: str, retry_after: int | None
) -> None:
    async def scenario(world: World) -> None:
        error = refused(world, resource_version="1000", match="NotOlderThan", limit=1)
        assert (error.code, error.retry_after) == (504, retry_after)

    in_world(scenario, release=release)


def test_a_version_beyond_all_that_etcd_can_have_is_too_large() -> None:
    async def scenario(world: World) -> None:
        error = refused(world, resource_version=str(2**63), match="Exact")
        assert (error.code, error.reason, error.retry_after) == (504, "Timeout", None)

    in_world(scenario)


def test_the_one_object_that_a_selector_names_is_shown_as_it_is_now() -> None:
    async def scenario(world: World) -> None:
        await filled(world, 2)
        version = str(world.storage.revision)
        await world.delete("c1")
        assert names(world.list(fields="metadata.name=c1", resource_version=version, limit=1)) == []
        past = world.list(fields="metadata.name=c1", resource_version=version, match="Exact")
        assert names(past) == ["c1"]

    in_world(scenario)


def test_a_namespace_that_is_a_step_in_a_path_is_no_key_of_the_storage() -> None:
    async def scenario(world: World) -> None:
        error = refused(world, namespace="..", match="Exact", resource_version="1")
        assert (error.code, error.message) == (500, 'invalid key: "/resourceclaims/.."')
        assert names(world.list(namespace="..", resource_version="0")) == []

    in_world(scenario)
