"""Discovery: the documents about the server itself (health, version, API groups, OpenAPI)."""
