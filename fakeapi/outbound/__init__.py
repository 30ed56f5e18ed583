"""Outbound requests: the HTTP clients with which the server calls webhooks and aggregated API servers."""
