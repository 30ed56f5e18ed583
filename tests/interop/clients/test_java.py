"""fabric8's Java client creates, watches, updates and deletes a claim."""

import re

from tests.interop.clients.stories import DID, FETCH_SECONDS, FOLDER, finished, tell, workshop
from tests.interop.plugin import Report
from tests.interop.toolchain import require

SOURCE = FOLDER / "java"
NEWEST = "1.37"


def test_the_java_client_tells_the_story_of_a_claim(report: Report) -> None:
    version = re.search(r"<fabric8.version>(.*)<", (SOURCE / "pom.xml").read_text(encoding="utf-8"))
    assert version is not None
    report(kind="client", name="Java fabric8", version=version[1], release=NEWEST, did=DID)
    require("javac", "mvn")
    with workshop("java", {each: SOURCE / each for each in ("pom.xml", "Story.java")}) as folder:
        jars = folder / "jars"
        if not (folder / ".ready").exists():
            copy = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
            finished([*copy], FETCH_SECONDS, folder)
            finished(["javac", "-cp", f"{jars}/*", "-d", ".", "Story.java"], FETCH_SECONDS, folder)
    tell(["java", "-cp", f"{jars}/*:{folder}", "Story"], NEWEST)
