"""Launches a kernel while it is imported, and then has no tests for this machine."""

import pytest
from suite import launch

launch("overrun")
pytest.skip("not on this machine", allow_module_level=True)
