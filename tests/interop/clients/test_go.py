"""client-go of four releases, and controller-runtime, create, watch, update and delete a ResourceClaim."""

from pathlib import Path

import pytest

from tests.interop.clients.stories import CHAPTERS, DID, FOLDER, run, server, tell
from tests.interop.go_programs import build, staging_version, with_staging
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

SOURCE = FOLDER / "go"
RELEASES = [("1.30", "v1alpha2"), ("1.31", "v1alpha3"), ("1.33", "v1beta2"), ("1.37", "v1")]
RUNTIME = "v0.25.2"
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


def test_a_controller_of_controller_runtime_leads_reconciles_and_tells(report: Report) -> None:
    did = "led, reconciled a claim from its cache, lost a race, patched, applied, finalized, wrote an event"
    report(kind="client", name="controller-runtime", version=RUNTIME, release="1.37", did=did)
    staged = with_staging(
        "1.37", ["api", "apiextensions-apiserver", "apimachinery", "client-go"], go="1.26.0"
    )
    go_mod = f"{staged}\nrequire sigs.k8s.io/controller-runtime {RUNTIME}\n"
    main = (SOURCE / "runtime" / "main.go").read_text(encoding="utf-8")
    program = build("controller-runtime", go_mod, {"main.go": main})
    with server("1.37") as api:
        assert run([program], api).split() == ["lead", *CHAPTERS, "event"]
        assert api.list("ResourceClaim") == []
        assert api.get("Lease", "story")["spec"]["leaseTransitions"] == 0
