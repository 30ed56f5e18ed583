"""Validators shared by kinds of several API groups; each module is named after the thing it validates."""
