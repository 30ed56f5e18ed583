"""Requests that the server itself sends: to the webhooks that its configuration names."""
