"""A test that sees what its session chose, and what the environment says to the programs that it starts."""

import os


def test_chosen():
    names = ("CUSIMT_SCHEDULE", "CUSIMT_STRICT", "CUSIMT_WATCHDOG")
    assert " ".join(os.environ[name] for name in names) == os.environ["EXPECTED"]
