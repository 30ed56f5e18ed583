"""The newest Python clients create, watch, update and delete a claim."""

import pytest

from tests.interop.clients.stories import DID, FOLDER, locked, python, tell
from tests.interop.plugin import Report

LOCK = FOLDER / "python" / "clients.lock"
NEWEST = "1.37"
CLIENTS = {
    "kubernetes": "story_kubernetes.py",
    "kubernetes-asyncio": "story_kubernetes_asyncio.py",
    "lightkube": "story_lightkube.py",
    "kopf": "story_kopf.py",
    "kr8s": "story_kr8s.py",
    "pykube-ng": "story_pykube.py",
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_in_python_tells_the_story_of_a_claim(client: str, report: Report) -> None:
    report(kind="client", name=f"Python {client}", version=locked(LOCK, client), release=NEWEST, did=DID)
    tell([python(), FOLDER / "python" / CLIENTS[client]], NEWEST)
