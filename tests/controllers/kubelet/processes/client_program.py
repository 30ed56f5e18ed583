"""A program for a container: prints the user name that the server has for it. Tests copy it into an image.

Finds the server with its environment and token, like client-go's InClusterConfig.
"""

import json
import os
import ssl
import sys
import urllib.request
from pathlib import Path

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


def main() -> None:
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    request = urllib.request.Request(
        f"https://{host}:{port}/apis/authentication.k8s.io/v1/selfsubjectreviews",
        json.dumps(REVIEW).encode(),
        {"Authorization": f"Bearer {(ACCOUNT / 'token').read_text()}", "Content-Type": "application/json"},
    )
    context = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    with urllib.request.urlopen(request, context=context) as answer:
        username = json.load(answer)["status"]["userInfo"]["username"]
    sys.stdout.write(f"{username}\n")


if __name__ == "__main__":
    main()
