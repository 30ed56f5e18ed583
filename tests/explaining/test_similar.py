"""The most similar name is found without comparing all names in full."""

from random import Random

from fakeapi.explaining import similar
from fakeapi.explaining.similar import SIMILARITY, nearest


def _most_similar(name: str, names: list[str]) -> str:
    """Returns the first most similar name in the order of names. Compares all names in full."""
    similarities = {other: similar._similarity(name, other, 0.0) for other in sorted(names) if other != name}
    best = max(similarities, key=similarities.__getitem__, default="")
    return best if similarities.get(best, 0.0) >= SIMILARITY else ""


def test_the_nearest_name_is_the_most_similar_of_all_names() -> None:
    random = Random(28)
    some = 0
    for _ in range(2000):
        letters = random.choice(["ab", "abc-", "gpu.-x", "abcdefgh-."])
        name, *names = ["".join(random.choices(letters, k=random.randint(1, 10))) for _ in range(12)]
        some += bool(nearest(name, names))
        assert nearest(name, names) == _most_similar(name, names)
    assert 200 < some < 1800


def test_short_and_unlike_names_are_not_similar() -> None:
    assert nearest("gpu", ["gpus", "vpu", "nic"]) == "gpus"
    assert nearest("claim", ["claim", "used-1", "x"]) == ""
