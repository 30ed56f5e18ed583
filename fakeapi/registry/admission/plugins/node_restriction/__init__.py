"""NodeRestriction: what nodes may write."""
