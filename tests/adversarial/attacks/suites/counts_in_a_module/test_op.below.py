import sys
def test_runs():
    sys.modules['runs'] = 1
