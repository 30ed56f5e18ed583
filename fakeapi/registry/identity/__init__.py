"""Users of the API, and the tokens of service accounts."""
