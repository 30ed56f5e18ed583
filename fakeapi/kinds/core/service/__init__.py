"""Services: their rules, and the addresses and ports that they are given."""
