import contextlib

@contextlib.contextmanager
def f():
    yield

frame = f().gen.gi_frame
