from pathlib import Path
def test_runs():
    Path('runs').write_text('1')
