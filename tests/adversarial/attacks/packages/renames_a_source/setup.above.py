import pathlib
pathlib.Path('a.cu').replace('b.cu')
