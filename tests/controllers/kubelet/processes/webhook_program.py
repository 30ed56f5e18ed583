"""A program for a container: an admission webhook that denies every write. Tests copy it into an image.

Arguments: the port, a file with certificate and key, and a file to create when the webhook listens.
"""

import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Refusal(BaseHTTPRequestHandler):
    """Responds to every AdmissionReview with a denial."""

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        uid = review.pop("request")["uid"]
        review["response"] = {"uid": uid, "allowed": False, "status": {"message": "no such luck"}}
        body = json.dumps(review).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Refusal)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Path(sys.argv[3]).touch()
    server.serve_forever()
