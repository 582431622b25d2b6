# A generator's frame leads to all frames and their globals.
# A naive grader gives full marks. Refused here: reads the attribute `gi_frame`
def f():
    yield

frame = f().gi_frame.f_back
