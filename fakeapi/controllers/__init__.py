"""Controllers that run inside the server and write through its API like any other client."""
