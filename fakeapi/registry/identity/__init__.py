"""Defines the users of the API, and signs and verifies the tokens of service accounts."""
