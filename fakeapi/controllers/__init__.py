"""Controllers that run inside the server and write through its API as any other client does."""
