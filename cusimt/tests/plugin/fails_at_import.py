"""Launches a kernel while it is imported, and then cannot be imported."""

from suite import launch

launch("overrun")
raise RuntimeError("the module is wrong, too")
