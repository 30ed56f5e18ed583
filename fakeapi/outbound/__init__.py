"""Outbound requests: the HTTP client with which the server calls webhooks."""
