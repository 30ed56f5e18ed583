"""client-go walks the story of a claim, in JSON and in protobuf, in the API versions of four releases."""

from pathlib import Path

import pytest

from tests.interop.clients.stories import DID, FOLDER, tell
from tests.interop.go_programs import build, staging_version, with_staging
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

SOURCE = FOLDER / "go"
RELEASES = [("1.30", "v1alpha2"), ("1.31", "v1alpha3"), ("1.33", "v1beta2"), ("1.37", "v1")]
MEDIA_TYPES = {"JSON": "application/json", "protobuf": "application/vnd.kubernetes.protobuf"}


def built(release: str, version: str) -> Path:
    sources = {
        "main.go": (SOURCE / "story" / "main.go").read_text(encoding="utf-8"),
        "claims.go": (SOURCE / version / "claims.go").read_text(encoding="utf-8"),
    }
    go_mod = with_staging(release, ["api", "apimachinery", "client-go"])
    return build(f"client-go-{release}", go_mod, sources)


@pytest.mark.parametrize("media_type", MEDIA_TYPES)
@pytest.mark.parametrize(("release", "version"), of_releases(RELEASES))
def test_client_go_tells_the_story_of_a_claim(
    release: str, version: str, media_type: str, report: Report
) -> None:
    report(
        kind="client",
        name="client-go",
        version=staging_version(release),
        release=release,
        did=f"{DID}; {version}, {media_type}",
    )
    tell([built(release, version), MEDIA_TYPES[media_type]], release)
