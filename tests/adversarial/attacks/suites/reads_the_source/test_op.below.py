def test_source():
    assert 'max' in open('kernel.cu').read()
