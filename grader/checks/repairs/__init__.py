"""Exercises of several operations, and how much of a stub was changed."""
