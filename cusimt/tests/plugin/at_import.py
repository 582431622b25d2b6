"""Launches a kernel while it is imported, and another one outside of every test."""

import os

from suite import launch, test_fill  # noqa: F401

if os.environ.get("OVERRUN") == "at import":
    launch("overrun")
