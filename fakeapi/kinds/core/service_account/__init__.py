"""The kind core/v1 ServiceAccount, and tokens of ServiceAccounts."""
