"""One object, several versions of its API: how it is kept, and how each version shows it."""
