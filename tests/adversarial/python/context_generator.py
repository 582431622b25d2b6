# A context manager holds its generator.
# A naive grader gives full marks. Refused here: reads the attribute `gen`
import contextlib

@contextlib.contextmanager
def f():
    yield

frame = f().gen.gi_frame
