"""Requests that the server itself sends to webhooks."""
