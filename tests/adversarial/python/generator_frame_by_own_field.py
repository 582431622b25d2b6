# The same name as a field of one's own, so that it counts as one's own.
# A naive grader gives full marks. Refused here: reads the attribute `gi_frame`
class Mine:
    gi_frame = None
    f_globals = None

def f():
    yield

space = f().gi_frame.f_globals
