def test_library():
    assert 'wrong' not in str(torch.ops.loaded_libraries)
