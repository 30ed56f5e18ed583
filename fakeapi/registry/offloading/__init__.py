"""Long steps of a request: in a thread, or again once something was fetched or compiled."""
