"""Users, and the tokens of service accounts."""
