"""The journal of a server: its requests, questions about them, and assertions. Knows no HTTP."""
