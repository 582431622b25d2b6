import inspect
def test_file():
    assert 'wrong' not in inspect.getfile(op)
