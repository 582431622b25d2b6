import os
def test_folder():
    assert 'kills' not in os.getcwd()
