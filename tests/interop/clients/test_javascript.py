"""The official JavaScript client creates, watches, updates and deletes a claim."""

import json

from tests.interop.clients.stories import DID, FETCH_SECONDS, FOLDER, finished, tell, workshop
from tests.interop.plugin import Report
from tests.interop.toolchain import require

SOURCE = FOLDER / "javascript"
NEWEST = "1.37"


def test_the_javascript_client_tells_the_story_of_a_claim(report: Report) -> None:
    package = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    ((name, version),) = package["dependencies"].items()
    report(kind="client", name=name, version=version, release=NEWEST, did=DID)
    require("node", "npm")
    files = {each: SOURCE / each for each in ("package.json", "package-lock.json", "story.mjs")}
    with workshop("javascript", files) as folder:
        if not (folder / ".ready").exists():
            finished(["npm", "ci", "--no-audit", "--no-fund"], FETCH_SECONDS, folder)
    tell(["node", folder / "story.mjs"], NEWEST)
